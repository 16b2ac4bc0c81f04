// submit_help.cpp: the table as text.
#include <fmt/format.h>

#include "common/options/submit_options.h"

namespace sluice {
namespace {

constexpr std::size_t left_width = 36;

std::string left_of(const SubmitOption& option) {
  std::string text = option.syntax.letter ? fmt::format("  -{}, ", option.syntax.letter) : "      ";
  text += fmt::format("--{}", option.syntax.name);
  const char* word = option.placeholder ? option.placeholder : "";
  if (option.syntax.argument == ArgumentKind::required) text += fmt::format("={}", word);
  if (option.syntax.argument == ArgumentKind::optional && *word) text += fmt::format("[={}]", word);
  return text;
}

bool is_help_option(const SubmitOption& option) {
  const std::string_view name = option.syntax.name;
  return name == "help" || name == "usage" || name == "version";
}

std::string line_of(const SubmitOption& option) {
  const std::string left = left_of(option);
  std::string line = left.size() < left_width ? fmt::format("{:<{}}", left, left_width)
                                              : fmt::format("{}\n{:{}}", left, "", left_width);
  line += option.help;
  if (option.environment) line += fmt::format(" [{}]", option.environment);
  return line + "\n";
}

// Names in lines of at most 80 characters.
std::string names_of_later() {
  std::string text, line = " ";
  for (const SubmitOption& option : submit_options()) {
    if (option.apply) continue;
    if (line.size() + std::string_view(option.syntax.name).size() > 76) {
      text += line + "\n";
      line = " ";
    }
    line += fmt::format(" --{}", option.syntax.name);
  }
  return text + line + "\n";
}

}  // namespace

std::string submit_help() {
  std::string text = "\nRun options:\n";
  for (const SubmitOption& option : submit_options())
    if (option.apply && !is_help_option(option)) text += line_of(option);
  text += "\nHelp options:\n";
  for (const SubmitOption& option : submit_options())
    if (is_help_option(option)) text += line_of(option);
  text += "\nOptions of Slurm that are not supported yet, and refused:\n";
  return text + names_of_later();
}

std::vector<ManualOption> submit_manual_options() {
  const auto text = [](const char* word) { return std::string(word ? word : ""); };
  std::vector<ManualOption> options;
  for (const SubmitOption& option : submit_options())
    options.push_back({.name = option.syntax.name,
                       .letter = option.syntax.letter,
                       .argument = option.placeholder ? option.syntax.argument : ArgumentKind::none,
                       .value = text(option.placeholder),
                       .environment = text(option.environment),
                       .help = text(option.help),
                       .honoured = option.apply != nullptr});
  return options;
}

}  // namespace sluice
