// submit_parse.cpp: carries words from the command line, the environment and the script to the
// table's rows, and puts what a row refuses into Slurm's sentences.
#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/options/pbs.h"
#include "common/options/script.h"
#include "common/options/submit_options.h"

namespace sluice {
namespace {

// How a refused value is told, by the kind of error. {0} option, {1} value, {2} detail, {3} the
// error table's text.
struct Sentence {
  ErrorCode code;
  const char* format;
  int exit_code;
};

constexpr int exit_usage = 255;
constexpr int exit_refused = 1;

constexpr std::array sentences = {
    Sentence{ErrorCode::invalid_option, "{2}", exit_usage},
    Sentence{ErrorCode::node_count_invalid, "{2}", exit_usage},
    Sentence{ErrorCode::not_supported, "--{0}{2} is not supported by Sluice yet", exit_usage},
    Sentence{ErrorCode::invalid_number, "Invalid numeric value \"{1}\" for --{0}.", exit_refused},
    Sentence{ErrorCode::invalid_array, "Batch job submission failed: {3}: {2}", exit_refused},
    Sentence{ErrorCode::invalid_feature, "Batch job submission failed: {3}: {2}", exit_refused},
    Sentence{ErrorCode::invalid_license, "Batch job submission failed: {3}: {2}", exit_refused},
    Sentence{ErrorCode::invalid_dependency, "Batch job submission failed: {3}: {2}", exit_refused},
    Sentence{ErrorCode::script_empty, "{2}", exit_refused},
    Sentence{ErrorCode::script_no_interpreter, "{2}", exit_refused},
    Sentence{ErrorCode::script_dos_line_ends, "{2}", exit_refused},
    // Any other kind; must be the last.
    Sentence{ErrorCode::internal, "Invalid --{0} specification: {2}", exit_usage},
};

const Sentence& sentence_of(ErrorCode code) {
  for (const Sentence& row : sentences)
    if (row.code == code) return row;
  return sentences.back();
}

// What a grammar names as not supported stands behind the option with a blank; a value with '='.
std::string detail_of(const Error& error) {
  if (error.code != ErrorCode::not_supported || error.detail.empty() || error.detail[0] == '=')
    return error.detail;
  return ": " + error.detail;
}

Error told(const Error& error, const SubmitOption& option, const OptionValue& value) {
  return Error{error.code,
               fmt::format(fmt::runtime(sentence_of(error.code).format), option.syntax.name,
                           value.text, detail_of(error), error_row(error.code).text)};
}

Error at_place(Error error, std::string_view place) {
  error.detail += fmt::format(" ({})", place);
  return error;
}

OptionValue value_of(const OptionUse& use, const std::vector<OptionValue>& words) {
  OptionValue value{use.value, {}};
  const std::string& marks = words[use.word].quoted;
  if (marks.size() >= use.value.size()) value.quoted = marks.substr(marks.size() - use.value.size());
  return value;
}

Error refuse_stray_word(const std::string& word) {
  return Error{ErrorCode::script_stray_word,
               fmt::format("{}: {}", error_row(ErrorCode::script_stray_word).text, word)};
}

Error refuse_nul() {
  return Error{ErrorCode::script_stray_word, "a NUL byte stands in a line of options"};
}

Result<void> apply_directive(SubmitRequest& request, const Directive& directive) {
  std::vector<std::string> words;
  for (const OptionValue& word : directive.words) {
    // getopt's words end at one.
    if (word.text.find('\0') != std::string::npos) return refuse_nul();
    words.push_back(word.text);
  }
  if (!words.empty() && (words.front() == "hetjob" || words.front() == "packjob"))
    return Error{ErrorCode::not_supported,
                 fmt::format("#SBATCH {} is not supported by Sluice yet", words.front())};
  const ParsedWords parsed = TRY(parse_words(submit_syntax(), words, OperandRule::ends));
  if (!parsed.operands.empty()) return refuse_stray_word(parsed.operands.front());
  for (const OptionUse& use : parsed.uses) {
    const SubmitOption& option = submit_options()[use.row];
    if (option.place == OptionPlace::command_line)
      return Error{ErrorCode::invalid_option,
                   fmt::format("--{} has no place in a script", option.syntax.name)};
    TRY(apply_option(request, option, value_of(use, directive.words), OptionOrigin::script));
  }
  return {};
}

const std::string* find_variable(const Environment& environment, std::string_view name) {
  for (const std::string& entry : environment)
    if (entry.size() > name.size() && entry[name.size()] == '=' &&
        std::string_view(entry).substr(0, name.size()) == name)
      return &entry;
  return nullptr;
}

}  // namespace

std::span<const OptionSyntax> submit_syntax() {
  static const std::vector<OptionSyntax> syntax = [] {
    std::vector<OptionSyntax> rows;
    for (const SubmitOption& option : submit_options()) rows.push_back(option.syntax);
    return rows;
  }();
  return syntax;
}

int exit_code_of_usage(const Error& error) { return sentence_of(error.code).exit_code; }

std::optional<OptionOrigin> origin_of(const SubmitRequest& request, std::string_view option) {
  std::optional<OptionOrigin> origin;
  for (const GivenOption& given : request.given)
    if (given.name == option) origin = given.origin;
  return origin;
}

Result<void> apply_option(SubmitRequest& request, const SubmitOption& option,
                          const OptionValue& value, OptionOrigin origin) {
  if (!option.apply) return told(Error{ErrorCode::not_supported, ""}, option, value);
  const Result<void> applied = option.apply(request, value);
  if (!applied.ok()) return told(applied.error(), option, value);
  request.given.push_back({option.syntax.name, value.text, origin});
  return {};
}

Result<void> apply_environment(SubmitRequest& request, const Environment& environment) {
  for (const SubmitOption& option : submit_options()) {
    const std::string* entry =
        option.environment ? find_variable(environment, option.environment) : nullptr;
    if (!entry) continue;
    const OptionValue value{entry->substr(std::string_view(option.environment).size() + 1), {}};
    Result<void> applied = apply_option(request, option, value, OptionOrigin::environment);
    if (!applied.ok())
      return at_place(applied.error(), fmt::format("variable {}", option.environment));
  }
  return {};
}

Result<void> apply_words(SubmitRequest& request, const ParsedWords& parsed) {
  for (const OptionUse& use : parsed.uses)
    TRY(apply_option(request, submit_options()[use.row], OptionValue{use.value, {}},
                     OptionOrigin::command_line));
  return {};
}

Result<std::vector<std::string>> apply_script(SubmitRequest& request, std::string_view script,
                                              std::string_view file) {
  Result<ScriptDirectives> readable = read_directives(script, file);
  if (!readable.ok()) return Error{readable.error().code, to_text(readable.error())};
  ScriptDirectives& read = *readable;
  for (const Directive& directive : read.directives) {
    const Result<void> applied = apply_directive(request, directive);
    if (!applied.ok()) return at_place(applied.error(), place_text(file, directive.line));
  }
  for (const Directive& line : read.pbs) {
    request.pbs_lines.push_back({place_text(file, line.line), {}});
    for (const OptionValue& word : line.words) {
      if (word.text.find('\0') != std::string::npos)
        return at_place(refuse_nul(), request.pbs_lines.back().place);
      request.pbs_lines.back().words.push_back(word.text);
    }
  }
  if (read.foreign_line) request.foreign_directive = place_text(file, read.foreign_line);
  return std::move(read.hints);
}

namespace {

struct MemoryOption {
  const char* name;
  std::optional<std::uint64_t> ResourceRequest::*member;
};
constexpr MemoryOption memory_options[] = {
    {"mem", &ResourceRequest::mem_per_node_mb},
    {"mem-per-cpu", &ResourceRequest::mem_per_cpu_mb},
    {"mem-per-gpu", &ResourceRequest::mem_per_gpu_mb},
};

// The strongest word wins; two of equal strength contradict each other.
Result<void> settle_memory(SubmitRequest& request) {
  ResourceRequest& asked = request.spec.request;
  std::optional<OptionOrigin> strongest;
  for (const MemoryOption& option : memory_options)
    if (asked.*option.member) strongest = std::max(strongest, origin_of(request, option.name));
  std::size_t left = 0;
  for (const MemoryOption& option : memory_options) {
    if (asked.*option.member && origin_of(request, option.name) == strongest) ++left;
    else (asked.*option.member).reset();
  }
  if (left <= 1) return {};
  return Error{ErrorCode::invalid_memory,
               "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."};
}

const SubmitOption& option_named(std::string_view name) {
  const auto options = submit_options();
  const auto at = std::find_if(options.begin(), options.end(), [&](const SubmitOption& option) {
    return option.syntax.name == name;
  });
  ASSERT(at != options.end());
  return *at;
}

Result<void> apply_pbs_line(SubmitRequest& request, const PbsLine& line,
                            const std::vector<GivenOption>& stronger) {
  auto translated = translate_pbs(line.words);
  if (!translated.ok() && translated.error().code == ErrorCode::not_supported)
    return Error{ErrorCode::not_supported,
                 translated.error().detail + " in Sluice; --ignore-pbs leaves such lines out"};
  if (!translated.ok()) return Error{ErrorCode::invalid_option, translated.error().detail};
  for (const auto& [name, value] : *translated) {
    const bool is_said =
        std::any_of(stronger.begin(), stronger.end(),
                    [&](const GivenOption& given) { return given.name == std::string_view(name); });
    if (!is_said) TRY(apply_option(request, option_named(name), {value, {}}, OptionOrigin::script));
  }
  return {};
}

// What was said for Slurm itself is stronger, wherever it stands.
Result<void> apply_pbs_lines(SubmitRequest& request) {
  if (request.ignore_pbs) return {};
  const std::vector<GivenOption> stronger = request.given;
  for (const PbsLine& line : std::vector<PbsLine>(request.pbs_lines))
    if (auto applied = apply_pbs_line(request, line, stronger); !applied.ok())
      return at_place(applied.error(), line.place);
  return {};
}

Result<void> check_foreign_directives(const SubmitRequest& request) {
  if (request.foreign_directive.empty() || request.ignore_pbs) return {};
  return at_place(Error{ErrorCode::not_supported,
                        "#BSUB directives are not supported by Sluice yet; --ignore-pbs leaves "
                        "them out"},
                  request.foreign_directive);
}

Result<void> check_node_count(const SubmitRequest& request) {
  const ResourceRequest& asked = request.spec.request;
  const std::size_t named = request.spec.placement.nodelist.size();
  if (!asked.nodes_max || named <= *asked.nodes_max) return {};
  return Error{ErrorCode::invalid_number,
               fmt::format("invalid number of nodes (-N {}-{})", named, *asked.nodes_max)};
}

// More nodes than tasks cannot be used.
void settle_nodes(SubmitRequest& request, std::vector<std::string>& notes) {
  ResourceRequest& asked = request.spec.request;
  if (!asked.ntasks || !asked.nodes_min || *asked.ntasks >= *asked.nodes_min) return;
  notes.push_back(fmt::format("Warning: can't run {} processes on {} nodes, setting nnodes to {}",
                              *asked.ntasks, *asked.nodes_min, *asked.ntasks));
  asked.nodes_min = *asked.ntasks;
  if (asked.nodes_max) asked.nodes_max = std::min(*asked.nodes_max, *asked.ntasks);
}

}  // namespace

Result<std::vector<std::string>> settle(SubmitRequest& request) {
  std::vector<std::string> notes;
  TRY(apply_pbs_lines(request));
  TRY(settle_memory(request));
  TRY(check_node_count(request));
  TRY(check_foreign_directives(request));
  settle_nodes(request, notes);
  return notes;
}

}  // namespace sluice
