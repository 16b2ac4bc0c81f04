// manual.cpp: lines of prose and rows of tables as roff.
#include "common/options/manual.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/options/text.h"

namespace sluice {
namespace {

// What roff would take for its own: an escape, a hyphen that is a minus, quotes that become curly.
std::string escaped(std::string_view text) {
  std::string out;
  for (char c : text) {
    if (c == '\\') out += "\\e";
    else if (c == '-') out += "\\-";
    else if (c == '\'') out += "\\(aq";
    else if (c == '~') out += "\\(ti";
    else if (c == '^') out += "\\(ha";
    else out += c;
  }
  return out;
}

std::string bold(std::string_view text) { return fmt::format("\\fB{}\\fR", escaped(text)); }
std::string italic(std::string_view text) { return fmt::format("\\fI{}\\fR", escaped(text)); }

// A line of text, with `words` in bold. A dot in front would be a request.
std::string filled(std::string_view text) {
  std::string out = text.starts_with('.') ? "\\&" : "";
  bool is_bold = false;
  for (std::string_view piece : split(text, '`')) {
    if (!piece.empty()) out += is_bold ? bold(piece) : escaped(piece);
    is_bold = !is_bold;
  }
  return out + "\n";
}

// Turns lines of prose into roff; keeps which kind of block it is in.
class Prose {
 public:
  void add(std::string_view line) {
    if (line.starts_with("    ")) return add_literal(line.substr(4));
    if (is_literal_ && line.empty()) return add_literal(line);
    end_literal();
    if (line.empty()) is_new_ = true;
    else if (line.starts_with("- ")) add_entry(line.substr(2));
    else if (line.starts_with("  ")) out_ += filled(line.substr(2));
    else add_words(line);
  }
  std::string take() {
    end_literal();
    return std::move(out_);
  }

 private:
  void add_literal(std::string_view line) {
    if (!is_literal_) out_ += ".PP\n.RS 4\n.EX\n";
    is_literal_ = true;
    if (line.empty()) {
      ++blank_lines_;
      return;
    }
    for (; blank_lines_ > 0; --blank_lines_) out_ += "\n";
    out_ += (line.starts_with('.') ? "\\&" : "") + escaped(line) + "\n";
  }
  void end_literal() {
    if (is_literal_) out_ += ".EE\n.RE\n";
    is_literal_ = false;
    is_new_ = is_new_ || blank_lines_ > 0;
    blank_lines_ = 0;
  }
  void add_entry(std::string_view line) {
    const std::size_t colon = line.find(": ");
    ASSERT(colon != std::string_view::npos);
    out_ += fmt::format(".TP\n{}\n{}", bold(line.substr(0, colon)), filled(line.substr(colon + 2)));
    is_new_ = false;
  }
  void add_words(std::string_view line) {
    if (is_new_) out_ += ".PP\n";
    is_new_ = false;
    out_ += filled(line);
  }

  std::string out_;
  bool is_literal_ = false;
  bool is_new_ = true;  // the next words begin a paragraph
  int blank_lines_ = 0;
};

std::string argument_of(const ManualOption& option) {
  switch (option.argument) {
    case ArgumentKind::none:
      return "";
    case ArgumentKind::required:
      return "=" + italic(option.value);
    case ArgumentKind::optional:
      return "[=" + italic(option.value) + "]";
  }
  return "";
}

std::string option_entry(const ManualOption& option) {
  const std::string letter =
      option.letter ? bold(fmt::format("-{}", option.letter)) + ", " : std::string();
  return fmt::format(".TP\n{}{}{}\n{}", letter, bold("--" + option.name), argument_of(option),
                     filled(sentence(option.help)));
}

std::string refused_options(const OptionGroup& group) {
  std::string names;
  for (const ManualOption& option : group.options)
    if (!option.honoured) names += (names.empty() ? "" : ",\n") + bold("--" + option.name);
  if (names.empty()) return names;
  return ".PP\nThese options of Slurm are not built yet, and are refused by name:\n" + names +
         ".\n";
}

std::string options_text(const std::vector<OptionGroup>& groups) {
  std::string out;
  for (const OptionGroup& group : groups) {
    if (!group.title.empty())
      out += fmt::format(".SS {}\n{}", escaped(group.title), filled(sentence(group.summary)));
    for (const ManualOption& option : group.options)
      if (option.honoured) out += option_entry(option);
    out += refused_options(group);
  }
  return out;
}

std::string environment_text(const std::vector<OptionGroup>& groups) {
  std::string out;
  for (const OptionGroup& group : groups)
    for (const ManualOption& option : group.options)
      if (option.honoured && !option.environment.empty())
        out += fmt::format(".TP\n{}\nThe same as {}.\n", bold(option.environment),
                           bold("--" + option.name));
  return out;
}

std::string head(const ManualText& text) {
  std::string title = text.name;
  for (char& c : title)
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  std::string out = fmt::format(".TH {} {} \"\" \"Sluice {}\" \"Sluice\"\n", escaped(title),
                                text.section, SLUICE_VERSION);
  out += ".nh\n.ad l\n";
  out +=
      fmt::format(".SH NAME\n{} \\- {}\n.SH SYNOPSIS\n", escaped(text.name), escaped(text.summary));
  const char* between = "";
  for (std::string_view form : split(text.synopsis, '\n')) {
    out += between + filled(form);
    between = ".br\n";
  }
  return out;
}

struct Section {
  std::string_view title;
  std::vector<std::string_view> lines;
};

std::vector<Section> sections_of(std::string_view text) {
  std::vector<Section> sections;
  for (std::string_view line : split(text, '\n')) {
    if (line.starts_with("# ")) {
      sections.push_back({line.substr(2), {}});
      continue;
    }
    ASSERT(!sections.empty() || line.empty());
    if (!sections.empty()) sections.back().lines.push_back(line);
  }
  return sections;
}

std::string body(const Section& section, const std::vector<OptionGroup>& groups) {
  Prose prose;
  for (std::string_view line : section.lines) prose.add(line);
  std::string out = prose.take();
  if (section.title == "OPTIONS") out += options_text(groups);
  if (section.title == "ENVIRONMENT") out = environment_text(groups) + out;
  return out;
}

}  // namespace

std::string sentence(std::string text) {
  if (!text.empty() && text.front() >= 'a' && text.front() <= 'z')
    text.front() = static_cast<char>(text.front() - 'a' + 'A');
  return text + ".";
}

std::string man_page(const ManualText& text, const std::vector<OptionGroup>& groups) {
  std::string out =
      fmt::format(".\\\" Made from the program's own tables; do not edit.\n{}", head(text));
  for (const Section& section : sections_of(text.text))
    out += fmt::format(".SH {}\n{}", escaped(section.title), body(section, groups));
  return out;
}

}  // namespace sluice
