// fair_tree.cpp: depth first in descending order of level; the n-th of N users has (N - n + 1) / N.
#include "daemon/sched/fair_tree.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include <boost/multiprecision/cpp_int.hpp>

#include "common/base/assert.h"

namespace sluice {
namespace {

using Exact = boost::multiprecision::cpp_rational;

// shares / siblings' shares : usage / siblings' usage.
struct Level {
  bool infinite = false;
  double shares = 0, all_shares = 1, usage = 1, all_usage = 1;

  double value() const {
    if (infinite) return std::numeric_limits<double>::infinity();
    return shares * all_usage / (all_shares * usage);
  }
  Exact exact() const {
    return Exact(shares) * Exact(all_usage) / (Exact(all_shares) * Exact(usage));
  }
};

// Doubles tell all but the nearest apart; these are compared as fractions.
bool goes_before(const Level& a, const Level& b) {
  if (a.infinite || b.infinite) return a.infinite && !b.infinite;
  constexpr double near = 1e-9;
  const double left = a.value();
  const double right = b.value();
  if (std::abs(left - right) > near * std::max(left, right)) return left > right;
  return a.exact() > b.exact();
}

class FairTree {
 public:
  explicit FairTree(const std::vector<ShareNode>& nodes)
      : nodes_(nodes), found_(nodes.size()), levels_(nodes.size()), children_(nodes.size() + 1) {
    sum_usage();
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (nodes[i].shares || nodes[i].is_user) children_[home_of(i)].push_back(i);
    for (const std::vector<std::size_t>& siblings : children_) weigh(siblings);
    for (std::size_t i = 0; i < nodes.size(); ++i)
      if (!nodes[i].shares && !nodes[i].is_user)
        found_[i].effective_usage = part_of(found_[i].usage, usage_under(home_of(i)));
    users_left_ =
        std::count_if(nodes.begin(), nodes.end(), [](const auto& node) { return node.is_user; });
    users_ = users_left_;
    rank(children_[root()], false);
  }

  std::vector<FairShare> take() { return std::move(found_); }

 private:
  std::size_t root() const { return nodes_.size(); }

  void sum_usage() {
    for (std::size_t i = nodes_.size(); i-- > 0;) {
      if (std::isfinite(nodes_[i].usage)) found_[i].usage += nodes_[i].usage;
      if (!nodes_[i].parent) continue;
      ASSERT(*nodes_[i].parent < i && !nodes_[*nodes_[i].parent].is_user);
      found_[*nodes_[i].parent].usage += found_[i].usage;
    }
  }

  // The nearest account above that has a share of its own.
  std::size_t home_of(std::size_t i) const {
    std::optional<std::size_t> at = nodes_[i].parent;
    while (at && !nodes_[*at].shares) at = nodes_[*at].parent;
    return at.value_or(root());
  }

  static double part_of(double amount, double all) { return all > 0 ? amount / all : 0; }
  double usage_under(std::size_t home) const {
    double all = 0;
    for (const std::size_t i : children_[home]) all += found_[i].usage;
    return all;
  }

  void weigh(const std::vector<std::size_t>& siblings) {
    double all_shares = 0;
    double all_usage = 0;
    for (const std::size_t i : siblings) {
      all_shares += nodes_[i].shares.value_or(0);
      all_usage += found_[i].usage;
    }
    for (const std::size_t i : siblings) {
      FairShare& found = found_[i];
      const double shares = nodes_[i].shares.value_or(0);
      found.norm_shares = part_of(shares, all_shares);
      found.effective_usage = part_of(found.usage, all_usage);
      // Without a share nothing is due, also where nothing was used.
      const bool has_claim = !nodes_[i].shares || shares > 0;
      if (has_claim) levels_[i] = {false, shares, all_shares, found.usage, all_usage};
      levels_[i].infinite = has_claim && (!nodes_[i].shares || found.usage == 0);
      found.level = levels_[i].value();
    }
  }

  // `tied`: with users who have a rank already, and which the first here share.
  void rank(std::vector<std::size_t> siblings, bool tied) {
    std::stable_sort(siblings.begin(), siblings.end(), [&](std::size_t a, std::size_t b) {
      return goes_before(levels_[a], levels_[b]);
    });
    for (std::size_t from = 0; from < siblings.size();) {
      std::size_t to = from + 1;
      while (to < siblings.size() && !goes_before(levels_[siblings[from]], levels_[siblings[to]]))
        ++to;
      if (!std::exchange(tied, false)) rank_ = users_left_;
      rank_tied(siblings, from, to);
      from = to;
    }
  }

  // Tied accounts: their children are ranked together.
  void rank_tied(const std::vector<std::size_t>& siblings, std::size_t from, std::size_t to) {
    std::vector<std::size_t> below;
    for (std::size_t at = from; at < to; ++at) {
      const std::size_t i = siblings[at];
      below.insert(below.end(), children_[i].begin(), children_[i].end());
      if (!nodes_[i].is_user) continue;
      found_[i].factor = static_cast<double>(rank_) / static_cast<double>(users_);
      --users_left_;
    }
    // Whoever is first below shares the rank, whether or not a user stands beside his account.
    if (!below.empty()) rank(std::move(below), true);
  }

  const std::vector<ShareNode>& nodes_;
  std::vector<FairShare> found_;
  std::vector<Level> levels_;
  std::vector<std::vector<std::size_t>> children_;  // by account; the last: under root
  std::ptrdiff_t users_left_ = 0;
  std::ptrdiff_t users_ = 0;
  std::ptrdiff_t rank_ = 0;
};

}  // namespace

std::vector<FairShare> fair_tree(const std::vector<ShareNode>& nodes) {
  return FairTree(nodes).take();
}

}  // namespace sluice
