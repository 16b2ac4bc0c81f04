// export.cpp: --export.
#include "common/options/export.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>

#include "common/options/text.h"

namespace sluice {
namespace {

// What a batch job or a step is told about itself; the agent sets it anew for each job. What a user
// sets for the commands (SLURM_CONF, SLURM_TIME_FORMAT) is not among them.
constexpr std::array job_variable_prefixes = {
    "SLURM_JOB_",   "SLURM_ARRAY_",    "SLURM_STEP_",      "SLURM_HET_",  "SLURM_TASKS_PER_NODE",
    "SLURM_NODEID", "SLURM_TOPOLOGY_", "SLURM_SRUN_COMM_", "SLURM_MEM_PER_", "SLURM_SUBMIT_"};
constexpr std::array job_variables = {
    "SLURMD_NODENAME", "SLURM_CPUS_ON_NODE", "SLURM_CPUS_PER_TASK", "SLURM_DISTRIBUTION",
    "SLURM_EXPORT_ENV", "SLURM_GPUS_ON_NODE", "SLURM_GTIDS", "SLURM_JOBID",
    "SLURM_LAUNCH_NODE_IPADDR", "SLURM_LOCALID", "SLURM_NNODES", "SLURM_NODELIST",
    "SLURM_NODE_ALIASES", "SLURM_NPROCS", "SLURM_NTASKS", "SLURM_NTASKS_PER_NODE",
    "SLURM_PRIO_PROCESS", "SLURM_PROCID", "SLURM_STEPID", "SLURM_TASK_PID", "SLURM_UMASK",
    "SLURM_RESTART_COUNT", "SLURM_WORKING_CLUSTER", "SLURM_CLUSTER_NAME"};

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

bool is_job_variable(std::string_view name) {
  const auto begins = [&](std::string_view prefix) {
    return name.substr(0, prefix.size()) == prefix;
  };
  return std::any_of(job_variable_prefixes.begin(), job_variable_prefixes.end(), begins) ||
         std::find(job_variables.begin(), job_variables.end(), name) != job_variables.end();
}

const std::string* find_variable(const Environment& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (name_of(entry) == name) return &entry;
  return nullptr;
}

void set_variable(Environment& environment, std::string_view name, std::string entry) {
  std::erase_if(environment, [&](const std::string& other) { return name_of(other) == name; });
  environment.push_back(std::move(entry));
}

bool is_shell_name(std::string_view name) {
  const auto is_letter = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
  };
  return !name.empty() && is_letter(name.front()) &&
         std::all_of(name.begin(), name.end(),
                     [&](char c) { return is_letter(c) || (c >= '0' && c <= '9'); });
}

Error refuse(std::string detail) { return Error{ErrorCode::invalid_argument, std::move(detail)}; }

// At the commas that a script left outside of quotes.
std::vector<std::string> split_by_marks(const OptionValue& value) {
  std::vector<std::string> items(1);
  for (std::size_t i = 0; i < value.text.size(); ++i) {
    if (value.text[i] == ',' && value.quoted[i] == '0') items.emplace_back();
    else items.back() += value.text[i];
  }
  return items;
}

// At the commas outside of quotes; the quotes are dropped. A quote that is never closed is an
// ordinary character, as in "don't".
std::vector<std::string> split_by_quotes(std::string_view text) {
  std::vector<std::string> items(1);
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    const std::size_t close = c == '\'' || c == '"' ? text.find(c, i + 1) : std::string_view::npos;
    if (close != std::string_view::npos) {
      items.back() += text.substr(i + 1, close - i - 1);
      i = close;
    } else if (c == ',') {
      items.emplace_back();
    } else {
      items.back() += c;
    }
  }
  return items;
}

std::vector<std::string> split_items(const OptionValue& value) {
  // Quotes around the whole value only protected it from the script's own reading.
  const bool partly_quoted = value.quoted.find('1') != std::string::npos &&
                             value.quoted.find('0') != std::string::npos;
  return partly_quoted ? split_by_marks(value) : split_by_quotes(value.text);
}

Result<ExportItem> parse_item(const std::string& text) {
  const std::size_t equals = text.find('=');
  ExportItem item{text.substr(0, equals), std::nullopt};
  if (item.name.empty()) return refuse("an element is empty");
  if (equals == std::string::npos) return item;
  if (!is_shell_name(item.name)) return refuse(fmt::format("\"{}\" cannot be a name", item.name));
  item.value = text.substr(equals + 1);
  return item;
}

bool means_nothing(std::string_view word) {
  return equals_ignoring_case(word, "NONE") || equals_ignoring_case(word, "NIL");
}

}  // namespace

Result<ExportRule> parse_export(const OptionValue& value) {
  if (value.text.empty()) return refuse("the list is empty; NONE exports nothing");
  ExportRule rule{false, {}, value.text};
  if (means_nothing(value.text)) return rule;
  for (const std::string& text : split_items(value)) {
    if (equals_ignoring_case(text, "ALL")) {
      rule.all = true;
      continue;
    }
    if (means_nothing(text)) return refuse(fmt::format("{} stands alone", text));
    rule.items.push_back(TRY(parse_item(text)));
  }
  return rule;
}

Environment select_environment(const ExportRule& rule, const Environment& caller) {
  Environment selected;
  const bool inside_job = find_variable(caller, "SLURM_JOB_ID") != nullptr;
  if (rule.all) {
    for (const std::string& entry : caller)
      if (!inside_job || !is_job_variable(name_of(entry))) selected.push_back(entry);
  }
  for (const ExportItem& item : rule.items) {
    if (item.value) {
      set_variable(selected, item.name, item.name + "=" + *item.value);
    } else if (const std::string* entry = find_variable(caller, item.name)) {
      set_variable(selected, item.name, *entry);
    }
  }
  if (!rule.all || !rule.items.empty())
    set_variable(selected, "SLURM_EXPORT_ENV", "SLURM_EXPORT_ENV=" + rule.given);
  return selected;
}

Environment without_identity(Environment caller) {
  std::erase_if(caller, [](const std::string& entry) {
    const std::string_view name = name_of(entry);
    return name == "HOME" || name == "USER" || name == "LOGNAME" || name == "SHELL";
  });
  return caller;
}

Environment merged(Environment weaker, const Environment& stronger) {
  std::unordered_set<std::string_view> names;
  for (const std::string& entry : stronger) names.insert(name_of(entry));
  std::erase_if(weaker, [&](const std::string& entry) { return names.contains(name_of(entry)); });
  weaker.insert(weaker.end(), stronger.begin(), stronger.end());
  return weaker;
}

std::vector<std::string> suspicious_words(const ExportRule& rule, const Environment& caller) {
  std::vector<std::string> words;
  bool behind_value = false;
  for (const ExportItem& item : rule.items) {
    if (item.value) behind_value = true;
    else if (behind_value && !find_variable(caller, item.name)) words.push_back(item.name);
  }
  return words;
}

Result<void> check_environment(const Environment& environment, const ExecLimits& limits) {
  std::size_t total = 0;
  for (const std::string& entry : environment) {
    const std::size_t bytes = entry.size() + 1;
    if (bytes > limits.variable_bytes)
      return Error{ErrorCode::environment_too_large,
                   fmt::format("variable {} takes {} bytes, the limit is {}", name_of(entry), bytes,
                               limits.variable_bytes)};
    total += bytes + sizeof(char*);
  }
  if (total > limits.total_bytes)
    return Error{ErrorCode::environment_too_large,
                 fmt::format("{} variables take {} bytes, the limit is {} (a quarter of the stack "
                             "limit)",
                             environment.size(), total, limits.total_bytes)};
  return {};
}

std::string joined(const Environment& environment) {
  std::string bytes;
  for (const std::string& entry : environment) bytes.append(entry).push_back('\0');
  return bytes;
}

}  // namespace sluice
