// content_id.h: the name of a stored content (script, environment): hex SHA-256 of its bytes.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

std::string content_id(std::string_view bytes);  // 64 hex digits

}  // namespace sluice
