// cancel_options.cpp: rows and what each does.
#include "cli/cancel_options.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/base/hostlist.h"
#include "common/options/command_line.h"
#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr ArgumentKind none = ArgumentKind::none;
constexpr ArgumentKind required = ArgumentKind::required;

using ApplyCancel = Result<void> (*)(CancelRequest& request, const std::string& value);

struct CancelOption {
  OptionSyntax syntax;
  const char* environment;
  const char* help;
  ApplyCancel apply;  // null: not supported yet, refused by name
};

Error refuse(std::string sentence) { return Error{ErrorCode::invalid_argument, std::move(sentence)}; }

void note_filter(CancelRequest& request, const char* name, const std::string& value) {
  request.filters.push_back(fmt::format("{}={}", name, value));
}

template <auto Member>
Result<void> flag(CancelRequest& request, const std::string&) {
  request.*Member = true;
  return {};
}
template <auto Member>
Result<void> action_flag(CancelRequest& request, const std::string&) {
  request.message.*Member = true;
  return {};
}
Result<void> already_so(CancelRequest&, const std::string&) { return {}; }

Result<void> names(std::vector<std::string>& list, const std::string& value) {
  Result<std::vector<std::string>> parsed = parse_names(value);
  if (!parsed.ok()) return refuse(parsed.error().detail);
  list = std::move(parsed).value();
  return {};
}

Result<void> account(CancelRequest& request, const std::string& value) {
  note_filter(request, "account", value);
  return names(request.message.filter.accounts, value);
}

// A name may hold a comma: it is one name.
Result<void> job_name(CancelRequest& request, const std::string& value) {
  note_filter(request, "job_name", value);
  request.message.filter.names = {value};
  return {};
}

Result<void> nodelist(CancelRequest& request, const std::string& value) {
  note_filter(request, "nodelist", value);
  Result<std::vector<std::string>> expanded = expand_hostlist(value);
  if (!expanded.ok()) return refuse(to_text(expanded.error()));
  request.message.filter.nodes = std::move(expanded).value();
  return {};
}

Result<void> partition(CancelRequest& request, const std::string& value) {
  note_filter(request, "partition", value);
  return names(request.message.filter.partitions, value);
}

Result<void> qos(CancelRequest& request, const std::string& value) {
  note_filter(request, "qos", value);
  return names(request.message.filter.qos, value);
}

Result<void> wckey(CancelRequest& request, const std::string& value) {
  note_filter(request, "wckey", value);
  return names(request.message.filter.wckeys, value);
}

Result<void> reservation(CancelRequest& request, const std::string& value) {
  note_filter(request, "reservation", value);
  return names(request.message.filter.reservations, value);
}

Result<void> signal(CancelRequest& request, const std::string& value) {
  const Result<std::uint32_t> parsed = parse_signal(value);
  if (!parsed.ok()) return refuse(to_text(parsed.error()));
  request.message.signal = *parsed;
  return {};
}

struct StateRow {
  const char* word;
  const char* code;
};
constexpr std::array<StateRow, 3> states{
    {{"PENDING", "PD"}, {"RUNNING", "R"}, {"SUSPENDED", "S"}}};

Result<void> state(CancelRequest& request, const std::string& value) {
  note_filter(request, "state", value);
  for (std::string_view word : split(value, ',')) {
    const auto row = std::find_if(states.begin(), states.end(), [&](const StateRow& candidate) {
      return equals_ignoring_case(word, candidate.word) ||
             equals_ignoring_case(word, candidate.code);
    });
    if (row == states.end())
      return refuse(fmt::format("Invalid job state specified: {}\n"
                                "Valid job states are PENDING, RUNNING, and SUSPENDED", word));
    request.message.filter.states.emplace_back(row->word);
  }
  return {};
}

Result<void> user(CancelRequest& request, const std::string& value) {
  note_filter(request, "user_name", value);
  request.user = value;
  return {};
}

Result<void> verbose(CancelRequest& request, const std::string&) {
  ++request.verbose;
  return {};
}

Result<void> clusters(CancelRequest& request, const std::string& value) {
  request.cluster = value;
  return {};
}

// clang-format off
constexpr CancelOption options[] = {
    {{"account", 'A', required}, "SCANCEL_ACCOUNT", "jobs of these accounts", account},
    {{"batch", 'b', none}, "SCANCEL_BATCH", "signal the batch shell only", action_flag<&CancelJobs::batch_only>},
    {{"clusters", 'M', required}, nullptr, "jobs of this cluster", clusters},
    {{"ctld", 0, none}, "SCANCEL_CTLD", "ask the controller (always so)", already_so},
    {{"full", 'f', none}, "SCANCEL_FULL", "signal the batch shell and all steps", action_flag<&CancelJobs::full>},
    {{"interactive", 'i', none}, "SCANCEL_INTERACTIVE", "ask before each job", flag<&CancelRequest::interactive>},
    {{"me", 0, none}, nullptr, "your own jobs", flag<&CancelRequest::own_jobs>},
    {{"name", 'n', required}, "SCANCEL_NAME", "jobs of this name", job_name},
    {{"jobname", 0, required}, nullptr, "the same as --name", job_name},
    {{"nodelist", 'w', required}, nullptr, "jobs that run on one of these nodes", nodelist},
    {{"partition", 'p', required}, "SCANCEL_PARTITION", "jobs in these partitions", partition},
    {{"qos", 'q', required}, "SCANCEL_QOS", "jobs of these qualities of service", qos},
    {{"quiet", 'Q', none}, nullptr, "report nothing about jobs that are over", flag<&CancelRequest::quiet>},
    {{"signal", 's', required}, nullptr, "send this signal instead of ending the job", signal},
    {{"state", 't', required}, "SCANCEL_STATE", "jobs in these states: PENDING, RUNNING", state},
    {{"user", 'u', required}, "SCANCEL_USER", "jobs of this user", user},
    {{"verbose", 'v', none}, "SCANCEL_VERBOSE", "say what is done", verbose},
    {{"help", 0, none}, nullptr, "show this text", flag<&CancelRequest::help>},
    {{"usage", 0, none}, nullptr, "show a short text", flag<&CancelRequest::usage>},
    {{"version", 'V', none}, nullptr, "show the version", flag<&CancelRequest::version>},
    {{"hurry", 'H', none}, "SCANCEL_HURRY", "stage nothing out (nothing is)", already_so},
    {{"reservation", 'R', required}, nullptr, "jobs of this reservation", reservation},
    {{"wckey", 0, required}, "SCANCEL_WCKEY", "jobs of these workload keys", wckey},
    {{"cron", 0, none}, "SCANCEL_CRON", nullptr, nullptr},
    {{"sibling", 0, required}, nullptr, nullptr, nullptr},
};
// clang-format on

std::vector<OptionSyntax> syntax() {
  std::vector<OptionSyntax> rows;
  for (const CancelOption& option : options) rows.push_back(option.syntax);
  return rows;
}

Result<void> apply(CancelRequest& request, const CancelOption& option, const std::string& value) {
  if (option.apply) return option.apply(request, value);
  return refuse(fmt::format("--{} is not supported by Sluice yet", option.syntax.name));
}

bool is_given(const ParsedWords& parsed, std::size_t row) {
  return std::any_of(parsed.uses.begin(), parsed.uses.end(),
                     [&](const OptionUse& use) { return use.row == row; });
}

// A variable counts where the line says nothing of its option.
Result<void> apply_environment(CancelRequest& request, const ParsedWords& parsed,
                               const Environment& environment) {
  for (std::size_t row = 0; row < std::size(options); ++row) {
    if (!options[row].environment || is_given(parsed, row)) continue;
    const std::string prefix = std::string(options[row].environment) + "=";
    for (const std::string& entry : environment)
      if (entry.compare(0, prefix.size(), prefix) == 0)
        TRY(apply(request, options[row], entry.substr(prefix.size())));
  }
  return {};
}

Result<void> add_job(CancelRequest& request, std::string_view word) {
  const Result<JobReference> reference = parse_job_reference(word);
  if (!reference.ok()) return refuse(fmt::format("Invalid job id {}", word));
  if (!reference->step.empty())
    return refuse(fmt::format("Kill job error on job step id {}: {}", word,
                              error_row(ErrorCode::invalid_job_id).text));
  request.message.filter.jobs.push_back({reference->job, reference->tasks});
  return {};
}

// "5,6_[1,3]": at the commas outside of brackets.
std::vector<std::string_view> split_ids(std::string_view text) {
  std::vector<std::string_view> ids;
  std::size_t start = 0;
  bool inside = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] == '[') inside = true;
    if (text[i] == ']') inside = false;
    if (text[i] != ',' || inside) continue;
    ids.push_back(text.substr(start, i - start));
    start = i + 1;
  }
  ids.push_back(text.substr(start));
  return ids;
}

}  // namespace

Result<CancelRequest> parse_cancel(const std::vector<std::string>& words,
                                   const Environment& environment) {
  CancelRequest request;
  const ParsedWords parsed = TRY(parse_words(syntax(), words, OperandRule::permutes));
  TRY(apply_environment(request, parsed, environment));
  for (const OptionUse& use : parsed.uses) TRY(apply(request, options[use.row], use.value));
  for (const std::string& word : parsed.operands)
    for (std::string_view id : split_ids(word)) TRY(add_job(request, id));
  return request;
}

std::string cancel_help() {
  std::string text;
  for (const CancelOption& option : options) {
    if (!option.help) continue;
    const std::string letter =
        option.syntax.letter ? fmt::format("-{}, ", option.syntax.letter) : "    ";
    const char* value = option.syntax.argument == required ? "=VALUE" : "";
    text += fmt::format("  {:<28} {}\n", fmt::format("{}--{}{}", letter, option.syntax.name, value),
                        option.help);
  }
  return text;
}

std::vector<ManualOption> cancel_manual_options() {
  std::vector<ManualOption> rows;
  for (const CancelOption& option : options)
    rows.push_back({.name = option.syntax.name,
                    .letter = option.syntax.letter,
                    .argument = option.syntax.argument,
                    .value = "VALUE",
                    .environment = option.environment ? option.environment : "",
                    .help = option.help ? option.help : "",
                    .honoured = option.apply != nullptr});
  return rows;
}

}  // namespace sluice
