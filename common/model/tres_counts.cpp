// tres_counts.cpp: keeps the rows ascending.
#include "common/model/tres_counts.h"

#include <algorithm>

namespace sluice {

void add_tres(TresCounts& counts, const std::string& tres, std::uint64_t count) {
  if (count == 0) return;
  const auto at = std::lower_bound(
      counts.begin(), counts.end(), tres,
      [](const TresCount& row, const std::string& name) { return row.tres < name; });
  if (at != counts.end() && at->tres == tres) at->count += count;
  else counts.insert(at, {tres, count});
}

std::uint64_t count_of(const TresCounts& counts, std::string_view tres) {
  const auto at = std::find_if(counts.begin(), counts.end(),
                               [&](const TresCount& row) { return row.tres == tres; });
  return at == counts.end() ? 0 : at->count;
}

void add_gres(TresCounts& counts, const GresCount& gres, std::uint64_t times) {
  const std::uint64_t count = gres.count * times;
  add_tres(counts, "gres/" + gres.name, count);
  if (!gres.type.empty()) add_tres(counts, "gres/" + gres.name + ":" + gres.type, count);
}

}  // namespace sluice
