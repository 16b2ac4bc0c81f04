// job_reference.cpp: jobs, array tasks and steps as commands are told of them.
#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
Result<JobReference> parse_job_reference(std::string_view text) {
  const Error refused{ErrorCode::invalid_job_id, std::string(text)};
  const std::size_t dot = text.find('.');
  const std::string_view whole = text.substr(0, dot);
  const std::size_t underscore = whole.find('_');
  const auto id = parse_number(whole.substr(0, underscore));
  if (!id || *id == 0 || *id >= job_id_end) return refused;

  JobReference reference{JobId{static_cast<std::uint32_t>(*id)}, {}, {}};
  if (underscore != std::string_view::npos) {
    Result<IndexSet> tasks = parse_index_set(whole.substr(underscore + 1));
    if (!tasks.ok()) return refused;
    reference.tasks = std::move(tasks).value();
  }
  if (dot == std::string_view::npos) return reference;
  reference.step = text.substr(dot + 1);
  if (reference.step.empty()) return refused;
  return reference;
}

}  // namespace sluice
