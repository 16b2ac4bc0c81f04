// view.h: what the planner sees (View) and what it decides (Plan). Plain values: the planner knows
// nothing of stores, connections or clocks. Equal jobs are one class; the queue behind the heads of
// a class is never copied.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "common/base/id_table.h"
#include "common/base/ids.h"
#include "common/base/shared_list.h"
#include "common/model/config.h"
#include "common/model/job.h"
#include "common/model/node.h"
#include "common/model/reservation.h"

namespace sluice {

BOOST_DEFINE_ENUM_CLASS(Availability, available, unknown, lost, down, drained)

struct NodeView {
  std::string name;
  NodeShape shape;
  std::vector<std::string> features;
  std::uint32_t weight = 1;
  Availability availability = Availability::unknown;
  // Held by runs that are starting, running or completing.
  std::uint32_t cpus_used = 0;
  std::uint64_t mem_used_mb = 0;
  std::vector<GresCount> gres_used;
  std::uint32_t jobs = 0;
  bool exclusive = false;                      // one of them holds the whole node
  std::optional<std::uint32_t> exclusive_uid;  // they are this user's, who lets no other in

  bool operator==(const NodeView&) const = default;
};

// What a run holds of a node, and when it is expected to give it back.
struct NodeHold {
  JobId job;
  WallTime until;  // by its time limit; endless: it has none
  std::uint32_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::vector<GresCount> gres;
  bool exclusive = false;
  std::optional<std::uint32_t> exclusive_uid;
  std::string reservation = {};  // that it runs in

  bool operator==(const NodeHold&) const = default;
};
using NodeHolds = std::vector<NodeHold>;  // ascending by `until`

constexpr WallTime endless = WallTime::max();

struct LicenseHold {
  WallTime until;
  std::vector<LicenseCount> licenses;
  std::string reservation = {};

  bool operator==(const LicenseHold&) const = default;
};

struct PartitionView {
  std::string name;
  std::vector<NodeId> nodes;  // in the order they are filled: weight, then as configured
  bool up = true;
  bool exclusive = false;
  std::uint32_t pool = 0;  // the same of all that have nodes in common, one by one
};

// What is kept for the jobs of a reservation, in its current window and those to come.
struct ReservationView {
  std::string name;
  std::vector<ReservedWindow> windows;  // ascending; as far as is looked ahead
  std::vector<NodeId> nodes;            // ascending
  std::vector<std::uint32_t> cpus;      // on each of them, in their order; empty: whole nodes
  std::vector<LicenseCount> licenses;
  std::optional<Duration> over_run;  // its runs are ended so long after a window; none: never
  bool maintenance = false;
  bool overlaps = false;   // its jobs may use what others reserved, but for maintenance
  bool flexible = false;   // its jobs may start before, end later, and use other nodes too
  bool any_nodes = false;  // its jobs may use other nodes too
};

// What jobs of one class have in common; everything that decides where they may run.
struct JobShape {
  std::string partition;
  Demand demand;
  PlacementRequest placement;
  std::optional<TimeLimit> time_limit;
  std::optional<TimeLimit> time_min;  // it would rather start with so little than wait
  std::string reservation = {};       // it runs in this one; empty: outside of all
  std::uint32_t preempt_group = 0;    // of View::preempt_groups

  bool operator==(const JobShape&) const = default;
};
BOOST_DESCRIBE_STRUCT(JobShape, (),
                      (partition, demand, placement, time_limit, time_min, reservation,
                       preempt_group))

// Jobs alike in whom they may end for their own start, and by whom they may be ended: those of a
// partition, or of a QOS.
struct PreemptGroup {
  std::vector<std::uint32_t> preempts;  // groups whose runs they may end; ascending
  bool opportunistic = false;           // no start is planned for them; all others may end them

  bool operator==(const PreemptGroup&) const = default;
};
// By their numbers. 0: jobs that end nobody and are ended by nobody. The relation has no circle.
using PreemptGroups = std::vector<PreemptGroup>;

// A run that may be ended for others. One that was told to end is none any more.
struct Victim {
  std::uint32_t group = 0;
  WallTime started;           // of one that is starting: when it was placed
  WallTime exempt_until;      // it is left alone before
  Duration grace{};           // so long after it was told it is gone
  std::vector<NodeId> nodes;  // that it holds something of; View::holds says what
};

// A start for which others were told to end. The job is in no class; the core starts it as soon as
// they are gone.
struct ClaimView {
  JobId job;
  JobShape shape;
  std::vector<NodeId> nodes;  // of the shares, in their order
  std::vector<NodeShare> shares;
  std::vector<JobId> victims;  // that are not gone yet
};

struct PendingJob {
  JobId id;
  std::uint64_t priority = 0;
  std::uint32_t copies = 1;  // tasks of an array that may start now
  WallTime submitted;
};

// In the order they are to be tried: one for each partition of the jobs' list that may take them,
// and there for each reservation that they may run in.
using JobShapes = std::vector<JobShape>;

struct ClassView {
  std::uint32_t class_id = 0;
  // Never empty. Classes that differ in what limits say of them alone have the same.
  std::shared_ptr<const JobShapes> shapes;
  SharedList<PendingJob> heads;  // by priority, then id; never empty
  bool cut = false;              // there are more jobs behind the heads
  std::vector<bool> shut = {};   // of each shape: a limit keeps all of its jobs out; empty: none is

  bool is_open(std::size_t shape) const { return shut.empty() || !shut[shape]; }
};

// A start that is planned. One that was promised moves for nothing that goes behind it.
struct Promise {
  JobId job;  // of an array: one promise a task
  std::string partition;
  WallTime start;
  std::vector<NodeId> nodes;  // of the shares, in their order
  std::vector<NodeShare> shares;
  std::string reservation = {};  // of the shape it is planned by
  // Of the first that waits, by the rule `balanced`: what may go before it is over by then.
  std::optional<WallTime> latest = {};

  bool operator==(const Promise&) const = default;
};
using Promises = std::vector<Promise>;  // by job, then start

struct View {
  std::uint64_t version = 0;
  WallTime now;
  PlanRules rules;
  IdTable<NodeView> nodes;   // by NodeId
  IdTable<NodeHolds> holds;  // the same; none: nothing is held
  std::shared_ptr<const std::vector<PartitionView>> partitions;
  std::vector<LicenseCount> licenses;  // all the site has
  std::vector<LicenseCount> licenses_used;
  std::vector<LicenseHold> license_holds;
  std::vector<ClassView> classes;
  std::shared_ptr<const Promises> promises;  // of the last plan; may be null
  std::shared_ptr<const std::vector<ReservationView>> reservations;  // by name; may be null
  std::shared_ptr<const PreemptGroups> preempt_groups = {};  // null: nobody is ended for others
  IdTable<Victim> victims = {};                              // by JobId
  std::vector<ClaimView> claims = {};                        // by job
};

struct Placement {
  JobId job;              // of an array: one placement a task
  std::string partition;  // of the class's shapes, the one it is placed by
  std::vector<NodeShare> shares;
  bool exclusive = false;
  std::optional<TimeLimit> time_limit = {};  // lowered to what fits, by --time-min
  std::string reservation = {};              // of the shape it is placed by
};

// A start for which others are to end first.
struct Preemption {
  Placement placement;         // as it is to be once they are gone
  std::vector<JobId> victims;  // one at least, none that could be spared; ascending
};

// How many nodes one filter ruled out.
struct FilterCount {
  std::string filter;
  std::uint32_t nodes = 0;

  bool operator==(const FilterCount&) const = default;
};

// Why a class waits; nodes are counted by the first filter that ruled them out.
struct ClassWait {
  std::uint32_t class_id = 0;
  Reason reason = Reason::Resources;
  std::string limit;  // of AssocLimit and QosLimit: Slurm's word
  std::string detail;
  JobId head;
  bool first_of_partition = false;  // the highest of its partition: Resources; the others: Priority
  std::vector<FilterCount> ruled_out;
  std::string reservation = {};     // were it not for this one, the head could start
};

struct Plan {
  std::uint64_t view_version = 0;
  std::vector<Placement> placements;  // in the order they were decided
  std::vector<Preemption> preemptions;  // the same
  std::vector<ClassWait> waits;
  Promises promises;
  bool cut = false;  // more jobs could start: plan again
};

}  // namespace sluice
