// priority_values.h: the values of slurm.conf's keys of priority and billing: weights of resources,
// flags, periods. Pure. An error's text says what was expected and the value seen.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/config.h"

namespace sluice {

// "CPU=1000,Mem=2000,GRES/gpu=3000": whole numbers.
Result<TresCounts> parse_tres_weights(std::string_view text);
// "CPU=1.0,Mem=0.25G,GRES/gpu=2.0": in millionths; of memory a weight is for a MB unless K, M, G, T
// or P follows it, and is kept for a GB.
Result<TresCounts> parse_billing_weights(std::string_view text);
// The same again, "(null)" for none.
std::string tres_weights_text(const TresCounts& weights);
std::string billing_weights_text(const TresCounts& weights_ppm);

// Errors name the flag: unknown ones, and those of Slurm that are not honoured.
Result<std::vector<PriorityFlag>> parse_priority_flags(std::string_view text);
Result<UsageReset> parse_usage_reset(std::string_view text);
// Whole minutes, as 5, 5:00, 7-0, 1-12:00:00.
Result<std::uint32_t> parse_period_min(std::string_view text, std::uint32_t min);

}  // namespace sluice
