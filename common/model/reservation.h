// reservation.h: nodes, cores or licences kept for some over a span of time, as scontrol keeps
// them. Names of members are Slurm's option words. Pure but for the local time zone (TZ), by which
// a recurring window keeps its time of day.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/time.h"
#include "common/model/licenses.h"
#include "common/model/request.h"

namespace sluice {

// In the order in which Slurm shows them.
BOOST_DEFINE_ENUM_CLASS(ReservationFlag, MAINT, OVERLAP, IGNORE_JOBS, HOURLY, DAILY, WEEKDAY,
                        WEEKEND, WEEKLY, SPEC_NODES, ALL_NODES, ANY_NODES, PART_NODES, FLEX,
                        PURGE_COMP, NO_HOLD_JOBS_AFTER)

// A list of which one must match, or none may ("-name" in scontrol).
struct ReservedFor {
  std::vector<std::string> names;
  bool is_negated = false;

  bool operator==(const ReservedFor&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservedFor, (), (names, is_negated))

struct ReservedWindow {
  WallTime start;
  WallTime end;  // not within

  bool operator==(const ReservedWindow&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservedWindow, (), (start, end))

struct Reservation {
  std::string name;
  ReservedWindow window;             // the current or the next one
  ReservedWindow first;              // whose times of day a recurring reservation keeps
  std::vector<std::string> nodes;    // chosen when it was made
  std::vector<std::uint32_t> cores;  // on each of them, in their order; empty: whole nodes
  std::vector<LicenseCount> licenses;
  std::string features;
  std::string partition;
  ReservedFor users;
  ReservedFor accounts;
  ReservedFor groups;
  std::vector<std::string> group_members;  // of `groups`, when it was made or changed
  ReservedFor allowed_partitions;
  std::vector<ReservationFlag> flags;  // ascending, each once
  std::optional<std::uint32_t> purge_comp_s;
  std::uint32_t max_start_delay_s = 0;
  std::uint32_t created_by_uid = 0;

  bool operator==(const Reservation&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reservation, (),
                      (name, window, first, nodes, cores, licenses, features, partition, users,
                       accounts, groups, group_members, allowed_partitions, flags, purge_comp_s,
                       max_start_delay_s, created_by_uid))

bool has_flag(const Reservation& reservation, ReservationFlag flag);
bool is_recurring(const Reservation& reservation);

// The window that follows `window`; none: the reservation does not recur. Where a clock that is put
// forward leaves a time of day out, the window is as much later on that day alone.
std::optional<ReservedWindow> window_after(const Reservation& reservation,
                                           const ReservedWindow& window);
// The first window that is not over; none: all are.
std::optional<ReservedWindow> window_at(const Reservation& reservation, WallTime now);
// How long a window of a recurring reservation may be at most; none: it does not recur.
std::optional<Duration> period_of(const Reservation& reservation);

// May the job use it from this partition? By the names it was submitted under.
bool lets_in(const Reservation& reservation, const JobSpec& spec, const std::string& partition);

}  // namespace sluice
