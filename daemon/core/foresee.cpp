// foresee.cpp: see foresee.h.
#include "daemon/core/foresee.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/base/hostlist.h"
#include "daemon/core/dependency.h"
#include "daemon/core/listing.h"
#include "daemon/core/priority.h"
#include "daemon/core/shapes.h"
#include "daemon/sched/plan.h"

namespace sluice {
namespace {

constexpr std::uint32_t class_id_of_nobody = UINT32_MAX;

// What keeps the job whatever the nodes are doing; Reason::None: nothing does.
Wait own_wait_of(const JobRecord& record) {
  if (record.hold != Hold::none)
    return {record.hold == Hold::admin ? Reason::JobHeldAdmin : Reason::JobHeldUser,
            "it is held; scontrol release lets it go"};
  if (!record.dependency.terms.empty())
    return {Reason::Dependency, fmt::format("waits for {}", dependency_text(record.dependency))};
  return {};
}

std::string nodes_of(const std::vector<NodeShare>& shares) {
  std::vector<std::string> names;
  for (const NodeShare& share : shares) names.push_back(share.node);
  return compress_hostlist(names);
}

std::uint32_t cpus_of(const std::vector<NodeShare>& shares) {
  std::uint32_t cpus = 0;
  for (const NodeShare& share : shares) cpus += share.cpus;
  return cpus;
}

// Others were told to end for it: it starts when they are gone.
PlannedStart by_claim(const Claim& claim, const std::optional<TimeLimit>& limit) {
  return {.partition = claim.partition,
          .reservation = claim.reservation,
          .start = claim.free_by,
          .nodes = nodes_of(claim.allocation.shares),
          .node_count = static_cast<std::uint32_t>(claim.allocation.shares.size()),
          .cpus = cpus_of(claim.allocation.shares),
          .time_limit = limit,
          .reason = Reason::Resources,
          .detail = fmt::format("{} jobs were told to end for it", claim.victims.size())};
}

}  // namespace

std::shared_ptr<const Outlook> make_outlook(State& state, const Now& now) {
  return std::make_shared<const Outlook>(
      Outlook{state.make_view(now), state.config, state.reservations, state.limit_rules,
              state.limits_held, state.limits_submitted, state.ranking});
}

// One job as the planner is shown it.
struct Foresight::Subject {
  ClassView of;
  WallTime from;
  PlannedStart base;  // what is known before: all of it where it may not be planned
  bool is_plannable = true;
};

Foresight::Foresight(const Outlook& outlook, JobId job)
    : outlook_(outlook), others_(without_job(outlook.view, job)) {}

Foresight::Subject Foresight::make_subject(const SupposedJob& candidate,
                                           const std::vector<PartitionChoice>* choices) const {
  const Site site(outlook_);
  const JobRecord& record = candidate.record;
  Subject subject;
  subject.from = std::max(now(), record.times.begin.value_or(now()));
  const auto close = [&](Reason reason, std::string detail) {
    subject.base.reason = reason;
    subject.base.detail = std::move(detail);
    subject.is_plannable = false;
  };
  subject.base.partition = choices ? choices->front().partition : record.partition;
  subject.base.time_limit = choices ? choices->front().time_limit : record.time_limit;
  subject.base.cpus = record.demand.ntasks * record.demand.cpus_per_task;
  if (!record.claims.empty()) {
    subject.base = by_claim(record.claims.front(), record.time_limit);
    subject.is_plannable = false;
    return subject;
  }
  if (Wait wait = own_wait_of(record); wait.reason != Reason::None) {
    close(wait.reason, std::move(wait.detail));
    return subject;
  }
  OpenChoices open = open_choices(site, record, candidate.spec);
  if (open.choices.empty()) {
    close(open.wait.reason, std::move(open.wait.detail));
    return subject;
  }
  ClassShapes of = shapes_of(site, candidate.spec, choices ? *choices : open.choices);
  std::optional<LimitHit> first_hit;
  bool is_open = of.subjects.empty();
  for (std::size_t i = 0; i < of.subjects.size(); ++i) {
    auto hit = check_start(*outlook_.limit_rules, outlook_.limits_held, of.subjects[i],
                           least_amounts_of(of.shapes[i]));
    subject.of.shut.push_back(hit.has_value());
    is_open = is_open || !hit;
    if (hit && !first_hit) first_hit = std::move(hit);
  }
  if (!is_open) close(first_hit->reason, first_hit->word + ": " + first_hit->detail);
  const std::uint32_t tier = tier_of(site.config, of.shapes.front().partition);
  subject.of.class_id = class_id_of_nobody;
  subject.of.shapes = std::make_shared<const JobShapes>(std::move(of.shapes));
  subject.of.heads = {PendingJob{record.id, in_line(tier, priority_of(*outlook_.ranking, record)),
                                 1, record.times.submitted}};
  return subject;
}

namespace {

PlannedStart told(PlannedStart base, const ClassView& of, WallTime from, WallTime now,
                  const std::optional<Foreseen>& found) {
  if (!found) {
    base.reason = Reason::Resources;
    base.detail = "what it needs is away, or is held without a time limit";
    return base;
  }
  const JobShape& shape = (*of.shapes)[found->shape];
  base.partition = shape.partition;
  base.reservation = shape.reservation;
  base.start = found->start;
  base.nodes = nodes_of(found->shares);
  base.node_count = static_cast<std::uint32_t>(found->shares.size());
  base.cpus = cpus_of(found->shares);
  base.time_limit = found->time_limit;
  if (found->start <= now) return base;
  const bool waits_for_begin = found->start == from;
  base.reason = waits_for_begin ? Reason::BeginTime : Reason::Resources;
  base.detail = waits_for_begin ? "--begin: not before then"
                                : "by the time limits of what runs and of what goes first";
  return base;
}

}  // namespace

PlannedStart Foresight::plan(const Subject& subject, const View& view) const {
  if (!subject.is_plannable) return subject.base;
  return told(subject.base, subject.of, subject.from, now(),
              foresee(view, subject.of, subject.from));
}

PlannedStart Foresight::start_of(const SupposedJob& candidate, bool keeps_promise) const {
  const Subject subject = make_subject(candidate);
  if (keeps_promise || !others_.promises) return plan(subject, others_);
  View view = others_;
  auto promises = std::make_shared<Promises>(*others_.promises);
  std::erase_if(*promises, [&](const Promise& row) { return row.job == candidate.record.id; });
  view.promises = std::move(promises);
  return plan(subject, view);
}

std::vector<PlannedStart> Foresight::starts_of(const SupposedJob& candidate) const {
  constexpr std::size_t partitions_max = 8;  // each costs a pass
  const Subject all = make_subject(candidate);
  if (!all.is_plannable) return {all.base};
  const OpenChoices open = open_choices(Site(outlook_), candidate.record, candidate.spec);
  std::vector<PlannedStart> starts;
  for (const PartitionChoice& choice : open.choices) {
    if (starts.size() == partitions_max) break;
    const std::vector<PartitionChoice> alone{choice};
    starts.push_back(plan(make_subject(candidate, &alone), others_));
  }
  for (const Standing& closed : open.closed)
    starts.push_back({.partition = closed.choice.partition,
                      .time_limit = closed.choice.time_limit,
                      .reason = closed.wait.reason,
                      .detail = closed.wait.detail});
  std::stable_sort(starts.begin(), starts.end(), [](const PlannedStart& a, const PlannedStart& b) {
    return a.start.value_or(endless) < b.start.value_or(endless);
  });
  return starts;
}

PlannedStart Foresight::quick_start_of(const SupposedJob& candidate) const {
  const Subject subject = make_subject(candidate);
  if (!subject.is_plannable) return subject.base;
  if (!beside_others_) {
    plan_of_others_ = std::make_unique<const Plan>(make_plan(others_, 1U << 17));
    beside_others_ = std::make_unique<const Others>(others_, *plan_of_others_);
  }
  return told(subject.base, subject.of, subject.from, now(),
              beside_others_->earliest(subject.of, subject.from));
}

}  // namespace sluice
