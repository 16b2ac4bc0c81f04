// job.cpp: the words users see are a function of state and outcome.
#include "common/model/job.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

namespace sluice {
namespace {

struct Word {
  const char* word;
  const char* code;
};

constexpr Word word_of_outcome(Outcome outcome) {
  switch (outcome) {
    case Outcome::completed: return {"COMPLETED", "CD"};
    case Outcome::failed: return {"FAILED", "F"};
    case Outcome::cancelled: return {"CANCELLED", "CA"};
    case Outcome::timeout: return {"TIMEOUT", "TO"};
    case Outcome::out_of_memory: return {"OUT_OF_MEMORY", "OOM"};
    case Outcome::node_fail: return {"NODE_FAIL", "NF"};
    case Outcome::preempted: return {"PREEMPTED", "PR"};
    case Outcome::deadline: return {"DEADLINE", "DL"};
    case Outcome::boot_fail: return {"BOOT_FAIL", "BF"};
  }
  return {"COMPLETED", "CD"};
}

Word word_of(JobState state, const std::optional<JobEnd>& end, bool special_exit) {
  if (state == JobState::pending && special_exit) return {"SPECIAL_EXIT", "SE"};
  if (state == JobState::ended && end) return word_of_outcome(end->outcome);
  return {row_of(state).word, row_of(state).code};
}

}  // namespace

std::string to_text(const std::vector<GresCount>& gres) {
  std::string text;
  for (const GresCount& kind : gres)
    fmt::format_to(std::back_inserter(text), "{}{}{}{}:{}", text.empty() ? "" : ",", kind.name,
                   kind.type.empty() ? "" : ":", kind.type, kind.count);
  return text;
}

std::string shown_id(JobId id, const std::optional<ArrayPlace>& array) {
  if (!array) return fmt::format("{}", id.value);
  const std::uint32_t base = array->array_id.value;
  if (array->task) return fmt::format("{}_{}", base, *array->task);
  return fmt::format("{}_[{}]", base, to_text(array->waiting));
}

std::string shown_partition(const JobRecord& record) {
  if (record.state != JobState::pending || record.choices.empty()) return record.partition;
  std::string text;
  for (const PartitionChoice& choice : record.choices)
    text += (text.empty() ? "" : ",") + choice.partition;
  return text;
}

const char* state_word(JobState state, const std::optional<JobEnd>& end, bool special_exit) {
  return word_of(state, end, special_exit).word;
}

const char* state_code(JobState state, const std::optional<JobEnd>& end, bool special_exit) {
  return word_of(state, end, special_exit).code;
}

bool is_word_of_open_job(std::string_view word) {
  if (word == "SPECIAL_EXIT") return true;
  return std::any_of(std::begin(job_states), std::end(job_states), [&](const JobStateRow& row) {
    return row.state != JobState::ended && word == row.word;
  });
}

}  // namespace sluice
