// cli11_manual.h: man pages of the programs whose options CLI11 reads. It does not include CLI11,
// whose header is heavy: who includes this has done so before. Each of them has a hidden flag
// `--man`, which the build calls.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "common/options/manual.h"

namespace sluice {

template <class Option>
ManualOption manual_option(const Option& option) {
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
template <class App>
std::vector<OptionGroup> option_groups(const App& app) {
  std::vector<OptionGroup> groups = {{"", "", {}}};
  for (const auto* option : app.get_options())
    if (!option->get_group().empty() && !option->get_lnames().empty())
      groups.front().options.push_back(manual_option(*option));
  for (const auto* verb : app.get_subcommands([](const App*) { return true; })) {
    OptionGroup group = std::move(option_groups(*verb).front());
    std::erase_if(group.options, [](const ManualOption& option) { return option.name == "help"; });
    group.title = verb->get_name();
    for (const auto* option : verb->get_options())
      if (option->get_lnames().empty()) group.title += " " + option->get_name();
    group.summary = verb->get_description();
    groups.push_back(std::move(group));
  }
  return groups;
}

template <class App>
std::string man_page_of(const App& app, const ManualText& text) {
  return man_page(text, option_groups(app));
}

}  // namespace sluice
