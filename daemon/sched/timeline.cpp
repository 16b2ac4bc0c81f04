// timeline.cpp: steps of use, and the search for the first moment at which a job fits.
#include "daemon/sched/timeline.h"

#include <algorithm>

#include <fmt/format.h>

#include "daemon/sched/need.h"

namespace sluice {
namespace {

void subtract_what_is_there(std::vector<GresCount>& from, const std::vector<GresCount>& less) {
  for (const GresCount& gres : less)
    for (GresCount& there : from)
      if (there.name == gres.name && there.type == gres.type)
        there.count -= std::min(there.count, gres.count);
  std::erase_if(from, [](const GresCount& gres) { return gres.count == 0; });
}

template <class Number>
void lower(Number& value, Number by) {
  value -= std::min(value, by);
}

// Null: the hold is of no reservation that keeps something here then.
ReservedUse* find_own(Use& use, const std::string& reservation) {
  if (reservation.empty()) return nullptr;
  for (ReservedUse& reserved : use.reserved)
    if (reserved.of->name == reservation) return &reserved;
  return nullptr;
}

// What a job finds of a node's cpus at a moment.
struct Seen {
  std::uint32_t cpus_used = 0;
  bool is_taken = false;    // all of it is reserved for others
  bool has_others = false;  // a part of it is
};

Seen look(const Use& use, std::uint32_t cpus, const Access& access) {
  Seen seen{.cpus_used = use.cpus};
  for (const ReservedUse& reserved : use.reserved) {
    const std::uint32_t left =
        reserved.cpus > reserved.inside ? reserved.cpus - reserved.inside : 0;
    if (access.is_kept_out_by(*reserved.of)) {
      seen.is_taken = seen.is_taken || reserved.is_whole;
      seen.has_others = true;
      seen.cpus_used += left;
    }
  }
  for (const ReservedUse& reserved : use.reserved)
    if (!reserved.is_whole && access.is_held_to(*reserved.of)) {
      const std::uint32_t left =
          reserved.cpus > reserved.inside ? reserved.cpus - reserved.inside : 0;
      seen.cpus_used = std::max(seen.cpus_used, cpus > left ? cpus - left : 0);
      seen.has_others = true;
    }
  return seen;
}

void add_to(Use& use, const NodeHold& hold) {
  if (ReservedUse* own = find_own(use, hold.reservation)) own->inside += hold.cpus;
  use.cpus += hold.cpus;
  use.mem_mb += hold.mem_mb;
  if (!hold.gres.empty()) add_gres(use.gres, hold.gres);
  ++use.jobs;
  use.whole += hold.exclusive ? 1 : 0;
  if (!hold.exclusive_uid) return;
  ++use.of_one_user;
  use.user = hold.exclusive_uid;
}

void take_from(Use& use, const NodeHold& hold) {
  if (ReservedUse* own = find_own(use, hold.reservation)) lower(own->inside, hold.cpus);
  lower(use.cpus, hold.cpus);
  lower(use.mem_mb, hold.mem_mb);
  if (!hold.gres.empty()) subtract_what_is_there(use.gres, hold.gres);
  lower(use.jobs, 1U);
  if (hold.exclusive) lower(use.whole, 1U);
  if (hold.exclusive_uid) lower(use.of_one_user, 1U);
  if (use.jobs == 0) use.whole = 0;
  if (use.jobs == 0 || use.of_one_user == 0) {
    use.of_one_user = 0;
    use.user.reset();
  }
}

Use use_of(const NodeView& node, const NodeHolds& holds) {
  Use use{.cpus = node.cpus_used,
          .mem_mb = node.mem_used_mb,
          .gres = node.gres_used,
          .jobs = node.jobs,
          .user = node.exclusive_uid,
          .reserved = {}};
  for (const NodeHold& hold : holds) {
    use.whole += hold.exclusive ? 1 : 0;
    use.of_one_user += hold.exclusive_uid ? 1 : 0;
  }
  if (node.exclusive) use.whole = std::max(use.whole, 1U);
  return use;
}

void raise_to(std::vector<GresCount>& worst, const std::vector<GresCount>& used) {
  for (const GresCount& gres : used) {
    const auto at = std::find_if(worst.begin(), worst.end(), [&](const GresCount& other) {
      return other.name == gres.name && other.type == gres.type;
    });
    if (at == worst.end()) worst.push_back(gres);
    else at->count = std::max(at->count, gres.count);
  }
}

// The last of the steps that begin by then, the first where none does.
template <class Steps>
std::size_t last_step_by(const Steps& steps, WallTime time) {
  const auto after = std::upper_bound(steps.begin(), steps.end(), time,
                                      [](WallTime at, const auto& step) { return at < step.from; });
  return after == steps.begin() ? 0 : static_cast<std::size_t>(after - steps.begin()) - 1;
}

}  // namespace

// --- one node ------------------------------------------------------------------------------------

Column::Column(const NodeView& node, const NodeHolds& holds, const std::vector<NodeWindow>* windows,
               WallTime now)
    : seen_(node) {
  std::vector<std::pair<WallTime, const NodeHold*>> ends;
  for (const NodeHold& hold : holds)
    if (hold.until != endless) ends.emplace_back(end_of(hold.until, now), &hold);
  std::stable_sort(ends.begin(), ends.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  steps_.push_back({now, use_of(node, holds)});
  for (const auto& [end, hold] : ends) {
    if (steps_.back().from != end) steps_.push_back({end, steps_.back().use});
    take_from(steps_.back().use, *hold);
  }
  if (windows) reserve(*windows, holds);
  note_tight();
}

void Column::note_tight() {
  tight_.clear();
  tight_.reserve(steps_.size());
  for (const Step& step : steps_)
    tight_.push_back({step.from, step.use.mem_mb, step.use.cpus,
                      step.use.whole == 0 && step.use.of_one_user == 0 &&
                          step.use.reserved.empty()});
}

// Too little of the step's cpus and memory is left. Most that is asked ends here.
bool Column::is_tight(std::size_t step, const Need& need, const Access& access) const {
  const Tight& tight = tight_[step];
  if (tight.cpus + need.cpus > seen_.shape.cpus || tight.mem_mb + need.mem_mb > seen_.shape.mem_mb)
    return true;
  if (tight.is_plain) return false;
  const Seen seen = look(steps_[step].use, seen_.shape.cpus, access);
  return seen.is_taken || seen.cpus_used + need.cpus > seen_.shape.cpus;
}

void Column::reserve(const std::vector<NodeWindow>& windows, const NodeHolds& holds) {
  const WallTime now = steps_.front().from;
  for (const NodeWindow& window : windows) {
    if (window.window.end <= now) continue;
    const std::size_t first = split_at(window.window.start);
    const std::size_t last =
        window.window.end == endless ? steps_.size() : split_at(window.window.end);
    for (std::size_t i = first; i < last; ++i) {
      ReservedUse use{window.of, window.cpus, window.is_whole, 0};
      for (const NodeHold& hold : holds)
        if (hold.reservation == window.of->name &&
            (hold.until == endless || end_of(hold.until, now) > steps_[i].from))
          use.inside += hold.cpus;
      steps_[i].use.reserved.push_back(use);
    }
  }
}

std::size_t Column::step_at(WallTime time) const {
  // Most questions are about now, the first step.
  if (steps_.size() == 1 || time < steps_[1].from) return 0;
  return last_step_by(steps_, time);
}

std::size_t Column::split_at(WallTime time) {
  const std::size_t at = step_at(time);
  if (steps_[at].from >= time) return at;
  Step rest{time, steps_[at].use};
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
  return at + 1;
}

void Column::join_at(std::size_t index) {
  if (index == 0 || index >= steps_.size() || !(steps_[index].use == steps_[index - 1].use)) return;
  steps_.erase(steps_.begin() + static_cast<std::ptrdiff_t>(index));
}

void Column::change(const Span& span, const NodeHold& hold, bool adds) {
  const std::size_t first = split_at(span.start);
  const std::size_t last = span.end == endless ? steps_.size() : split_at(span.end);
  for (std::size_t i = first; i < last; ++i)
    adds ? add_to(steps_[i].use, hold) : take_from(steps_[i].use, hold);
  if (!adds) {
    join_at(last);
    join_at(first);
  }
  note_tight();
}

const NodeView& Column::worst(const Span& span, const Access& access) const {
  const std::size_t first = step_at(span.start);
  seen_.cpus_used = 0;
  seen_.mem_used_mb = 0;
  seen_.gres_used.clear();
  seen_.jobs = 0;
  seen_.exclusive = false;
  seen_.exclusive_uid.reset();
  for (std::size_t i = first; i < steps_.size() && (i == first || steps_[i].from < span.end); ++i) {
    const Use& use = steps_[i].use;
    if (use.jobs > 0) {
      const bool is_other_user = seen_.jobs > 0 && seen_.exclusive_uid != use.user;
      seen_.exclusive = seen_.exclusive || use.whole > 0 || is_other_user;
      seen_.exclusive_uid = use.user;
    }
    const Seen seen = look(use, seen_.shape.cpus, access);
    seen_.cpus_used = std::max(seen_.cpus_used, seen.cpus_used);
    seen_.exclusive = seen_.exclusive || seen.is_taken;
    if (seen.has_others) seen_.jobs = std::max(seen_.jobs, 1U);
    seen_.mem_used_mb = std::max(seen_.mem_used_mb, use.mem_mb);
    if (!use.gres.empty()) raise_to(seen_.gres_used, use.gres);
    seen_.jobs = std::max(seen_.jobs, use.jobs);
  }
  return seen_;
}

std::optional<WallTime> Column::ready(const NodeTest& test, const NodeTest::OfKind& kind,
                                      const Access& access, WallTime from,
                                      std::optional<Duration> length, WallTime last_end) const {
  const Need& need = kind.of_tasks_min;
  if (need.cpus > seen_.shape.cpus || need.mem_mb > seen_.shape.mem_mb) return std::nullopt;
  const std::size_t steps = tight_.size();
  std::size_t first = step_at(from);
  for (WallTime at = std::max(from, tight_[first].from);; at = tight_[first].from) {
    if (at >= last_end) return last_end;
    // Where one step is too tight, no start before its end will do.
    const WallTime end = std::min(span_of(at, length).end, last_end);
    bool is_plain = test.is_plain();
    std::size_t i = first;
    for (; i < steps && (i == first || tight_[i].from < end) && !is_tight(i, need, access); ++i)
      is_plain = is_plain && tight_[i].is_plain;
    const bool has_room = i == steps || (i > first && tight_[i].from >= end);
    if (has_room && is_plain) return at;
    if (has_room) {
      const NodeView& node = worst({at, end}, access);
      if (!test.first_refusal(node, kind) &&
          task_capacity(test.shape().demand, node) >= test.tasks_min())
        return at;
    }
    first = has_room ? first + 1 : i + 1;
    if (first >= steps) return std::nullopt;
  }
}

std::optional<WallTime> Column::next_step(WallTime after) const {
  const std::size_t next = step_at(after) + 1;
  if (steps_.front().from > after) return steps_.front().from;
  return next < steps_.size() ? std::optional(steps_[next].from) : std::nullopt;
}

// --- licences ------------------------------------------------------------------------------------

LicenseColumn::LicenseColumn(const View& view, const Reserved& reserved) : all_(view.licenses) {
  steps_.push_back({view.now, view.licenses_used, {}});
  for (const ReservationView& one : reserved.all()) {
    if (one.licenses.empty()) continue;
    for (const ReservedWindow& window : one.windows) {
      if (window.end <= view.now) continue;
      const std::size_t first = split_at(window.start);
      const std::size_t last = window.end == endless ? steps_.size() : split_at(window.end);
      for (std::size_t i = first; i < last; ++i) steps_[i].reserved.push_back({&one, {}});
    }
  }
  for (const LicenseHold& hold : view.license_holds)
    for (Step& step : steps_)
      for (ReservedLicenses& own : step.reserved)
        if (own.of->name == hold.reservation) add_licenses(own.inside, hold.licenses);
  for (const LicenseHold& hold : view.license_holds)
    if (hold.until != endless)
      change({end_of(hold.until, view.now), endless}, hold.licenses, hold.reservation, false);
}

std::size_t LicenseColumn::split_at(WallTime time) {
  const std::size_t at = last_step_by(steps_, time);
  if (steps_[at].from >= time) return at;
  Step rest{time, steps_[at].used, steps_[at].reserved};
  steps_.insert(steps_.begin() + static_cast<std::ptrdiff_t>(at) + 1, std::move(rest));
  return at + 1;
}

void LicenseColumn::change(const Span& span, const std::vector<LicenseCount>& licenses,
                           const std::string& reservation, bool adds) {
  if (licenses.empty()) return;
  const std::size_t first = split_at(span.start);
  const std::size_t last = span.end == endless ? steps_.size() : split_at(span.end);
  for (std::size_t i = first; i < last; ++i) {
    adds ? add_licenses(steps_[i].used, licenses) : subtract_licenses(steps_[i].used, licenses);
    for (ReservedLicenses& own : steps_[i].reserved)
      if (own.of->name == reservation)
        adds ? add_licenses(own.inside, licenses) : subtract_licenses(own.inside, licenses);
  }
}

std::uint32_t LicenseColumn::worst(const std::string& name, const Span& span,
                                   const Access& access) const {
  std::uint32_t most = 0;
  const std::size_t first = last_step_by(steps_, span.start);
  for (std::size_t i = first; i < steps_.size() && (i == first || steps_[i].from < span.end); ++i) {
    std::uint32_t used = count_of(steps_[i].used, name);
    for (const ReservedLicenses& reserved : steps_[i].reserved) {
      const std::uint32_t kept = count_of(reserved.of->licenses, name);
      const std::uint32_t inside = count_of(reserved.inside, name);
      if (access.is_kept_out_by(*reserved.of) && kept > inside) used += kept - inside;
    }
    most = std::max(most, used);
  }
  return most;
}

bool LicenseColumn::has_room(const std::vector<LicenseCount>& wanted, const Span& span,
                             const Access& access) const {
  return std::all_of(wanted.begin(), wanted.end(), [&](const LicenseCount& want) {
    return std::uint64_t{worst(want.name, span, access)} + want.count <= count_of(all_, want.name);
  });
}

std::optional<WallTime> LicenseColumn::ready(const std::vector<LicenseCount>& wanted, WallTime from,
                                             std::optional<Duration> length,
                                             const Access& access) const {
  const auto fits = [&](WallTime start) {
    return has_room(wanted, access.clip(span_of(start, length)), access);
  };
  if (fits(from)) return from;
  for (const Step& step : steps_)
    if (step.from > from && fits(step.from)) return step.from;
  return std::nullopt;
}

// --- all nodes -----------------------------------------------------------------------------------

// The nodes at worst over one span, as one kind of job sees them.
class Timeline::Window final : public NodeUse {
 public:
  Window(const Timeline& timeline, const Access& access, const Span& span)
      : timeline_(timeline), access_(access), span_(span) {}
  const NodeView& node(NodeId id) const override { return timeline_.worst(id, span_, access_); }
  const NodeRoom* present(NodeId id) const override {
    return span_.start <= timeline_.view_.now ? &timeline_.rows_.of(id) : nullptr;
  }
  std::uint32_t kind_of(NodeId id) const override { return timeline_.rows_.of(id).kind; }
  bool is_kept(NodeId id, const JobShape& shape) const override {
    const Span moment{span_.start, span_.start + Duration{1}};
    return span_.start <= timeline_.view_.now && timeline_.find_column(id) &&
           takes_part(shape, timeline_.worst(id, moment, access_));
  }
  std::optional<Keeper> keeper_of(NodeId id, const JobShape& shape) const override {
    const std::vector<NodeWindow>* windows = timeline_.reserved_.of_node(id);
    if (!windows || !takes_part(shape, timeline_.worst(id, span_, Access::to_all())))
      return std::nullopt;
    const NodeWindow* first = nullptr;
    for (const NodeWindow& one : *windows)
      if (one.window.start < span_.end && span_.start < one.window.end &&
          access_.is_kept_out_by(*one.of) && (!first || one.window.start < first->window.start))
        first = &one;
    if (!first) return std::nullopt;
    return Keeper{first->of->name, first->window};
  }

 private:
  const Timeline& timeline_;
  const Access& access_;
  Span span_;
};

Timeline::Timeline(const View& view)
    : view_(view), rows_(view), reserved_(view), licenses_(view, reserved_) {}

const NodeOrder& Timeline::order_of(const PartitionView& partition) const {
  const auto known = orders_.find(&partition);
  if (known != orders_.end()) return known->second;
  NodeOrder order;
  for (std::size_t i = 0; i < partition.nodes.size(); ++i)
    if (const WallTime end = rows_.of(partition.nodes[i]).first_end; end != endless)
      order.push_back({end, i});
  std::sort(order.begin(), order.end());
  return orders_.emplace(&partition, std::move(order)).first->second;
}

Column* Timeline::find_column(NodeId id) const {
  return id.value < columns_.size() ? columns_[id.value].get() : nullptr;
}

const NodeHolds* Timeline::holds_of(NodeId id) const {
  const NodeHolds* holds = view_.holds.find(id.value);
  return holds && !holds->empty() ? holds : nullptr;
}

Column& Timeline::make_column(NodeId id) const {
  static const NodeHolds nothing;
  if (Column* known = find_column(id)) return *known;
  if (id.value >= columns_.size()) columns_.resize(id.value + 1);
  const NodeHolds* holds = holds_of(id);
  columns_[id.value] = std::make_unique<Column>(
      *view_.nodes.find(id.value), holds ? *holds : nothing, reserved_.of_node(id), view_.now);
  return *columns_[id.value];
}

const NodeView& Timeline::worst(NodeId id, const Span& span, const Access& access) const {
  if (const Column* column = find_column(id)) return column->worst(span, access);
  if (reserved_.of_node(id)) return make_column(id).worst(span, access);
  // Nothing is booked: what is held only falls from now on.
  if (span.start <= view_.now || !holds_of(id)) return *view_.nodes.find(id.value);
  return make_column(id).worst(span, access);
}

namespace {

// The partition, or what of its nodes the job's reservation has, which is kept in `part`.
const PartitionView& usable_of(const PartitionView& partition, const Access& access,
                               PartitionView& part) {
  const ReservationView* own = access.own();
  if (!own || own->flexible || own->any_nodes) return partition;
  part = {
      .name = partition.name, .nodes = {}, .up = partition.up, .exclusive = partition.exclusive};
  for (NodeId id : partition.nodes)
    if (access.may_use(id)) part.nodes.push_back(id);
  return part;
}

// Nothing of the partition will do before the reservation's next window.
Fit closed_until(const std::string& reservation, std::optional<WallTime> opens,
                 const PartitionView& partition) {
  Fit fit;
  fit.opens_later = reservation;
  fit.ruled_out.push_back(
      {opens ? fmt::format("reservation {} starts at {}", reservation, utc_text(*opens))
             : fmt::format("reservation {} is over", reservation),
       static_cast<std::uint32_t>(partition.nodes.size())});
  return fit;
}

}  // namespace

Fit Timeline::fit_at(const NodeTest& test, const PartitionView& partition, const Span& span) const {
  const JobShape& shape = test.shape();
  const Access access = reserved_.access_of(shape.reservation);
  if (const auto opens = access.admitted(span.start); opens != span.start)
    return closed_until(shape.reservation, opens, partition);
  PartitionView kept;
  const PartitionView& part = usable_of(partition, access, kept);
  Fit fit = find_nodes(test, part, Window(*this, access, access.clip(span)));
  if (part.nodes.size() < partition.nodes.size())
    fit.ruled_out.push_back(
        {fmt::format("not in reservation {}", shape.reservation),
         static_cast<std::uint32_t>(partition.nodes.size() - part.nodes.size())});
  return fit;
}

std::optional<WallTime> Timeline::ready(NodeId id, const NodeTest& test, WallTime from,
                                        std::optional<Duration> length) const {
  const NodeView& node = *view_.nodes.find(id.value);
  const NodeTest::OfKind& kind = test.of_kind(node, rows_.of(id).kind);
  if (test.lasting_refusal(node, kind)) return std::nullopt;
  const JobShape& shape = test.shape();
  const Access access = reserved_.access_of(shape.reservation);
  if (!access.may_use(id)) return std::nullopt;
  const bool changes = find_column(id) || holds_of(id) || reserved_.of_node(id);
  if (!changes && (test.first_refusal(node, kind) ||
                   task_capacity(shape.demand, node) < test.tasks_min()))
    return std::nullopt;
  for (auto at = access.admitted(from); at; at = access.admitted(*at)) {
    if (!changes) return at;
    const auto found =
        make_column(id).ready(test, kind, access, *at, length, access.last_end(*at));
    if (!found || *found == *at) return found;
    at = found;
  }
  return std::nullopt;
}

// The first moment from `from` on, or after it where that was tried in vain, at which the job may
// fit: enough nodes can take a part of it by then, each that it names, and the licences are there.
std::optional<WallTime> Timeline::next_chance(const NodeTest& test, const PartitionView& partition,
                                              WallTime from, std::optional<Duration> length,
                                              bool was_tried) const {
  const JobShape& shape = test.shape();
  const Access access = reserved_.access_of(shape.reservation);
  std::optional<WallTime> bound = licenses_.ready(shape.demand.licenses, from, length, access);
  if (!bound) return std::nullopt;
  std::vector<WallTime> times;
  WallTime soonest = endless;
  PartitionView kept;
  for (NodeId id : usable_of(partition, access, kept).nodes) {
    const auto at = ready(id, test, from, length);
    const auto& named = shape.placement.nodelist;
    if (!named.empty() &&
        std::find(named.begin(), named.end(), view_.nodes.find(id.value)->name) != named.end()) {
      if (!at) return std::nullopt;
      bound = std::max(*bound, *at);
    }
    if (at) times.push_back(*at);
    if (at && *at > from) soonest = std::min(soonest, *at);
    const Column* column = find_column(id);
    if (at && *at == from && column)
      soonest = std::min(soonest, column->next_step(from).value_or(endless));
  }
  const std::size_t needed = std::max(1U, shape.demand.nodes_min);
  if (times.size() < needed) return std::nullopt;
  const auto last_needed = times.begin() + static_cast<std::ptrdiff_t>(needed) - 1;
  std::nth_element(times.begin(), last_needed, times.end());
  bound = std::max(*bound, *last_needed);
  if (*bound > from || !was_tried) return bound;
  return soonest != endless ? std::optional(soonest) : std::nullopt;
}

std::optional<Slot> Timeline::earliest(const JobShape& shape, const PartitionView& partition,
                                       WallTime from, std::optional<Duration> length) const {
  const Access access = reserved_.access_of(shape.reservation);
  const NodeTest test(shape);
  for (bool was_tried = false;; was_tried = true) {
    const auto at = next_chance(test, partition, from, length, was_tried);
    if (!at) return std::nullopt;
    const Span span = span_of(*at, length);
    if (licenses_.has_room(shape.demand.licenses, access.clip(span), access))
      if (Fit fit = fit_at(test, partition, span); fit.ok()) return Slot{*at, std::move(fit)};
    from = *at;
  }
}

bool Timeline::has_room(const JobShape& shape, const Booking& booking) const {
  const Access access = reserved_.access_of(booking.reservation);
  if (access.admitted(booking.span.start) != booking.span.start) return false;
  const Span span = access.clip(booking.span);
  if (!licenses_.has_room(booking.demand->licenses, span, access)) return false;
  for (std::size_t i = 0; i < booking.nodes.size(); ++i)
    if (!access.may_use(booking.nodes[i]) ||
        !can_take(shape, worst(booking.nodes[i], span, access), booking.shares[i]))
      return false;
  return true;
}

void Timeline::change(const Booking& booking, bool adds) {
  const Span span = reserved_.access_of(booking.reservation).clip(booking.span);
  licenses_.change(span, booking.demand->licenses, booking.reservation, adds);
  for (std::size_t i = 0; i < booking.nodes.size(); ++i) {
    const NodeShare& share = booking.shares[i];
    const NodeHold hold{.job = {},
                        .until = {},
                        .cpus = share.cpus,
                        .mem_mb = share.mem_mb,
                        .gres = share.gres,
                        .exclusive = booking.demand->exclusive,
                        .exclusive_uid = booking.demand->exclusive_uid,
                        .reservation = booking.reservation};
    Column& column = make_column(booking.nodes[i]);
    adds ? column.add(span, hold) : column.remove(span, hold);
    if (!adds) cancelled_.push_back(booking.nodes[i]);
  }
}

}  // namespace sluice
