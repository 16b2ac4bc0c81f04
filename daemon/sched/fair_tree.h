// fair_tree.h: the Fair Tree factor of every user association. Pure. Source of the rules: Slurm's
// "Fair Tree Fairshare Algorithm" page. Ratios are compared exactly, so that what is tied stays
// tied.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

namespace sluice {

struct ShareNode {
  std::optional<std::size_t> parent;  // index of an account that stands before it; none: under root
  bool is_user = false;               // a user has no children
  std::optional<std::uint32_t> shares;  // none: Fairshare=parent
  double usage = 0;                     // decayed, of the association alone, >= 0
};

struct FairShare {
  double usage = 0;            // with all that is below
  double norm_shares = 0;      // of its siblings' shares, 0..1
  double effective_usage = 0;  // of its siblings' usage, 0..1
  double level = 0;            // norm_shares / effective_usage; infinite: nothing used
  double factor = 0;           // of users: 0 (last) < factor <= 1 (first)
};

// In the order of `nodes`. Shares are those of an account among its siblings. An association with
// Fairshare=parent has no share of its own: an account's children count as its parent's, and a user
// goes before all siblings that used something.
std::vector<FairShare> fair_tree(const std::vector<ShareNode>& nodes);

}  // namespace sluice
