// gres.cpp: arithmetic of generic resources on one node.
#include <algorithm>

#include "daemon/sched/fit.h"

namespace sluice {
namespace {

bool same_kind(const GresCount& a, const GresCount& b) { return a.name == b.name && a.type == b.type; }

std::uint32_t count_of(const std::vector<GresCount>& list, const GresCount& kind) {
  std::uint32_t total = 0;
  for (const GresCount& gres : list)
    if (same_kind(gres, kind)) total += gres.count;
  return total;
}

bool matches(const GresCount& have, const GresCount& want) {
  return have.name == want.name && (want.type.empty() || have.type == want.type);
}

}  // namespace

bool gres_fits(const std::vector<GresCount>& have, const std::vector<GresCount>& used,
               const GresCount& want) {
  std::uint64_t free = 0;
  for (const GresCount& gres : have) {
    if (!matches(gres, want)) continue;
    const std::uint32_t taken = count_of(used, gres);
    free += gres.count > taken ? gres.count - taken : 0;
  }
  return free >= want.count;
}

std::vector<GresCount> choose_gres(const std::vector<GresCount>& have,
                                   const std::vector<GresCount>& used,
                                   const std::vector<GresCount>& want) {
  std::vector<GresCount> taken = used;
  std::vector<GresCount> chosen;
  for (const GresCount& request : want) {
    std::uint32_t left = request.count;
    for (const GresCount& gres : have) {
      if (left == 0 || !matches(gres, request)) continue;
      const std::uint32_t busy = count_of(taken, gres);
      const std::uint32_t give = std::min(left, gres.count > busy ? gres.count - busy : 0U);
      if (give == 0) continue;
      add_gres(chosen, {{gres.name, gres.type, give}});
      add_gres(taken, {{gres.name, gres.type, give}});
      left -= give;
    }
  }
  return chosen;
}

void add_gres(std::vector<GresCount>& to, const std::vector<GresCount>& more) {
  for (const GresCount& gres : more) {
    auto at = std::find_if(to.begin(), to.end(), [&](const auto& g) { return same_kind(g, gres); });
    if (at == to.end()) to.push_back(gres);
    else at->count += gres.count;
  }
}

void subtract_gres(std::vector<GresCount>& from, const std::vector<GresCount>& less) {
  for (const GresCount& gres : less) {
    auto at = std::find_if(from.begin(), from.end(), [&](const auto& g) { return same_kind(g, gres); });
    ASSERT(at != from.end() && at->count >= gres.count);
    at->count -= gres.count;
    if (at->count == 0) from.erase(at);
  }
}

}  // namespace sluice
