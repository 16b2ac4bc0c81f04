// reservation_nodes.cpp: nodes against runs and other reservations over the windows of a new one.
#include "daemon/core/reservation_nodes.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include <fmt/format.h>

#include "common/base/hostlist.h"
#include "common/model/constraint.h"

namespace sluice {
namespace {

constexpr int windows_compared = 14;  // of each of two that recur

// Those that are not over by then.
std::vector<ReservedWindow> windows_from(const Reservation& reservation, WallTime from) {
  std::vector<ReservedWindow> windows;
  for (auto window = window_at(reservation, from); window && windows.size() < windows_compared;
       window = window_after(reservation, *window))
    windows.push_back(*window);
  return windows;
}

bool overlap(const Reservation& a, const Reservation& b) {
  const WallTime from = std::max(a.window.start, b.window.start);  // earlier only one has windows
  for (const ReservedWindow& one : windows_from(a, from))
    for (const ReservedWindow& other : windows_from(b, from))
      if (one.start < other.end && other.start < one.end) return true;
  return false;
}

bool may_overlap(const Reservation& reservation) {
  return has_flag(reservation, ReservationFlag::OVERLAP) ||
         has_flag(reservation, ReservationFlag::MAINT);
}

// What is in the way on a node: empty text: nothing.
struct InTheWay {
  ErrorCode code = ErrorCode::nodes_busy;
  std::string text;
};

struct Room {
  std::uint32_t cpus = 0;  // that are free over the window
  InTheWay in_the_way;     // of the node as a whole
};

// What others have of a node over the windows of the reservation.
struct Taken {
  const Reservation* by;
  std::size_t index;  // of the node among theirs
};
using TakenNodes = std::unordered_map<std::string_view, std::vector<Taken>>;

TakenNodes taken_by_others(const State& state, const Reservation& reservation) {
  TakenNodes taken;
  if (may_overlap(reservation)) return taken;
  for (const auto& [name, other] : *state.reservations) {
    if (name == reservation.name || !overlap(reservation, other)) continue;
    for (std::size_t i = 0; i < other.nodes.size(); ++i)
      taken[other.nodes[i]].push_back({&other, i});
  }
  return taken;
}

// Other reservations first: an administrator can change these at once.
void look_at_others(const TakenNodes& taken, const std::string& node, Room& room) {
  const auto at = taken.find(node);
  if (at == taken.end()) return;
  for (const Taken& share : at->second) {
    const Reservation& other = *share.by;
    const std::uint32_t cpus = other.cores.empty() ? room.cpus : other.cores[share.index];
    room.cpus -= std::min(room.cpus, cpus);
    room.in_the_way = {ErrorCode::reservation_overlap,
                       fmt::format("{} is in reservation {} from {} to {}", node, other.name,
                                   utc_text(other.window.start), utc_text(other.window.end))};
  }
}

void look_at_runs(const State& state, const Reservation& reservation, NodeId id,
                  const std::string& node, Room& room) {
  const NodeHolds* holds = state.holds.find(id.value);
  if (has_flag(reservation, ReservationFlag::IGNORE_JOBS) || !holds) return;
  for (const NodeHold& hold : *holds) {
    const bool is_own = !hold.reservation.empty() && hold.reservation == reservation.name;
    if (is_own || hold.until <= reservation.window.start) continue;
    room.cpus -= std::min(room.cpus, hold.exclusive ? room.cpus : hold.cpus);
    if (!room.in_the_way.text.empty()) continue;
    room.in_the_way.text = hold.until == endless
                               ? fmt::format("job {} on {} has no time limit", hold.job.value, node)
                               : fmt::format("job {} may run on {} until {}", hold.job.value, node,
                                             utc_text(hold.until));
  }
}

Room room_on(const State& state, const Reservation& reservation, const TakenNodes& taken,
             const std::string& node) {
  const NodeId id = state.node_id(node);
  Room room{.cpus = state.node_views.find(id.value)->shape.cpus, .in_the_way = {}};
  look_at_others(taken, node, room);
  look_at_runs(state, reservation, id, node, room);
  return room;
}

std::uint32_t threads_of(const State& state, const std::string& node) {
  return std::max(1U, state.find_node(node)->record.shape.threads_per_core);
}

Result<std::vector<FeatureChoice>> read_features(const Reservation& reservation) {
  if (reservation.features.empty()) return std::vector<FeatureChoice>{};
  return parse_constraint(reservation.features);
}

// Those of its partition, or of the default one, that have its features; those it holds first, then
// those that take jobs now.
Result<std::vector<std::string>> candidates_of(const State& state, const Reservation& reservation) {
  const PartitionConfig* partition = reservation.partition.empty()
                                         ? state.default_partition()
                                         : state.find_partition(reservation.partition);
  if (!partition) return Error{ErrorCode::invalid_partition, reservation.partition};
  const std::vector<FeatureChoice> choices = TRY(read_features(reservation));
  std::vector<std::string> nodes;
  for (const PartitionView& view : *state.partitions) {
    if (view.name != partition->name) continue;
    for (NodeId id : view.nodes) {
      const NodeView& node = *state.node_views.find(id.value);
      const bool fits = choices.empty() || std::any_of(choices.begin(), choices.end(),
                                                       [&](const FeatureChoice& choice) {
                                                         return passes(choice.each, node.features);
                                                       });
      if (fits) nodes.push_back(node.name);
    }
  }
  if (nodes.empty())
    return Error{ErrorCode::invalid_feature,
                 fmt::format("no node of partition {} meets {}", partition->name,
                             shown_constraint(reservation.features))};
  const std::unordered_set<std::string_view> held(reservation.nodes.begin(),
                                                  reservation.nodes.end());
  std::stable_sort(nodes.begin(), nodes.end(), [&](const std::string& a, const std::string& b) {
    const auto rank = [&](const std::string& name) {
      if (held.contains(name)) return 0;
      const NodeView& view = *state.node_views.find(state.node_id(name).value);
      return view.availability == Availability::available ? 1 : 2;
    };
    return rank(a) < rank(b);
  });
  return nodes;
}

Error too_few(const InTheWay& first, std::string text) {
  return {first.text.empty() ? ErrorCode::nodes_busy : first.code,
          first.text.empty() ? std::move(text) : fmt::format("{}; {}", text, first.text)};
}

// Whole nodes that nobody else has over the window.
Result<void> take_nodes(const State& state, std::uint32_t count,
                        const std::vector<std::string>& candidates, Reservation& reservation) {
  if (count == 0 || count > candidates.size())
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("{} nodes asked, {} are there", count, candidates.size())};
  const TakenNodes by_others = taken_by_others(state, reservation);
  std::vector<std::string> taken;
  InTheWay first;
  for (const std::string& node : candidates) {
    Room room = room_on(state, reservation, by_others, node);
    if (room.in_the_way.text.empty()) taken.push_back(node);
    else if (first.text.empty()) first = std::move(room.in_the_way);
    if (taken.size() == count) break;
  }
  if (taken.size() < count)
    return too_few(first, fmt::format("{} nodes asked, {} of {} are free then", count, taken.size(),
                                      candidates.size()));
  reservation.nodes = std::move(taken);
  reservation.cores.clear();
  return {};
}

// Cores of one node after the other, or where nodes are named or counted, of all of these alike.
Result<void> take_cores(const State& state, std::uint32_t count, std::optional<std::size_t> nodes,
                        const std::vector<std::string>& candidates, Reservation& reservation) {
  std::vector<std::string> taken;
  const TakenNodes by_others = taken_by_others(state, reservation);
  std::vector<std::uint32_t> cpus;
  std::uint32_t missing = count;
  InTheWay first;
  for (const std::string& node : candidates) {
    if (missing == 0) break;
    Room room = room_on(state, reservation, by_others, node);
    const std::uint32_t threads = threads_of(state, node);
    std::uint32_t cores = std::min(missing, room.cpus / threads);
    if (nodes) {
      if (taken.size() == *nodes) break;
      const auto left = static_cast<std::uint32_t>(*nodes - taken.size());
      cores = std::min(cores, (missing + left - 1) / left);
    }
    if (first.text.empty()) first = std::move(room.in_the_way);
    if (cores == 0) continue;
    taken.push_back(node);
    cpus.push_back(cores * threads);
    missing -= cores;
  }
  if (count == 0 || missing > 0)
    return too_few(first, fmt::format("{} cores asked, {} are free then", count, count - missing));
  reservation.nodes = std::move(taken);
  reservation.cores = std::move(cpus);
  return {};
}

Result<void> check_named(const State& state, const std::vector<std::string>& nodes) {
  std::unordered_set<std::string_view> seen;
  for (const std::string& name : nodes) {
    if (!state.find_node(name)) return Error{ErrorCode::invalid_node, name};
    if (!seen.insert(name).second)
      return Error{ErrorCode::invalid_node, fmt::format("{} stands in the list twice", name)};
  }
  return {};
}

Result<void> check_licenses(const State& state, const Reservation& reservation) {
  for (const LicenseCount& license : reservation.licenses) {
    const std::uint32_t total = count_of(state.config->licenses, license.name);
    std::uint32_t taken = 0;
    for (const auto& [name, other] : *state.reservations)
      if (name != reservation.name && overlap(reservation, other))
        taken += count_of(other.licenses, license.name);
    if (license.count > total)
      return Error{ErrorCode::invalid_license, fmt::format("{}: {} asked, the site has {}",
                                                           license.name, license.count, total)};
    if (license.count > total - std::min(total, taken))
      return Error{ErrorCode::reservation_overlap,
                   fmt::format("licence {}: {} asked, {} of {} are reserved then", license.name,
                               license.count, taken, total)};
  }
  return {};
}

std::vector<std::string> all_nodes(const State& state) {
  std::vector<std::string> nodes;
  for (const NodeConfig& node : state.config->nodes) nodes.push_back(node.name);
  return nodes;
}

void set_flag(Reservation& reservation, ReservationFlag flag) {
  if (has_flag(reservation, flag)) return;
  reservation.flags.push_back(flag);
  std::sort(reservation.flags.begin(), reservation.flags.end());
}

// Nodes=ALL: of the partition with PART_NODES, else of the cluster; those that come later too.
Result<void> take_all(const State& state, Reservation& reservation) {
  reservation.cores.clear();
  if (!has_flag(reservation, ReservationFlag::PART_NODES)) {
    reservation.nodes = all_nodes(state);
    set_flag(reservation, ReservationFlag::ALL_NODES);
    return check_resources(state, reservation);
  }
  const PartitionConfig* partition = state.find_partition(reservation.partition);
  if (!partition)
    return Error{ErrorCode::invalid_partition, reservation.partition.empty()
                                                   ? "PART_NODES needs PartitionName"
                                                   : reservation.partition};
  reservation.nodes = partition->nodes;
  return check_resources(state, reservation);
}

}  // namespace

Result<void> check_resources(const State& state, const Reservation& reservation) {
  TRY(check_licenses(state, reservation));
  const TakenNodes taken = taken_by_others(state, reservation);
  for (std::size_t i = 0; i < reservation.nodes.size(); ++i) {
    const std::string& node = reservation.nodes[i];
    if (!state.find_node(node)) continue;  // left the configuration since
    const Room room = room_on(state, reservation, taken, node);
    const bool fits = reservation.cores.empty() ? room.in_the_way.text.empty()
                                                : room.cpus >= reservation.cores[i];
    if (!fits) return Error{room.in_the_way.code, room.in_the_way.text};
  }
  return {};
}

Result<void> choose_resources(const State& state, const ReservedAmount& amount,
                              Reservation& reservation) {
  if (!reservation.partition.empty() && !state.find_partition(reservation.partition))
    return Error{ErrorCode::invalid_partition, reservation.partition};
  if (amount.licenses) reservation.licenses = *amount.licenses;
  TRY(check_licenses(state, reservation));
  if (amount.all_nodes || !amount.nodes.empty() || amount.node_count || amount.core_count)
    std::erase_if(reservation.flags, [](ReservationFlag flag) {
      return flag == ReservationFlag::ALL_NODES || flag == ReservationFlag::SPEC_NODES;
    });
  if (amount.all_nodes) return take_all(state, reservation);
  TRY(check_named(state, amount.nodes));
  if (!amount.nodes.empty()) {
    set_flag(reservation, ReservationFlag::SPEC_NODES);
    if (amount.core_count)
      return take_cores(state, *amount.core_count, amount.nodes.size(), amount.nodes, reservation);
    reservation.nodes = amount.nodes;
    reservation.cores.clear();
    return check_resources(state, reservation);
  }
  if (!amount.node_count && !amount.core_count) {
    if (!reservation.nodes.empty() || has_flag(reservation, ReservationFlag::ANY_NODES))
      return check_resources(state, reservation);
    return Error{ErrorCode::invalid_node,
                 "licences alone are reserved with Flags=ANY_NODES; else say Nodes, NodeCnt or "
                 "CoreCnt"};
  }
  const std::vector<std::string> candidates = TRY(candidates_of(state, reservation));
  if (reservation.partition.empty()) reservation.partition = state.default_partition()->name;
  if (!amount.core_count) return take_nodes(state, *amount.node_count, candidates, reservation);
  return take_cores(state, *amount.core_count, amount.node_count, candidates, reservation);
}

}  // namespace sluice
