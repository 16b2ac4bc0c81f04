// arguments.cpp: CLI11's part.
#include "common/arguments/arguments.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <cstdlib>
#include <limits>
#include <utility>

namespace sluice {
namespace {

ManualOption manual_option(const CLI::Option& option) {
  ManualOption row;
  row.name = option.get_lnames().front();
  if (!option.get_snames().empty()) row.letter = option.get_snames().front().front();
  const bool takes_value = option.get_items_expected_max() > 0;
  row.argument = takes_value ? ArgumentKind::required : ArgumentKind::none;
  row.value = "VALUE";
  row.help = option.get_description();
  if (!option.get_default_str().empty()) row.help += " (default: " + option.get_default_str() + ")";
  return row;
}

// The options of a program, then those of each of its verbs; what has no group is hidden.
std::vector<OptionGroup> option_groups(const CLI::App& app) {
  std::vector<OptionGroup> groups = {{"", "", {}}};
  for (const CLI::Option* option : app.get_options())
    if (!option->get_group().empty() && !option->get_lnames().empty())
      groups.front().options.push_back(manual_option(*option));
  for (const CLI::App* verb : app.get_subcommands([](const CLI::App*) { return true; })) {
    OptionGroup group = std::move(option_groups(*verb).front());
    std::erase_if(group.options, [](const ManualOption& option) { return option.name == "help"; });
    group.title = verb->get_name();
    for (const CLI::Option* option : verb->get_options())
      if (option->get_lnames().empty()) group.title += " " + option->get_name();
    group.summary = verb->get_description();
    groups.push_back(std::move(group));
  }
  return groups;
}

template <class Value>
void add(CLI::App& app, const std::string& names, Value& to, const std::string& help,
         const ArgumentRules& rules) {
  CLI::Option* option = app.add_option(names, to, help);
  if (rules.is_required) option->required();
  if (rules.shows_default) option->capture_default_str();
  constexpr std::uint32_t any = std::numeric_limits<std::uint32_t>::max();
  if (rules.least > 0 || rules.most)
    option->check(CLI::Range(rules.least, rules.most.value_or(any)));
  if (!rules.words.empty()) option->check(CLI::IsMember(rules.words));
}

}  // namespace

Arguments::Arguments(const std::string& name, const std::string& summary)
    : app_(std::make_shared<CLI::App>(summary)) {
  app_->name(name);
}

void Arguments::option(const std::string& names, std::string& to, const std::string& help,
                       const ArgumentRules& rules) {
  add(*app_, names, to, help, rules);
}
void Arguments::option(const std::string& names, std::uint32_t& to, const std::string& help,
                       const ArgumentRules& rules) {
  add(*app_, names, to, help, rules);
}
void Arguments::option(const std::string& names, std::size_t& to, const std::string& help,
                       const ArgumentRules& rules) {
  add(*app_, names, to, help, rules);
}
void Arguments::option(const std::string& names, std::optional<std::size_t>& to,
                       const std::string& help, const ArgumentRules& rules) {
  add(*app_, names, to, help, rules);
}
void Arguments::flag(const std::string& names, bool& to, const std::string& help) {
  app_->add_flag(names, to, help);
}

void Arguments::version(const std::string& text) { app_->set_version_flag("-V,--version", text); }
void Arguments::footer(const std::string& text) { app_->footer(text); }

void Arguments::manual(const ManualText& text) {
  const auto print = [app = app_.get(), text] {
    fmt::print("{}", man_page(text, option_groups(*app)));
    std::exit(0);
  };
  app_->add_flag_callback("--man", print)->group("");
}

Arguments Arguments::verb(const std::string& name, const std::string& summary,
                          std::function<void()> chosen) {
  app_->require_subcommand(1);
  CLI::App* verb = app_->add_subcommand(name, summary);
  verb->callback(std::move(chosen));
  return Arguments{std::shared_ptr<CLI::App>(app_, verb)};
}

void Arguments::parse(int argc, char** argv) {
  try {
    app_->parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    std::exit(app_->exit(error));
  }
}

}  // namespace sluice
