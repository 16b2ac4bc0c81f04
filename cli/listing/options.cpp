// options.cpp: a command's table against its environment and its line.
#include "cli/listing/options.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/listing/version.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// What every command has beside its own rows.
enum class Common { help, usage, version };
constexpr OptionText common_options[] = {
    {{"help", 0, OptionArgument::none}, nullptr, true, "show this help message"},
    {{"usage", 0, OptionArgument::none}, nullptr, true, "display brief usage message"},
    {{"version", 'V', OptionArgument::none}, nullptr, true, "output version information and exit"},
};

std::string shown(const OptionSyntax& option) {
  std::string text = option.letter ? fmt::format("  -{}, ", option.letter) : std::string("      ");
  text += fmt::format("--{}", option.name);
  if (option.argument == OptionArgument::required) text += "=VALUE";
  if (option.argument == OptionArgument::optional) text += "[=VALUE]";
  return text;
}

std::string help_text(const CommandTexts& texts, const std::vector<OptionText>& rows) {
  std::string out = fmt::format("Usage: {}\n", texts.usage);
  for (const OptionText& row : rows)
    if (row.honoured) out += fmt::format("{:<30} {}\n", shown(row.syntax), row.help);
  out += "\nHelp options:\n";
  for (const OptionText& row : common_options)
    out += fmt::format("{:<30} {}\n", shown(row.syntax), row.help);
  return out;
}

// Times are told without the command's name in front, as Slurm does.
std::string mistake_text(const char* command, const Error& error) {
  if (error.code == ErrorCode::invalid_time)
    return fmt::format("{} {}\n", error_row(error.code).text, error.detail);
  const char* kind = error.detail.starts_with("fatal: ") ? "" : "error: ";
  return fmt::format("{}: {}{}\n", command, kind, error.detail);
}

// Tells what is wrong; empty: the command goes on.
std::string apply_row(const char* command, const OptionText& row, std::size_t number,
                      std::string_view value, const ApplyOption& apply) {
  Result<void> applied;
  if (row.honoured) applied = apply(number, value);
  else
    applied = Error{ErrorCode::invalid_option,
                    fmt::format("option --{} is not supported yet", row.syntax.name)};
  if (applied.ok()) return {};
  std::fputs(mistake_text(command, applied.error()).c_str(), stderr);
  const Error& error = applied.error();
  return error.code == ErrorCode::invalid_time ? to_text(error) : error.detail;
}

bool voids(const OptionText& row, std::string_view variable) {
  if (row.environment && row.environment == variable) return true;
  const std::vector<std::string_view> others = split(row.voids, ' ');
  return std::find(others.begin(), others.end(), variable) != others.end();
}

std::string apply_environment(const char* command, const std::vector<OptionText>& rows,
                              const std::vector<OptionUse>& uses, const ApplyOption& apply) {
  const auto is_void = [&](std::string_view variable) {
    return std::any_of(uses.begin(), uses.end(), [&](const OptionUse& use) {
      return use.row < rows.size() && voids(rows[use.row], variable);
    });
  };
  for (std::size_t i = 0; i < rows.size(); ++i) {
    if (!rows[i].environment || is_void(rows[i].environment)) continue;
    const char* value = std::getenv(rows[i].environment);
    if (!value || !*value) continue;
    if (std::string mistake = apply_row(command, rows[i], i, value, apply); !mistake.empty())
      return mistake;
  }
  return {};
}

CommandLine over(int exit_code, std::string mistake = {}) {
  return CommandLine{exit_code, {}, std::move(mistake)};
}

CommandLine say(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  return over(0);
}

CommandLine answer_common(Common option, const CommandTexts& texts,
                          const std::vector<OptionText>& rows) {
  if (option == Common::help) return say(help_text(texts, rows));
  if (option == Common::usage) return say(fmt::format("Usage: {}\n", texts.usage));
  return say(fmt::format("{}\n", version_line));
}

CommandLine refuse_words(const char* command, const CommandTexts& texts, const Error& error) {
  std::fprintf(stderr, "%s: %s\n", command, error.detail.c_str());
  if (texts.says_try_help)
    std::fprintf(stderr, "Try \"%s --help\" for more information\n", command);
  return over(1, error.detail);
}

ManualOption manual_option(const OptionText& row) {
  return {.name = row.syntax.name,
          .letter = row.syntax.letter,
          .argument = row.syntax.argument,
          .value = "VALUE",
          .environment = row.environment ? row.environment : "",
          .help = row.help,
          .honoured = row.honoured};
}

}  // namespace

std::vector<ManualOption> manual_options(const std::vector<OptionText>& rows) {
  std::vector<ManualOption> options;
  for (const OptionText& row : rows) options.push_back(manual_option(row));
  for (const OptionText& row : common_options) options.push_back(manual_option(row));
  return options;
}

CommandLine read_command_line(int argc, char** argv, const CommandTexts& texts,
                              const std::vector<OptionText>& rows, const ApplyOption& apply) {
  std::vector<OptionSyntax> table;
  for (const OptionText& row : rows) table.push_back(row.syntax);
  for (const OptionText& row : common_options) table.push_back(row.syntax);
  Result<ParsedWords> parsed =
      parse_words(table, std::vector<std::string>(argv + 1, argv + argc), OperandRule::permutes);
  if (!parsed.ok()) return refuse_words(argv[0], texts, parsed.error());
  for (const OptionUse& use : parsed->uses)
    if (use.row >= rows.size())
      return answer_common(static_cast<Common>(use.row - rows.size()), texts, rows);
  std::string mistake = apply_environment(argv[0], rows, parsed->uses, apply);
  for (std::size_t i = 0; i < parsed->uses.size() && mistake.empty(); ++i) {
    const OptionUse& use = parsed->uses[i];
    mistake = apply_row(argv[0], rows[use.row], use.row, use.value, apply);
  }
  if (!mistake.empty()) return over(1, std::move(mistake));
  return CommandLine{std::nullopt, std::move(parsed->operands), {}};
}

}  // namespace sluice
