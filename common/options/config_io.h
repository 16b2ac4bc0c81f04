// config_io.h: what the configuration reader takes from the machine. The one impure part of this
// folder; nothing here knows a key.
#pragma once

#include <string>

#include "common/base/result.h"

namespace sluice {

// Errors: config_invalid with the path and the system's text, or more than 64 MB.
Result<std::string> read_config_bytes(const std::string& path);

// Up to the first dot.
std::string read_short_host_name();

}  // namespace sluice
