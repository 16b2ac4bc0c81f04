// messages_priority.h: what commands ask about priorities, shares and the controller's own work.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/messages.h"

namespace sluice {

// A resource and an amount that is no count: a factor, or seconds.
struct TresAmount {
  std::string tres;
  double amount = 0;

  bool operator==(const TresAmount&) const = default;
};
BOOST_DESCRIBE_STRUCT(TresAmount, (), (tres, amount))

// --- sprio -------------------------------------------------------------------------------------
struct QueryPriorities {
  static constexpr MessageType type = MessageType::query_priorities;
  JobFilter filter;  // of jobs that may start now

  bool operator==(const QueryPriorities&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryPriorities, (), (filter))

// A waiting job in one partition of its list. Factors are 0..1, but for PriorityFlags=NO_NORMAL_*.
struct JobPriority {
  JobId id;
  std::string shown_id;
  std::string user;
  std::uint32_t uid = 0;
  std::string account;
  std::string qos;
  std::string partition;
  std::uint64_t priority = 0;
  bool is_asked = false;  // an administrator's word: no factor counts
  std::int32_t nice = 0;
  double age = 0;
  double association = 0;
  double fair_share = 0;
  double job_size = 0;
  double partition_factor = 0;
  double qos_factor = 0;
  std::vector<TresAmount> tres;

  bool operator==(const JobPriority&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobPriority, (),
                      (id, shown_id, user, uid, account, qos, partition, priority, is_asked, nice,
                       age, association, fair_share, job_size, partition_factor, qos_factor, tres))

struct PrioritiesReply {
  static constexpr MessageType type = MessageType::priorities_reply;
  WallTime as_of;            // of the last calculation
  bool multifactor = false;  // else there are no factors, and no jobs here
  PriorityWeights weights;
  std::vector<JobPriority> jobs;

  bool operator==(const PrioritiesReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(PrioritiesReply, (), (as_of, multifactor, weights, jobs))

// --- sshare ------------------------------------------------------------------------------------
// Empty lists: all. Accounts above those that are meant come too.
struct QueryShares {
  static constexpr MessageType type = MessageType::query_shares;
  std::vector<std::string> users;
  std::vector<std::string> accounts;

  bool operator==(const QueryShares&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryShares, (), (users, accounts))

struct ShareRow {
  AssociationId id;
  std::uint32_t depth = 0;  // 0: the root
  std::string account;
  std::string user;                     // empty: the account's own
  std::string partition;                // empty: all
  std::optional<std::uint32_t> shares;  // none: its parent's
  double norm_shares = 0;
  double usage_s = 0;                  // decayed billing seconds, with all that is below
  double norm_usage = 0;               // of all usage
  double effective_usage = 0;          // of its siblings'
  double level = 0;                    // may be infinite; of the root 0
  double factor = 0;                   // of users
  TresCounts grp_tres_mins;            // limits
  std::vector<TresAmount> tres_s;      // decayed, with all that is below
  std::vector<TresAmount> tres_run_s;  // what runs holds, times the time left by its limit

  bool operator==(const ShareRow&) const = default;
};
BOOST_DESCRIBE_STRUCT(ShareRow, (),
                      (id, depth, account, user, partition, shares, norm_shares, usage_s,
                       norm_usage, effective_usage, level, factor, grp_tres_mins, tres_s,
                       tres_run_s))

struct SharesReply {
  static constexpr MessageType type = MessageType::shares_reply;
  WallTime as_of;              // of the last calculation
  std::vector<ShareRow> rows;  // an account before what is below it

  bool operator==(const SharesReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(SharesReply, (), (as_of, rows))

// --- sdiag -------------------------------------------------------------------------------------
struct QueryStatistics {
  static constexpr MessageType type = MessageType::query_statistics;
  bool reset = false;  // counting begins anew; an administrator's right

  bool operator==(const QueryStatistics&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryStatistics, (), (reset))

// Passes of the planner.
struct PassStatistics {
  std::uint64_t count = 0;
  std::uint64_t last_us = 0;
  std::uint64_t max_us = 0;
  std::uint64_t total_us = 0;
  std::uint64_t depth_last = 0;  // jobs at the heads of their classes: looked at
  std::uint64_t depth_total = 0;
  std::uint64_t queue_last = 0;  // waiting jobs of the view
  std::uint64_t queue_total = 0;
  WallTime last_at;

  bool operator==(const PassStatistics&) const = default;
};
BOOST_DESCRIBE_STRUCT(PassStatistics, (),
                      (count, last_us, max_us, total_us, depth_last, depth_total, queue_last,
                       queue_total, last_at))

struct RequestCount {
  std::string message;
  std::uint64_t count = 0;

  bool operator==(const RequestCount&) const = default;
};
BOOST_DESCRIBE_STRUCT(RequestCount, (), (message, count))

struct StatisticsReply {
  static constexpr MessageType type = MessageType::statistics_reply;
  WallTime as_of;
  WallTime since;  // of what is counted
  std::uint64_t submitted = 0;
  std::uint64_t started = 0;
  std::uint64_t completed = 0;
  std::uint64_t cancelled = 0;
  std::uint64_t failed = 0;
  std::uint64_t pending = 0;  // now
  std::uint64_t running = 0;
  std::uint64_t connections = 0;
  std::uint64_t orders_unanswered = 0;  // by nodes
  std::uint64_t rows_waiting = 0;       // 1: a commit is under way
  std::uint64_t backfilled = 0;         // since the start of the controller
  std::uint64_t backfilled_since_reset = 0;
  PassStatistics quick;  // in strict order
  PassStatistics full;   // with planned starts
  std::vector<RequestCount> requests;

  bool operator==(const StatisticsReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(StatisticsReply, (),
                      (as_of, since, submitted, started, completed, cancelled, failed, pending,
                       running, connections, orders_unanswered, rows_waiting, backfilled,
                       backfilled_since_reset, quick, full, requests))

}  // namespace sluice
