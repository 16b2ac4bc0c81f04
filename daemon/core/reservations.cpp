// reservations.cpp: reservations as they are made, changed, deleted, and as their windows come and
// go.
#include "daemon/core/reservations.h"

#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"
#include "daemon/core/reservation_nodes.h"

namespace sluice {
namespace {

using Map = std::map<std::string, Reservation>;

// How far ahead a recurring reservation is planned around; what lies behind counts as reserved.
constexpr std::size_t windows_ahead = 14;

ReservationView make_view(const State& state, const Reservation& reservation, const Now& now) {
  ReservationView view{.name = reservation.name,
                       .windows = {},
                       .nodes = {},
                       .cpus = {},
                       .licenses = reservation.licenses,
                       .over_run = {}};
  auto window = window_at(reservation, now.wall);
  for (; window && view.windows.size() < windows_ahead; window = window_after(reservation, *window))
    view.windows.push_back(*window);
  if (window) view.windows.back().end = endless;
  std::map<NodeId, std::uint32_t> nodes;
  for (std::size_t i = 0; i < reservation.nodes.size(); ++i)
    if (const auto at = state.node_ids.find(reservation.nodes[i]); at != state.node_ids.end())
      nodes[at->second] = reservation.cores.empty() ? 0 : reservation.cores[i];
  for (const auto& [id, cpus] : nodes) {
    view.nodes.push_back(id);
    if (!reservation.cores.empty()) view.cpus.push_back(cpus);
  }
  view.maintenance = has_flag(reservation, ReservationFlag::MAINT);
  view.overlaps = has_flag(reservation, ReservationFlag::OVERLAP);
  view.flexible = has_flag(reservation, ReservationFlag::FLEX);
  view.any_nodes = has_flag(reservation, ReservationFlag::ANY_NODES);
  const TimeLimit& over_run = state.config->timeouts.resv_over_run;
  if (!over_run.unlimited) view.over_run = std::chrono::minutes{over_run.minutes};
  return view;
}

void show_planner(State& state, const Now& now) {
  auto views = std::make_shared<std::vector<ReservationView>>();
  for (const auto& [name, reservation] : *state.reservations)
    views->push_back(make_view(state, reservation, now));
  state.reservation_views = std::move(views);
  state.plan_wanted = true;
  state.reservations_version = ++state.version;
}

void put(State& state, const Reservation& reservation, const Now& now) {
  Map changed = *state.reservations;
  changed[reservation.name] = reservation;
  state.reservations = std::make_shared<const Map>(std::move(changed));
  state.extra.reservations.push_back(reservation);
  std::erase(state.extra.reservations_removed, reservation.name);
  state.reservations_used_at.erase(reservation.name);  // PURGE_COMP counts anew in another window
  show_planner(state, now);
}

template <class Visit>
void for_each_run_in(const State& state, const std::string& name, Visit visit) {
  std::vector<JobId> runs;
  state.jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
    if (holds_resources(entry.record.state) && entry.record.reservation == name)
      runs.push_back(JobId{id});
    return true;
  });
  for (JobId id : runs) visit(id);
}

bool names(const JobSpec& spec, const std::string& reservation) {
  const auto& list = spec.placement.reservations;
  return std::find(list.begin(), list.end(), reservation) != list.end();
}

std::vector<JobId> waiting_for(const State& state, const std::string& name) {
  std::vector<JobId> waiting;
  state.jobs.for_each([&](std::uint32_t id, const JobEntry& entry) {
    if (entry.record.state == JobState::pending && names(*entry.spec, name))
      waiting.push_back(JobId{id});
    return true;
  });
  return waiting;
}

void take_away(State& state, const std::string& name, const Now& now) {
  const bool keeps_going =
      has_flag(state.reservations->at(name), ReservationFlag::NO_HOLD_JOBS_AFTER);
  Map changed = *state.reservations;
  changed.erase(name);
  state.reservations = std::make_shared<const Map>(std::move(changed));
  std::erase_if(state.extra.reservations, [&](const Reservation& row) { return row.name == name; });
  state.extra.reservations_removed.push_back(name);
  state.reservations_used_at.erase(name);
  show_planner(state, now);
  for (JobId id : waiting_for(state, name)) {
    state.dequeue(id);
    drop_lost_reservations(state, id, keeps_going);
    settle_pending(state, id, now);
  }
}

// --- what is asked -------------------------------------------------------------------------------

Result<void> change_list(ReservedFor& list, const std::optional<ReservedForChange>& wanted) {
  if (!wanted) return {};
  if (wanted->change == ListChange::set) {
    list = wanted->list;
    return {};
  }
  if (wanted->change == ListChange::add) {
    if (list.names.empty()) list.is_negated = wanted->list.is_negated;
    // Among the others the name would mean the contrary of what was said.
    if (list.is_negated != wanted->list.is_negated)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{} is a list of {}; say all of it anew", fmt::join(list.names, ","),
                               list.is_negated ? "whom it is not for" : "whom it is for")};
  }
  for (const std::string& name : wanted->list.names) {
    std::erase(list.names, name);
    if (wanted->change == ListChange::add) list.names.push_back(name);
  }
  return {};
}

void change_flags(Reservation& reservation, const ChangeReservation& request) {
  auto& flags = reservation.flags;
  for (ReservationFlag flag : request.flags_removed) std::erase(flags, flag);
  flags.insert(flags.end(), request.flags_added.begin(), request.flags_added.end());
  std::sort(flags.begin(), flags.end());
  flags.erase(std::unique(flags.begin(), flags.end()), flags.end());
  if (request.purge_comp_s) reservation.purge_comp_s = request.purge_comp_s;
  if (!has_flag(reservation, ReservationFlag::PURGE_COMP)) reservation.purge_comp_s.reset();
}

void change_window(Reservation& reservation, const ChangeReservation& request) {
  ReservedWindow window = reservation.window;
  const Duration length = window.end - window.start;
  if (request.start) window = {*request.start, *request.start + length};
  if (request.duration_s) window.end = window.start + std::chrono::seconds{*request.duration_s};
  if (request.end) window.end = *request.end;
  if (window == reservation.window) return;
  reservation.window = window;
  reservation.first = window;
}

// What began long ago may still be changed; only a start that is said must not be so old.
Result<void> check_window(const Reservation& reservation, bool is_start_new, const Now& now) {
  constexpr std::chrono::hours past_max{24};
  const ReservedWindow& window = reservation.window;
  const auto refused = [](std::string text) {
    return Error{ErrorCode::invalid_time, std::move(text)};
  };
  constexpr std::chrono::hours ahead_max{24 * 366 * 100};  // far from where times overflow
  if (window.start > now.wall + ahead_max || window.end > now.wall + 2 * ahead_max)
    return refused("it would be more than a hundred years away");
  if (window.end <= window.start)
    return refused(fmt::format("it would end at {}, not after its start {}", utc_text(window.end),
                               utc_text(window.start)));
  if (is_start_new && window.start < now.wall - past_max)
    return refused(fmt::format("its start {} is more than a day ago", utc_text(window.start)));
  if (window.end <= now.wall)
    return refused(fmt::format("its end {} has passed", utc_text(window.end)));
  const auto period = period_of(reservation);
  if (period && window.end - window.start > *period)
    return refused("a window is longer than the time until the next one");
  return {};
}

Result<void> check_flags(const Reservation& reservation) {
  constexpr ReservationFlag recurring[] = {ReservationFlag::HOURLY, ReservationFlag::DAILY,
                                           ReservationFlag::WEEKDAY, ReservationFlag::WEEKEND,
                                           ReservationFlag::WEEKLY};
  const auto count =
      std::count_if(std::begin(recurring), std::end(recurring),
                    [&](ReservationFlag flag) { return has_flag(reservation, flag); });
  if (count > 1)
    return Error{ErrorCode::invalid_argument,
                 "one of HOURLY, DAILY, WEEKDAY, WEEKEND and WEEKLY, not several"};
  return {};
}

Result<void> check_users(const Reservation& reservation) {
  if (!reservation.users.names.empty() && !reservation.groups.names.empty())
    return Error{ErrorCode::invalid_argument, "Users and Groups exclude each other"};
  if (reservation.users.names.empty() && reservation.groups.names.empty() &&
      reservation.accounts.names.empty())
    return Error{ErrorCode::invalid_argument,
                 "it would be for nobody: say Users, Groups or Accounts"};
  return {};
}

Result<void> check_partitions_named(const State& state, const Reservation& reservation) {
  for (const std::string& name : reservation.allowed_partitions.names)
    if (!state.find_partition(name)) return Error{ErrorCode::invalid_partition, name};
  return {};
}

// "USER_1": after the first account or user it is for.
std::string made_up_name(const State& state, const Reservation& reservation) {
  const auto& lists = {reservation.accounts, reservation.users, reservation.groups};
  std::string stem = "resv";
  for (const ReservedFor& list : lists)
    if (!list.names.empty()) {
      stem = list.names.front();
      break;
    }
  for (std::uint32_t number = 1;; ++number) {
    std::string name = fmt::format("{}_{}", stem, number);
    if (!state.reservations->contains(name)) return name;
  }
}

Result<void> check_name(const State& state, const std::string& name) {
  if (state.reservations->contains(name)) return Error{ErrorCode::reservation_duplicate, ""};
  constexpr std::string_view refused = " ,'\"*\t\n";
  constexpr std::size_t name_bytes_max = 255;
  if (name.find_first_of(refused) != std::string::npos)
    return Error{ErrorCode::reservation_invalid,
                 fmt::format("'{}' has a blank, a comma, a quote or a star in it", name)};
  if (name.size() > name_bytes_max)
    return Error{ErrorCode::reservation_invalid,
                 fmt::format("a name of {} bytes exceeds {}", name.size(), name_bytes_max)};
  return {};
}

Result<void> apply_request(Reservation& reservation, const ChangeReservation& request) {
  change_window(reservation, request);
  change_flags(reservation, request);
  TRY(change_list(reservation.users, request.users));
  TRY(change_list(reservation.accounts, request.accounts));
  TRY(change_list(reservation.groups, request.groups));
  TRY(change_list(reservation.allowed_partitions, request.allowed_partitions));
  if (request.groups) reservation.group_members = request.group_members;
  if (request.features) reservation.features = *request.features;
  if (request.partition) reservation.partition = *request.partition;
  if (request.max_start_delay_s)
    return Error{ErrorCode::not_supported, "MaxStartDelay (jobs never delay a reservation)"};
  return {};
}

Result<Reservation> plan_reservation(const State& state, Reservation reservation,
                                     const ChangeReservation& request, const Now& now) {
  const Reservation before = reservation;
  TRY(apply_request(reservation, request));
  TRY(check_flags(reservation));
  TRY(check_window(reservation, request.start.has_value(), now));
  TRY(check_users(reservation));
  TRY(check_partitions_named(state, reservation));
  // Who it is for may change whatever runs there.
  const bool is_elsewhere =
      request.amount != ReservedAmount{} || reservation.window != before.window ||
      reservation.flags != before.flags || reservation.partition != before.partition;
  if (is_elsewhere) TRY(choose_resources(state, request.amount, reservation));
  return reservation;
}

Result<Reservation> plan_creation(const State& state, const ReservationChanged& event,
                                  const Now& now) {
  const ChangeReservation& request = event.request;
  if (!request.start || (!request.end && !request.duration_s))
    return Error{ErrorCode::invalid_time, "it needs a start, and an end or a duration"};
  Reservation reservation;
  reservation.name = request.name;
  reservation.created_by_uid = event.caller.uid;
  TRY(check_name(state, request.name));
  reservation = TRY(plan_reservation(state, std::move(reservation), request, now));
  if (reservation.name.empty()) reservation.name = made_up_name(state, reservation);
  return reservation;
}

// Nodes with runs of the reservation cannot leave it.
Result<void> check_runs_stay(const State& state, const Reservation& reservation) {
  Result<void> result;
  if (has_flag(reservation, ReservationFlag::FLEX) ||
      has_flag(reservation, ReservationFlag::ANY_NODES))
    return result;
  for_each_run_in(state, reservation.name, [&](JobId id) {
    for (const RunPart& part : state.job(id).parts)
      if (std::find(reservation.nodes.begin(), reservation.nodes.end(), part.node) ==
          reservation.nodes.end())
        result = Error{ErrorCode::reservation_in_use,
                       fmt::format("job {} of it runs on {}", id.value, part.node)};
  });
  return result;
}

Result<std::string> create(State& state, const ReservationChanged& event, const Now& now) {
  const Reservation made = TRY(plan_creation(state, event, now));
  put(state, made, now);
  return made.name;
}

Result<std::string> update(State& state, const ReservationChanged& event, const Now& now) {
  const auto known = state.reservations->find(event.request.name);
  if (known == state.reservations->end()) return Error{ErrorCode::reservation_invalid, ""};
  const Reservation changed = TRY(plan_reservation(state, known->second, event.request, now));
  TRY(check_runs_stay(state, changed));
  put(state, changed, now);
  for_each_run_in(state, changed.name, [&](JobId id) { state.expect_end(state.job(id), now); });
  for (JobId id : waiting_for(state, changed.name)) settle_pending(state, id, now);
  return changed.name;
}

Result<std::string> remove(State& state, const ReservationChanged& event, const Now& now) {
  const std::string name = event.request.name;
  if (!state.reservations->contains(name)) return Error{ErrorCode::reservation_invalid, ""};
  Result<void> is_free;
  for_each_run_in(state, name, [&](JobId id) {
    is_free = Error{ErrorCode::reservation_in_use, fmt::format("job {} runs in it", id.value)};
  });
  TRY(is_free);
  take_away(state, name, now);
  return name;
}

struct ActionRow {
  ReservationAction action;
  Result<std::string> (*act)(State&, const ReservationChanged&, const Now&);
  const char* audit_kind;
};
constexpr ActionRow actions[] = {
    {ReservationAction::create, create, "reservation_created"},
    {ReservationAction::update, update, "reservation_updated"},
    {ReservationAction::remove, remove, "reservation_deleted"},
};

// --- windows that come and go --------------------------------------------------------------------

bool is_used(const State& state, const std::string& name) {
  bool used = false;
  state.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
    const JobRecord& record = entry.record;
    used = (record.state == JobState::pending && names(*entry.spec, name)) ||
           (holds_resources(record.state) && record.reservation == name);
    return !used;
  });
  return used;
}

// A recurring one goes on with its next window, any other is over.
void go_on(State& state, const Reservation& reservation, WallTime from, const Now& now) {
  Reservation next = reservation;
  auto window = window_after(reservation, reservation.window);
  while (window && window->end <= from) window = window_after(reservation, *window);
  if (!window) return take_away(state, reservation.name, now);
  next.window = *window;
  put(state, next, now);
}

// PURGE_COMP: nobody used it for so long.
bool is_idle_for_long(State& state, const Reservation& reservation, const Now& now) {
  if (!reservation.purge_comp_s || now.wall < reservation.window.start) return false;
  SteadyTime& used_at =
      state.reservations_used_at.try_emplace(reservation.name, now.steady).first->second;
  if (is_used(state, reservation.name)) used_at = now.steady;
  return now.steady - used_at >= std::chrono::seconds{*reservation.purge_comp_s};
}

// The runs of a window that is over have so long to go on.
bool ends_runs(State& state, const Reservation& reservation, const Now& now, Effects& out) {
  const auto end = end_of_reservation(state, reservation.name);
  std::vector<JobId> running;
  for_each_run_in(state, reservation.name, [&](JobId id) { running.push_back(id); });
  if (!end || running.empty()) return true;
  if (now.wall < *end) return false;
  const Cause cause{CauseKind::time_limit, std::nullopt,
                    fmt::format("its reservation {} ended at {}", reservation.name,
                                utc_text(reservation.window.end))};
  for (JobId id : running)
    if (state.job(id).state != JobState::completing) end_run(state, id, cause, now, out);
  return true;
}

void look_at(State& state, const Reservation& reservation, const Now& now, Effects& out) {
  if (reservation.window.end <= now.wall) {
    if (ends_runs(state, reservation, now, out)) go_on(state, reservation, now.wall, now);
  } else if (is_idle_for_long(state, reservation, now)) {
    audit(state, now, "reservation_purged", {}, "", 0, reservation.name);
    go_on(state, reservation, reservation.window.end, now);
  }
}

// The wall clock may have been set back, too.
bool began_since(const Reservation& reservation, std::optional<WallTime> looked_at, WallTime now) {
  if (!looked_at || now < *looked_at) return true;
  return *looked_at < reservation.window.start && reservation.window.start <= now;
}

}  // namespace

void on_reservation_changed(State& state, const ReservationChanged& event, const Now& now,
                            Effects& out) {
  if (!event.caller.is_admin)
    return out.refuse(event.from,
                      {ErrorCode::access_denied,
                       fmt::format("uid {} is not an administrator", event.caller.uid)});
  for (const ActionRow& row : actions) {
    if (row.action != event.request.action) continue;
    const Result<std::string> done = row.act(state, event, now);
    if (!done) return out.refuse(event.from, done.error());
    audit(state, now, row.audit_kind, {}, "", event.caller.uid, *done);
    out.reply(event.from, ReservationChangedReply{*done});
  }
}

void look_at_reservations(State& state, const Now& now, Effects& out) {
  const auto looked_at = state.reservations_looked_at;
  state.reservations_looked_at = now.wall;
  const std::shared_ptr<const Map> all = state.reservations;  // a copy: it changes in the loop
  bool has_begun = false;
  for (const auto& [name, reservation] : *all) {
    has_begun = has_begun || began_since(reservation, looked_at, now.wall);
    look_at(state, reservation, now, out);
  }
  if (has_begun) show_planner(state, now);
}

std::optional<WallTime> next_reservation_change(const State& state, WallTime now) {
  std::optional<WallTime> next;
  const auto note = [&](WallTime at) { next = std::min(next.value_or(at), std::max(at, now)); };
  for (const auto& [name, reservation] : *state.reservations) {
    if (now < reservation.window.start) note(reservation.window.start);
    else if (now < reservation.window.end) note(reservation.window.end);
    else note(end_of_reservation(state, name).value_or(reservation.window.end));
  }
  return next;
}

void load_reservations(State& state, const std::vector<Reservation>& loaded, const Now& now) {
  Map all;
  for (const Reservation& reservation : loaded) all[reservation.name] = reservation;
  state.reservations = std::make_shared<const Map>(std::move(all));
  refresh_reservations(state, now);  // the configuration may have changed while we were down
}

void refresh_reservations(State& state, const Now& now) {
  const std::shared_ptr<const Map> all = state.reservations;
  for (const auto& [name, reservation] : *all) {
    Reservation changed = reservation;
    const PartitionConfig* partition = state.find_partition(reservation.partition);
    if (has_flag(reservation, ReservationFlag::ALL_NODES)) {
      changed.nodes.clear();
      for (const NodeConfig& node : state.config->nodes) changed.nodes.push_back(node.name);
    } else if (has_flag(reservation, ReservationFlag::PART_NODES) && partition) {
      changed.nodes = partition->nodes;
    }
    if (changed != reservation) put(state, changed, now);
  }
  show_planner(state, now);
}

Result<void> check_reservations(const Site& site, const JobSpec& spec) {
  const std::vector<std::string>& list = spec.placement.reservations;
  for (const std::string& name : list)
    if (!site.reservations.contains(name)) {
      std::string known;
      for (const auto& [other, reservation] : site.reservations)
        known += (known.empty() ? "" : ", ") + other;
      return Error{
          ErrorCode::reservation_invalid,
          fmt::format("there is no {} (there are: {})", name, known.empty() ? "none" : known)};
    }
  std::vector<std::string> partitions = spec.placement.partitions;
  if (partitions.empty())
    for (const PartitionConfig& partition : site.config.partitions)
      if (partition.is_default) partitions.push_back(partition.name);
  const bool may =
      list.empty() ||
      std::any_of(partitions.begin(), partitions.end(), [&](const std::string& partition) {
        return !usable_reservations(site, spec, partition).empty();
      });
  if (may) return {};
  return Error{ErrorCode::reservation_access,
               fmt::format("{} does not let in user {}, account {}, group {} from partition {}",
                           fmt::join(list, ","), spec.user.empty() ? "(none)" : spec.user,
                           spec.account.empty() ? "(none)" : spec.account,
                           spec.group.empty() ? "(none)" : spec.group, fmt::join(partitions, ","))};
}

std::vector<std::string> usable_reservations(const Site& site, const JobSpec& spec,
                                             const std::string& partition) {
  std::vector<std::string> usable;
  for (const std::string& name : spec.placement.reservations) {
    const auto at = site.reservations.find(name);
    const bool is_known = std::find(usable.begin(), usable.end(), name) != usable.end();
    if (!is_known && at != site.reservations.end() && lets_in(at->second, spec, partition))
      usable.push_back(name);
  }
  return usable;
}

void drop_lost_reservations(State& state, JobId id, bool keeps_going) {
  const std::vector<std::string>& list = state.spec(id).placement.reservations;
  const auto is_lost = [&](const std::string& name) { return !state.reservations->contains(name); };
  if (std::none_of(list.begin(), list.end(), is_lost)) return;
  JobSpec spec = state.spec(id);
  const std::string before = fmt::format("{}", fmt::join(list, ","));
  std::erase_if(spec.placement.reservations, is_lost);
  const bool has_none = spec.placement.reservations.empty();
  state.change_spec(id, state.intern(spec));
  if (!has_none || keeps_going || state.job(id).hold != Hold::none) return;
  JobRecord& record = state.edit_job(id);
  record.hold = Hold::user;
  record.priority = 0;
  record.reason = Reason::ReservationDeleted;
  record.reason_detail =
      fmt::format("reservation {} is over or was deleted; scontrol release {} lets it run without",
                  before, id.value);
}

std::optional<WallTime> end_of_reservation(const State& state, const std::string& name) {
  const auto at = state.reservations->find(name);
  const TimeLimit& over_run = state.config->timeouts.resv_over_run;
  if (at == state.reservations->end() || over_run.unlimited ||
      has_flag(at->second, ReservationFlag::FLEX))
    return std::nullopt;
  return at->second.window.end + std::chrono::minutes{over_run.minutes};
}

}  // namespace sluice
