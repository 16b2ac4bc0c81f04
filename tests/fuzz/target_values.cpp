// target_values.cpp: the small grammars: counts of nodes, generic resources, signals, names, job
// references, --export. The input's first byte says which.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/model/constraint.h"
#include "common/model/licenses.h"
#include "common/options/export.h"
#include "common/options/grammar.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

void check_node_count(std::string_view text) {
  const auto count = parse_node_count(text);
  if (!count.ok()) return require_refusal(count.error(), {ErrorCode::node_count_invalid});
  if (!*count) return;
  require((*count)->min >= 1 && (*count)->min <= (*count)->max, "a range of nodes rises from 1");
  const auto again = parse_node_count(fmt::format("{}-{}", (*count)->min, (*count)->max));
  require(again.ok() && *again == *count, "a printed count is read as itself");
}

void check_gres(std::string_view text) {
  const auto gres = in_proportion(text, 256, [&] { return parse_gres(text); });
  if (!gres.ok()) return require_refusal(gres.error(), {ErrorCode::invalid_gres});
  std::string printed;
  for (const GresCount& one : *gres) {
    require(!one.name.empty() && one.count > 0, "a resource has a name and a count");
    printed += fmt::format("{}gres:{}{}{}:{}", printed.empty() ? "" : ",", one.name,
                           one.type.empty() ? "" : ":", one.type, one.count);
  }
  const auto again = parse_gres(printed.empty() ? "none" : printed);
  require(again.ok() && *again == *gres, "printed resources are read as themselves", printed);
}

void check_signal_request(std::string_view text) {
  const auto request = parse_signal_request(text);
  if (!request.ok())
    return require_refusal(request.error(), {ErrorCode::invalid_signal, ErrorCode::not_supported});
  const auto again = parse_signal_request(to_text(*request));
  require(again.ok() && *again == *request, "a printed signal is read as itself",
          to_text(*request));
}

void check_mail(std::string_view text) {
  const auto types = in_proportion(text, 256, [&] { return parse_mail_types(text); });
  if (!types.ok()) require_refusal(types.error(), {ErrorCode::invalid_argument});
  else require(std::is_sorted(types->begin(), types->end()), "each type of mail once, in order");
  const auto login = parse_login_environment(text);
  if (!login.ok()) return require_refusal(login.error(), {ErrorCode::invalid_argument});
  require(login->timeout_s >= 1 && login->timeout_s <= 3600, "a login has some time, and an end");
}

void check_signal(std::string_view text) {
  check_signal_request(text);
  const auto signal = parse_signal(text);
  if (!signal.ok()) return require_refusal(signal.error(), {ErrorCode::invalid_signal});
  require(*signal >= 1 && *signal <= 64, "a signal is from 1 to 64");
  const auto again = parse_signal(signal_name(*signal));
  require(again.ok() && *again == *signal, "a signal's name is read as itself",
          signal_name(*signal));
}

void check_names(std::string_view text) {
  check_mail(text);
  const auto names = in_proportion(text, 256, [&] { return parse_names(text); });
  if (!names.ok()) return require_refusal(names.error(), {ErrorCode::invalid_argument});
  std::string printed;
  for (const std::string& name : *names) printed += (printed.empty() ? "" : ",") + name;
  require(printed == text, "a list of names is its names");
}

// Memory may grow with the product of the brackets, which is bounded.
void check_constraint(std::string_view text) {
  const auto choices = in_proportion(text, 64 * 256, [&] { return parse_constraint(text); });
  if (!choices.ok()) return require_refusal(choices.error(), {ErrorCode::invalid_feature});
  require(!choices->empty(), "a constraint leaves a choice");
  const std::vector<std::string> features = {"a", "b"};
  for (const FeatureChoice& choice : *choices) {
    for (const FeatureCount& count : choice.counts)
      require(count.nodes > 0 && !count.test.empty(), "a count counts a feature");
    (void)passes(choice.each, features);
  }
  const auto again = parse_constraint(shown_constraint(text));
  require(again.ok() && *again == *choices, "a shown constraint is read as itself");
}

void check_licenses(std::string_view text) {
  const auto licenses = in_proportion(text, 256, [&] { return parse_licenses(text); });
  if (!licenses.ok()) return require_refusal(licenses.error(), {ErrorCode::invalid_license});
  if (licenses->empty()) return;
  const auto again = parse_licenses(to_text(*licenses));
  require(again.ok() && *again == *licenses, "printed licences are read as themselves");
}

void check_job_reference(std::string_view text) {
  if (has_longer_number(text, 4)) return;
  const auto reference = parse_job_reference(text);
  if (!reference.ok()) return require_refusal(reference.error(), {ErrorCode::invalid_job_id});
  std::string printed = fmt::format("{}", reference->job.value);
  if (!reference->tasks.empty()) printed += fmt::format("_[{}]", to_text(reference->tasks));
  if (!reference->step.empty()) printed += "." + reference->step;
  const auto again = parse_job_reference(printed);
  require(again.ok() && again->job == reference->job && again->step == reference->step &&
              to_text(again->tasks) == to_text(reference->tasks),
          "a printed reference is read as itself", printed);
}

void check_export(std::string_view text) {
  const Environment caller = {"HOME=/root", "A=1", "PATH=/bin", "B_2=x,y"};
  const auto rule = in_proportion(text, 256, [&] {
    return parse_export(OptionValue{std::string(text), {}});
  });
  if (!rule.ok()) return require_refusal(rule.error(), {ErrorCode::invalid_argument});
  require(rule->given == text, "a rule keeps its text");
  for (const std::string& entry : select_environment(*rule, caller))
    require(entry.find('=') != std::string::npos && entry.front() != '=',
            "an environment is NAME=value", entry);
}

constexpr std::array checks = {check_node_count,    check_gres,   check_signal,     check_names,
                               check_job_reference, check_export, check_constraint, check_licenses};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  if (size == 0) return 0;
  checks[data[0] % checks.size()](text_of(data + 1, size - 1));
  return 0;
}
