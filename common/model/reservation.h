// reservation.h: nodes, cores or licences kept for some over a span of time, as scontrol keeps
// them. Names of members are Slurm's option words.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/base/describe.h"
#include "common/base/time.h"
#include "common/model/accounting.h"

namespace sluice {

BOOST_DEFINE_ENUM_CLASS(ReservationFlag, MAINT, FLEX, OVERLAP, IGNORE_JOBS, DAILY, HOURLY, WEEKLY,
                        WEEKDAY, WEEKEND, PART_NODES, ANY_NODES, PURGE_COMP, NO_HOLD_JOBS_AFTER,
                        ALL_NODES)

// A list of which one must match, or none may ("-name" in scontrol).
struct ReservedFor {
  std::vector<std::string> names;
  bool is_negated = false;

  bool operator==(const ReservedFor&) const = default;
};
BOOST_DESCRIBE_STRUCT(ReservedFor, (), (names, is_negated))

struct Reservation {
  std::string name;
  WallTime start;  // of the current or next window
  WallTime end;
  std::vector<std::string> nodes;  // chosen when it was made
  std::uint32_t cores = 0;         // on each node; 0: whole nodes
  TresCounts licenses;             // by name without "license/"
  TresCounts tres;
  std::string features;
  std::string partition;
  ReservedFor users;
  ReservedFor accounts;
  ReservedFor groups;
  std::vector<ReservationFlag> flags;
  std::optional<std::uint32_t> purge_comp_min;
  std::uint32_t max_start_delay_s = 0;
  std::uint32_t created_by_uid = 0;

  bool operator==(const Reservation&) const = default;
};
BOOST_DESCRIBE_STRUCT(Reservation, (),
                      (name, start, end, nodes, cores, licenses, tres, features, partition, users,
                       accounts, groups, flags, purge_comp_min, max_start_delay_s, created_by_uid))

}  // namespace sluice
