// selectors.h: lists by which users pick jobs and nodes: ids, states. Pure.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/wire/messages.h"

namespace sluice {

// "5,6_3,7_[1-3],8.batch" (the step is left out). Error: invalid_job_id, the detail is the element.
Result<std::vector<JobSelector>> parse_job_selectors(std::string_view text);

// Of accounting: "5.batch" means that step alone, "5" the job and all its steps.
struct StepSelector {
  JobSelector job;
  std::string step;  // empty: all

  bool operator==(const StepSelector&) const = default;
};
// The same lists with their steps. Error: as above.
Result<std::vector<StepSelector>> parse_step_selectors(std::string_view text);

// State words or codes in any case, or "all", to what JobFilter.states holds. Error:
// invalid_argument, the detail is the element.
Result<std::vector<std::string>> parse_job_states(std::string_view text);
// "PENDING,RUNNING,..."
std::string job_state_list();
// Those squeue shows when no state is named: what has not ended.
std::vector<std::string> live_job_states();

// "a,b" -> a b; empty elements are left out.
std::vector<std::string> parse_word_list(std::string_view text);

}  // namespace sluice
