// reserved.cpp: see reserved.h.
#include "daemon/sched/reserved.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {

Span span_of(WallTime start, std::optional<Duration> length) {
  return {start, length ? start + *length : endless};
}

Access Access::to_all() {
  Access access;
  access.ignores_all_ = true;
  return access;
}

bool Access::may_use(NodeId node) const {
  if (!own_) return !is_void_;
  return own_->flexible || own_->any_nodes ||
         std::binary_search(own_->nodes.begin(), own_->nodes.end(), node);
}

bool Access::is_kept_out_by(const ReservationView& other) const {
  if (ignores_all_ || &other == own_) return false;
  if (!own_) return true;
  return !own_->maintenance && !(own_->overlaps && !other.maintenance);
}

bool Access::is_held_to(const ReservationView& other) const {
  return &other == own_ && !own_->flexible && !own_->any_nodes;
}

std::optional<WallTime> Access::admitted(WallTime from) const {
  if (is_void_) return std::nullopt;
  if (!own_ || own_->flexible) return from;
  for (const ReservedWindow& window : own_->windows)
    if (from < window.end) return std::max(from, window.start);
  return std::nullopt;
}

WallTime Access::last_end(WallTime start) const {
  if (!own_ || own_->flexible || !own_->over_run) return endless;
  for (const ReservedWindow& window : own_->windows)
    if (start < window.end)
      return window.end == endless ? endless : window.end + *own_->over_run;
  return endless;
}

Span Access::clip(const Span& span) const {
  return {span.start, std::min(span.end, last_end(span.start))};
}

Reserved::Reserved(const View& view) {
  static const std::vector<ReservationView> nothing;
  all_ = view.reservations ? view.reservations.get() : &nothing;
  for (const ReservationView& one : *all_)
    for (std::size_t i = 0; i < one.nodes.size(); ++i) {
      const std::size_t id = one.nodes[i].value;
      if (id >= by_node_.size()) by_node_.resize(id + 1);
      const bool is_whole = one.cpus.empty();
      for (const ReservedWindow& window : one.windows)
        by_node_[id].push_back({&one, window, is_whole ? 0 : one.cpus[i], is_whole});
    }
}

Access Reserved::access_of(const std::string& reservation) const {
  if (reservation.empty()) return {};
  const auto at = std::find_if(all_->begin(), all_->end(),
                               [&](const ReservationView& one) { return one.name == reservation; });
  return Access(at == all_->end() ? nullptr : &*at);
}

const std::vector<NodeWindow>* Reserved::of_node(NodeId id) const {
  const bool has_some = id.value < by_node_.size() && !by_node_[id.value].empty();
  return has_some ? &by_node_[id.value] : nullptr;
}

std::string window_text(const std::string& name, const ReservedWindow& window) {
  return fmt::format("{} from {} to {}", name, utc_text(window.start), utc_text(window.end));
}

}  // namespace sluice
