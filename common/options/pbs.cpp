// pbs.cpp: tables of PBS's options and resources.
#include "common/options/pbs.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "common/options/text.h"

namespace sluice {
namespace {

using Options = std::vector<TranslatedOption>;

Error no_counterpart(std::string_view what) {
  return Error{ErrorCode::not_supported, fmt::format("#PBS {} has no counterpart", what)};
}

Error bad_value(std::string_view what, std::string_view value) {
  return Error{ErrorCode::invalid_argument,
               fmt::format("#PBS {}: \"{}\" cannot be read", what, value)};
}

// --- resources ---------------------------------------------------------------------------------

// A number alone is of bytes.
std::string memory(std::string_view value) {
  std::string_view digits = value;
  if (digits.ends_with('b') || digits.ends_with('B')) digits.remove_suffix(1);
  const auto bytes = parse_number(digits);
  if (!bytes) return std::string(value);
  return fmt::format("{}K", (*bytes + 1023) / 1024);
}

// A number alone is of seconds.
std::string time_limit(std::string_view value) {
  const auto seconds = parse_number(value);
  if (!seconds) return std::string(value);
  return fmt::format("{}", std::max<std::uint64_t>(1, (*seconds + 59) / 60));
}

std::string unchanged(std::string_view value) { return std::string(value); }

struct Resource {
  const char* name;
  const char* option;
  std::string (*convert)(std::string_view value);
};
constexpr Resource resources[] = {
    {"walltime", "time", time_limit},
    {"mem", "mem", memory},
    {"pmem", "mem-per-cpu", memory},
    {"file", "tmp", memory},
    {"procs", "ntasks", unchanged},
    {"ncpus", "cpus-per-task", unchanged},
    {"ngpus", "gpus-per-node", unchanged},
    {"naccelerators", "gpus-per-node", unchanged},
    {"nice", "nice", unchanged},
    {"host", "nodelist", unchanged},
    {"mppwidth", "ntasks", unchanged},
    {"mppdepth", "cpus-per-task", unchanged},
    {"mppnppn", "ntasks-per-node", unchanged},
    {"mppmem", "mem", memory},
};
// Of one chunk of "select=2:ncpus=4:mpiprocs=2".
constexpr Resource chunk_resources[] = {
    {"mem", "mem", memory},
    {"ngpus", "gpus-per-node", unchanged},
    {"host", "nodelist", unchanged},
};

template <std::size_t N>
const Resource* find_resource(const Resource (&rows)[N], std::string_view name) {
  for (const Resource& row : rows)
    if (name == row.name) return &row;
  return nullptr;
}

std::pair<std::string_view, std::string_view> key_and_value(std::string_view text) {
  const std::size_t equals = text.find('=');
  if (equals == std::string_view::npos) return {text, {}};
  return {text.substr(0, equals), text.substr(equals + 1)};
}

// "2:ppn=4:bigmem", "n1:ppn=4".
Result<void> translate_nodes(std::string_view value, Options& options) {
  if (value.find('+') != std::string_view::npos)
    return no_counterpart(fmt::format("-l nodes={} (several kinds of nodes)", value));
  const std::vector<std::string_view> parts = split(value, ':');
  options.emplace_back(parse_number(parts.front()) ? "nodes" : "nodelist", parts.front());
  std::string features;
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto [key, number] = key_and_value(parts[i]);
    if (key == "ppn") options.emplace_back("ntasks-per-node", number);
    else if (key == "gpus") options.emplace_back("gpus-per-node", number);
    else if (!number.empty()) return no_counterpart(fmt::format("-l nodes=...:{}", parts[i]));
    else features.append(features.empty() ? "" : "&").append(key);
  }
  if (!features.empty()) options.emplace_back("constraint", features);
  return {};
}

// "2:ncpus=8:mpiprocs=4:mem=4gb": so many chunks, one a node, each with so many tasks.
Result<void> translate_select(std::string_view value, Options& options) {
  if (value.find('+') != std::string_view::npos)
    return no_counterpart(fmt::format("-l select={} (several kinds of chunks)", value));
  const std::vector<std::string_view> parts = split(value, ':');
  std::optional<std::uint64_t> cpus;
  std::uint64_t tasks = 1;
  options.emplace_back("nodes", parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) {
    const auto [key, text] = key_and_value(parts[i]);
    const auto number = parse_number(text);
    if (const Resource* row = find_resource(chunk_resources, key)) {
      options.emplace_back(row->option, row->convert(text));
    } else if (key == "ncpus" && number) {
      cpus = number;
    } else if (key == "mpiprocs" && number && *number > 0) {
      tasks = *number;
    } else {
      return no_counterpart(fmt::format("-l select=...:{}", parts[i]));
    }
  }
  options.emplace_back("ntasks-per-node", fmt::format("{}", tasks));
  if (cpus) options.emplace_back("cpus-per-task", fmt::format("{}", (*cpus + tasks - 1) / tasks));
  return {};
}

Result<void> translate_resources(const std::string& list, Options& options) {
  for (const std::string_view element : split(list, ',')) {
    const auto [key, value] = key_and_value(element);
    if (value.empty()) return bad_value("-l", element);
    if (key == "nodes") TRY(translate_nodes(value, options));
    else if (key == "select") TRY(translate_select(value, options));
    else if (key == "place" && (value == "free" || value == "scatter")) continue;
    else if (key == "place" && value == "excl") options.emplace_back("exclusive", "");
    else if (const Resource* row = find_resource(resources, key))
      options.emplace_back(row->option, row->convert(value));
    else return no_counterpart(fmt::format("-l {}", key));
  }
  return {};
}

// --- options -----------------------------------------------------------------------------------

template <const char* const& Option>
Result<void> as_it_is(const std::string& value, Options& options) {
  options.emplace_back(Option, value);
  return {};
}

constexpr const char* account = "account";
constexpr const char* array = "array";
constexpr const char* mail_user = "mail-user";
constexpr const char* job_name = "job-name";
constexpr const char* chdir = "chdir";

// "[[CC]YY]MMDDhhmm[.SS]", "hhmm".
Result<void> begin(const std::string& value, Options& options) {
  const std::string digits = value.substr(0, value.find('.'));
  if (!parse_number(digits)) return bad_value("-a", value);
  const auto part = [&](std::size_t from_end, std::size_t size) {
    return digits.substr(digits.size() - from_end, size);
  };
  std::string text;
  if (digits.size() == 4) text = fmt::format("{}:{}", part(4, 2), part(2, 2));
  else if (digits.size() == 8)
    text = fmt::format("{}/{} {}:{}", part(8, 2), part(6, 2), part(4, 2), part(2, 2));
  else if (digits.size() == 10 || digits.size() == 12)
    text = fmt::format("{}{}-{}-{}T{}:{}", digits.size() == 10 ? "20" : "",
                       digits.substr(0, digits.size() - 8), part(8, 2), part(6, 2), part(4, 2),
                       part(2, 2));
  else return bad_value("-a", value);
  options.emplace_back("begin", text);
  return {};
}

std::string without_host(const std::string& path) { return path.substr(path.find(':') + 1); }

Result<void> error_file(const std::string& value, Options& options) {
  options.emplace_back("error", without_host(value));
  return {};
}
Result<void> output_file(const std::string& value, Options& options) {
  options.emplace_back("output", without_host(value));
  return {};
}
Result<void> hold(const std::string&, Options& options) {
  options.emplace_back("hold", "");
  return {};
}
// Both in the output file is how it is here.
Result<void> join(const std::string& value, Options&) {
  return value == "oe" ? Result<void>{} : no_counterpart("-j " + value);
}
Result<void> mail(const std::string& value, Options& options) {
  std::string types;
  for (const char letter : value) {
    const char* type = letter == 'a'   ? "FAIL"
                       : letter == 'b' ? "BEGIN"
                       : letter == 'e' ? "END"
                       : letter == 'n' ? "NONE"
                                       : nullptr;
    if (!type) return bad_value("-m", value);
    types.append(types.empty() ? "" : ",").append(type);
  }
  options.emplace_back("mail-type", types);
  return {};
}
Result<void> priority(const std::string& value, Options& options) {
  const auto number = parse_signed(value);
  if (!number || *number < -1024 || *number > 1023) return bad_value("-p", value);
  options.emplace_back("nice", fmt::format("{}", -*number));
  return {};
}
Result<void> queue(const std::string& value, Options& options) {
  if (value.find('@') != std::string::npos) return no_counterpart("-q " + value);
  options.emplace_back("partition", value);
  return {};
}
Result<void> rerun(const std::string& value, Options& options) {
  if (value != "y" && value != "n") return bad_value("-r", value);
  options.emplace_back(value == "y" ? "requeue" : "no-requeue", "");
  return {};
}
Result<void> variables(const std::string& value, Options& options) {
  options.emplace_back("export", value);
  return {};
}
Result<void> all_variables(const std::string&, Options& options) {
  options.emplace_back("export", "ALL");
  return {};
}
// "depend=afterok:12.server:13".
Result<void> attributes(const std::string& value, Options& options) {
  const auto [key, text] = key_and_value(value);
  if (key != "depend") return no_counterpart("-W " + value);
  std::string dependency;
  bool in_server = false;
  for (const char c : text) {
    in_server = (in_server || c == '.') && c != ':' && c != ',';
    if (!in_server) dependency += c;
  }
  options.emplace_back("dependency", dependency);
  return {};
}

struct Row {
  char letter;
  bool has_value;
  Result<void> (*translate)(const std::string& value, Options& options);
};
constexpr Row rows[] = {
    {'A', true, as_it_is<account>},
    {'J', true, as_it_is<array>},
    {'M', true, as_it_is<mail_user>},
    {'N', true, as_it_is<job_name>},
    {'V', false, all_variables},
    {'W', true, attributes},
    {'a', true, begin},
    {'d', true, as_it_is<chdir>},
    {'e', true, error_file},
    {'h', false, hold},
    {'j', true, join},
    {'l', true, translate_resources},
    {'m', true, mail},
    {'o', true, output_file},
    {'p', true, priority},
    {'q', true, queue},
    {'r', true, rerun},
    {'t', true, as_it_is<array>},
    {'v', true, variables},
    {'w', true, as_it_is<chdir>},
};

const Row* find_row(char letter) {
  for (const Row& row : rows)
    if (row.letter == letter) return &row;
  return nullptr;
}

}  // namespace

Result<std::vector<TranslatedOption>> translate_pbs(const std::vector<std::string>& words) {
  Options options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const std::string& word = words[i];
    const Row* row = word.size() >= 2 && word[0] == '-' ? find_row(word[1]) : nullptr;
    if (!row || (!row->has_value && word.size() > 2)) return no_counterpart(word);
    std::string value = word.substr(2);
    if (row->has_value && value.empty()) {
      if (i + 1 == words.size()) return bad_value(word, "");
      value = words[++i];
    }
    TRY(row->translate(value, options));
  }
  return options;
}

}  // namespace sluice
