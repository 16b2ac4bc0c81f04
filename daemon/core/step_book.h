// step_book.h: what the controller has in memory of steps. A step that has ended leaves it once its
// row is on its way to the store; the tally of its run stays.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "common/base/time.h"
#include "common/model/step.h"
#include "daemon/core/events.h"

namespace sluice {

// A request for a step that must wait for the share of others. Not stored: srun asks again.
struct WaitingStep {
  RequestRef from;
  CreateStep request;
  bool is_told = false;  // "temporarily disabled, retrying" was sent
};

// What open steps hold exclusively on one node of the job.
struct StepHold {
  std::uint32_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::vector<GresCount> gres;
  std::uint32_t whole = 0;  // steps that hold all CPUs of the node

  bool operator==(const StepHold&) const = default;
};

// Steps of the present run of a job (of its last one, once it has ended).
struct JobSteps {
  RunNumber run;
  StepNumber next;
  ExitStatus worst;
  std::map<StepNumber, StepRecordPtr> open;
  std::vector<StepHold> holds;  // by index of the job's shares; empty while nothing is held

  bool operator==(const JobSteps&) const = default;
};

// Who waits for what. Nothing of it is stored or shown.
struct StepWaits {
  std::map<JobId, std::deque<WaitingStep>> queues;       // of jobs that run, in the order of asking
  std::map<JobId, WaitingStep> first_steps;              // srun alone: until its job runs
  std::map<JobId, std::vector<RequestRef>> allocations;  // wait_allocation
  std::map<StepId, std::vector<RequestRef>> ends;        // whom step_ended is owed
  // Orders that no node has answered yet, and since when they are out.
  std::map<std::pair<StepId, std::string>, SteadyTime> unanswered;
  // By steps with a time limit that nobody ended; the nodes' clocks decide, this is the last
  // resort.
  std::set<std::pair<SteadyTime, StepId>> overdue_at;
  // sstat: whom an answer is owed, and of how many nodes more.
  struct Question {
    RequestRef from;
    RunId run;
    std::uint32_t open = 0;
    StepsMeasured sum;
  };
  std::map<std::uint64_t, Question> questions;
  std::uint64_t next_question = 1;
};

}  // namespace sluice
