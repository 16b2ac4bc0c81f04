// messages_foresee.h: what commands ask about starts that did not happen yet: why a job waits and
// what would start it earlier (`sluice why`), and where one would go that is not submitted (`sluice
// plan`; sbatch --test-only asks the same by SubmitJob).
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "common/wire/messages.h"

namespace sluice {

// --- sluice why --------------------------------------------------------------------------------
struct QueryWhy {
  static constexpr MessageType type = MessageType::query_why;
  JobSelector job;

  bool operator==(const QueryWhy&) const = default;
};
BOOST_DESCRIBE_STRUCT(QueryWhy, (), (job))

// How many nodes one filter rules out, of those of a partition; each is counted by the first.
struct RuledOut {
  std::string filter;
  std::uint32_t nodes = 0;

  bool operator==(const RuledOut&) const = default;
};
BOOST_DESCRIBE_STRUCT(RuledOut, (), (filter, nodes))

// Who holds nodes that the job could use.
struct ResourceHolder {
  std::string job;  // as shown
  std::string user;
  std::uint32_t cpus = 0;         // on those nodes
  std::string nodes;              // a hostlist
  std::optional<WallTime> until;  // by its time limit; none: it has none

  bool operator==(const ResourceHolder&) const = default;
};
BOOST_DESCRIBE_STRUCT(ResourceHolder, (), (job, user, cpus, nodes, until))

// How it stands in one partition of its list.
struct PartitionStanding {
  std::string partition;
  Reason closed = Reason::None;  // it is not in line there, for this
  std::string closed_detail;
  std::uint32_t place = 0;  // in line; 1: the first. 0: not in line
  std::uint32_t nodes = 0;  // of the partition
  std::vector<RuledOut> ruled_out;
  std::uint32_t holders_count = 0;
  std::vector<ResourceHolder> holders;  // the first to end of them

  bool operator==(const PartitionStanding&) const = default;
};
BOOST_DESCRIBE_STRUCT(PartitionStanding, (),
                      (partition, closed, closed_detail, place, nodes, ruled_out, holders_count,
                       holders))

// A limit that stands in the way. Counts in the unit of the limit (TRES, jobs, minutes).
struct LimitStanding {
  std::string limit;  // Slurm's word: AssocGrpCpuLimit
  std::string owner;  // "account physics", "QOS normal, user ann"
  std::uint64_t used = 0;
  std::uint64_t asked = 0;
  std::uint64_t allowed = 0;

  bool operator==(const LimitStanding&) const = default;
};
BOOST_DESCRIBE_STRUCT(LimitStanding, (), (limit, owner, used, asked, allowed))

// A change of one thing that was planned and found to help.
struct SmallChange {
  std::string option;  // what sbatch would be given: "--nodes=2"
  std::string update;  // what `scontrol update` would be given for it; empty: it cannot
  PlannedStart planned;
  bool starts_now = false;

  bool operator==(const SmallChange&) const = default;
};
BOOST_DESCRIBE_STRUCT(SmallChange, (), (option, update, planned, starts_now))

struct WhyJob {
  JobId id;
  std::string shown_id;
  std::string name;
  JobState state = JobState::pending;
  JobWait wait;  // while it waits
  JobTimes times;
  std::vector<PartitionStanding> partitions;
  std::vector<LimitStanding> limits;
  std::vector<SmallChange> changes;  // the smallest first

  bool operator==(const WhyJob&) const = default;
};
BOOST_DESCRIBE_STRUCT(WhyJob, (),
                      (id, shown_id, name, state, wait, times, partitions, limits, changes))

struct WhyReply {
  static constexpr MessageType type = MessageType::why_reply;
  WallTime as_of;
  std::vector<std::string> lines;  // all of it in words
  std::vector<WhyJob> jobs;        // the same in figures: for --json

  bool operator==(const WhyReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(WhyReply, (), (as_of, lines, jobs))

// --- sluice plan -------------------------------------------------------------------------------
// A submission that is judged and planned as one, and then forgotten.
struct PlanJob {
  static constexpr MessageType type = MessageType::plan_job;
  SubmitJob submission;  // as by --test-only

  bool operator==(const PlanJob&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlanJob, (), (submission))

struct PlanReply {
  static constexpr MessageType type = MessageType::plan_reply;
  WallTime as_of;
  std::vector<std::string> notes;     // to be printed on stderr
  std::vector<PlannedStart> planned;  // the earliest first; one a partition of its list
  std::vector<SmallChange> changes;   // that would start it earlier, the smallest first

  bool operator==(const PlanReply&) const = default;
};
BOOST_DESCRIBE_STRUCT(PlanReply, (), (as_of, notes, planned, changes))

}  // namespace sluice
