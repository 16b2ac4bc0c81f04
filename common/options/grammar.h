// grammar.h: the small grammars of option values: text -> value of the model. Pure; nothing here
// knows which option a text was given to. The error's detail quotes the value and says what is valid.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/base/result.h"
#include "common/model/request.h"

namespace sluice {

// "90", "1:30", "1:2:59", "1-2", "1-2:30", "1-2:30:00", "1-", "UNLIMITED". Seconds round up to the
// next minute; zero and -1 mean unlimited. Errors: invalid_time.
Result<TimeLimit> parse_time_limit(std::string_view text);

// "100" (MB), "4G", "1024K", "512MB"; rounded up to MB. Errors: invalid_memory.
Result<std::uint64_t> parse_memory_mb(std::string_view text);

}  // namespace sluice
