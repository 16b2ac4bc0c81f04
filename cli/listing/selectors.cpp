// selectors.cpp: lists to filters.
#include "cli/listing/selectors.h"

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct StateName {
  std::string_view word;
  std::string_view code;
  bool live = false;
};

constexpr StateName state_names[] = {
    {"PENDING", "PD", true},
    {"RUNNING", "R", true},
    {"SUSPENDED", "S", true},
    {"COMPLETED", "CD"},
    {"CANCELLED", "CA"},
    {"FAILED", "F"},
    {"TIMEOUT", "TO"},
    {"NODE_FAIL", "NF"},
    {"PREEMPTED", "PR"},
    {"BOOT_FAIL", "BF"},
    {"DEADLINE", "DL"},
    {"OUT_OF_MEMORY", "OOM"},
    {"COMPLETING", "CG", true},
    {"CONFIGURING", "CF", true},
    {"RESIZING", "RS", true},
    {"RESV_DEL_HOLD", "RD", true},
    {"REQUEUED", "RQ", true},
    {"REQUEUE_FED", "RF", true},
    {"REQUEUE_HOLD", "RH", true},
    {"REVOKED", "RV"},
    {"SIGNALING", "SI", true},
    {"SPECIAL_EXIT", "SE", true},
    {"STAGE_OUT", "SO", true},
    {"STOPPED", "ST", true},
};

const StateName* state_named(std::string_view text) {
  for (const StateName& name : state_names)
    if (equals_ignoring_case(text, name.word) || equals_ignoring_case(text, name.code))
      return &name;
  return nullptr;
}

// Commas inside brackets do not divide.
std::vector<std::string_view> split_outside_brackets(std::string_view text) {
  std::vector<std::string_view> pieces;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i <= text.size(); ++i) {
    if (i == text.size() || (text[i] == ',' && !inside)) {
      pieces.push_back(text.substr(start, i - start));
      start = i + 1;
    } else if (text[i] == '[' || text[i] == ']') {
      inside = text[i] == '[';
    }
  }
  return pieces;
}

}  // namespace

Result<std::vector<StepSelector>> parse_step_selectors(std::string_view text) {
  std::vector<StepSelector> selectors;
  for (std::string_view piece : split_outside_brackets(text)) {
    if (piece.empty()) continue;
    JobReference reference = TRY(parse_job_reference(piece));
    selectors.push_back({{reference.job, std::move(reference.tasks)}, std::move(reference.step)});
  }
  return selectors;
}

Result<std::vector<JobSelector>> parse_job_selectors(std::string_view text) {
  std::vector<JobSelector> selectors;
  for (StepSelector& selector : TRY(parse_step_selectors(text)))
    selectors.push_back(std::move(selector.job));
  return selectors;
}

Result<std::vector<std::string>> parse_job_states(std::string_view text) {
  std::vector<std::string> states;
  for (std::string_view piece : split(text, ',')) {
    if (piece.empty()) continue;
    if (equals_ignoring_case(piece, "all")) return std::vector<std::string>{"ALL"};
    const StateName* name = state_named(piece);
    if (!name) return Error{ErrorCode::invalid_argument, std::string(piece)};
    states.emplace_back(name->word);
  }
  return states;
}

std::string job_state_list() {
  std::string list;
  for (const StateName& name : state_names) {
    if (!list.empty()) list += ',';
    list += name.word;
  }
  return list;
}

std::vector<std::string> live_job_states() {
  std::vector<std::string> states;
  for (const StateName& name : state_names)
    if (name.live) states.emplace_back(name.word);
  return states;
}

std::vector<std::string> parse_word_list(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view piece : split(text, ','))
    if (!piece.empty()) words.emplace_back(piece);
  return words;
}

}  // namespace sluice
