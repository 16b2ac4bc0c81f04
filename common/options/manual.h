// manual.h: man pages. Options come from the tables that read command lines, so that none is
// written twice; only the prose is written for its page. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/options/command_line.h"

namespace sluice {

// A row of some program's option table, as users read it.
struct ManualOption {
  std::string name;  // long form, without dashes
  char letter = 0;   // 0: none
  ArgumentKind argument = ArgumentKind::none;
  std::string value;        // what stands for its argument
  std::string environment;  // variable that says the same; empty: none
  std::string help;         // without a dot at its end
  bool honoured = true;     // false: an option of Slurm that is refused by name
};

// The options of a program or, with a title, of one of its verbs.
struct OptionGroup {
  std::string title;
  std::string summary;
  std::vector<ManualOption> options;
};

// A page without its options. `text` is made of lines: "# TITLE" begins a section, a blank line
// ends a paragraph, "- TERM: text" is an entry of a list that goes on in lines indented by two,
// lines indented by four stand as they are, and what is between ` is bold. The sections OPTIONS and
// ENVIRONMENT get the rows of the tables behind their own text.
struct ManualText {
  std::string name;  // "sbatch"
  int section = 1;
  std::string summary;   // behind the dash of NAME
  std::string synopsis;  // a form a line
  std::string text;
};

// "charge the job" -> "Charge the job."
std::string sentence(std::string text);

// The page for man(1), in the language of groff_man(7).
std::string man_page(const ManualText& text, const std::vector<OptionGroup>& groups);

}  // namespace sluice
