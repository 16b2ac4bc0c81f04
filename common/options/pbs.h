// pbs.h: the words of a #PBS line as options of sbatch. Pure. What has no counterpart here is
// refused by name: nothing that a script asks for is dropped in silence.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "common/base/result.h"

namespace sluice {

// A name of THE option table and its value.
using TranslatedOption = std::pair<const char*, std::string>;

// "-l nodes=2:ppn=4,mem=1gb -N x". Errors: not_supported (an option or a resource that has no
// counterpart), invalid_argument; the detail names it.
Result<std::vector<TranslatedOption>> translate_pbs(const std::vector<std::string>& words);

}  // namespace sluice
