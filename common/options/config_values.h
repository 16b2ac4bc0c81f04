// config_values.h: the values of slurm.conf: numbers, yes and no, times, memory, generic resources.
// Pure. An error's text says what was expected and the value seen; the caller adds file and line.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/request.h"

namespace sluice {

struct NumberRange {
  std::uint64_t min = 0;
  std::uint64_t max = UINT32_MAX;
};

// The pieces between dividers without blanks around them; empty ones are left out.
std::vector<std::string> split_list(std::string_view text, char divider);

Result<std::uint64_t> parse_config_number(std::string_view text, NumberRange range);
Result<bool> parse_config_yes_no(std::string_view text);  // YES, NO, TRUE, FALSE, 1, 0, UP, DOWN
// Megabytes; none for UNLIMITED, INFINITE and 0.
Result<std::optional<std::uint64_t>> parse_config_memory_limit(std::string_view text);
// "3", "3s", "500ms" as milliseconds.
Result<std::uint32_t> parse_config_milliseconds(std::string_view text);
// Slurm's time forms (minutes, m:s, h:m:s, d-h[:m[:s]]), INFINITE, UNLIMITED and -1.
Result<TimeLimit> parse_config_time(std::string_view text);
// "gpu:a100:2,gpu:1,fpga"; counts may end with K, M or G (powers of 1024).
Result<std::vector<GresCount>> parse_config_gres(std::string_view text);

}  // namespace sluice
