// tres_counts.h: amounts of trackable resources that are added up.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

#include "common/model/accounting.h"
#include "common/model/request.h"

namespace sluice {

// Nothing of a resource is no row.
void add_tres(TresCounts& counts, const std::string& tres, std::uint64_t count);
// 0: there is no row.
std::uint64_t count_of(const TresCounts& counts, std::string_view tres);
// A typed resource counts for its kind too: "gres/gpu:a100" and "gres/gpu".
void add_gres(TresCounts& counts, const GresCount& gres, std::uint64_t times);

}  // namespace sluice
