// script.cpp: lines, words and quotes of a batch script.
#include "common/options/script.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::string_view marker = "#SBATCH";
constexpr std::string_view pbs_marker = "#PBS";
constexpr std::size_t hints_max = 8;
constexpr std::size_t shown_bytes_max = 60;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\f' || c == '\v' || c == '\r'; }

bool begins_with(std::string_view text, std::string_view prefix) {
  return text.substr(0, prefix.size()) == prefix;
}

std::string_view without_blanks_in_front(std::string_view line) {
  while (!line.empty() && is_blank(line.front())) line.remove_prefix(1);
  return line;
}

// Takes the next line from `rest`, without its newline.
std::string_view take_line(std::string_view& rest) {
  const std::size_t end = rest.find('\n');
  const std::string_view line = rest.substr(0, end);
  rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  return line;
}

bool is_marked(std::string_view line, std::string_view with) {
  return begins_with(line, with) && (line.size() == with.size() || is_blank(line[with.size()]));
}

bool is_directive(std::string_view line) { return is_marked(line, marker); }
bool is_foreign(std::string_view line) { return is_marked(line, "#BSUB"); }

// "# SBATCH", "#sbatch", "#SBATCHX", " #SBATCH"; not "##SBATCH", by which people disable a line.
bool looks_like_directive(std::string_view line) {
  std::string_view text = without_blanks_in_front(line);
  if (!begins_with(text, "#") || begins_with(text, "##")) return false;
  text = without_blanks_in_front(text.substr(1));
  const std::string_view word = marker.substr(1);
  if (!equals_ignoring_case(text.substr(0, word.size()), word)) return false;
  // "# sbatch is called by ..." is prose; an option follows a slip.
  const std::string_view next = without_blanks_in_front(text.substr(word.size()));
  return begins_with(next, "-") || begins_with(text, word);
}

std::string shown(std::string_view line) {
  std::string text(line.substr(0, shown_bytes_max));
  for (char& c : text)
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = '?';
  return line.size() > shown_bytes_max ? text + "..." : text;
}

// Splits one directive line into words. State machine over characters; `quote` is the open quote.
class WordReader {
 public:
  // False: a quote is not closed.
  bool read(std::string_view line) {
    for (std::size_t i = 0; i < line.size(); ++i) {
      const char c = line[i];
      const bool has_next = i + 1 < line.size();
      if (quote_) read_quoted(line, i);
      else if (c == '\'' || c == '"') open(c);
      else if (c == '\\' && has_next) add(line[++i], '1');
      else if (is_blank(c)) in_word_ = false;
      else if (c == '#' && !in_word_) return true;
      else add(c, '0');
    }
    return quote_ == 0;
  }
  std::vector<OptionValue> take() { return std::move(words_); }

 private:
  // Inside double quotes a backslash escapes a quote and itself; inside single quotes nothing.
  void read_quoted(std::string_view line, std::size_t& i) {
    const char next = i + 1 < line.size() ? line[i + 1] : '\0';
    if (line[i] == quote_) quote_ = 0;
    else if (quote_ == '"' && line[i] == '\\' && (next == '"' || next == '\\')) add(line[++i], '1');
    else add(line[i], '1');
  }
  void open(char quote) {
    quote_ = quote;
    start_word();
  }
  void start_word() {
    if (!in_word_) words_.emplace_back();
    in_word_ = true;
  }
  void add(char c, char mark) {
    start_word();
    words_.back().text += c;
    words_.back().quoted += mark;
  }

  std::vector<OptionValue> words_;
  char quote_ = 0;
  bool in_word_ = false;
};

std::size_t line_of(std::string_view script, std::size_t at) {
  return 1 + static_cast<std::size_t>(
                 std::count(script.begin(), script.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
}

Result<void> check_form(std::string_view script, std::string_view file) {
  if (script.empty())
    return Error{ErrorCode::script_empty,
                 fmt::format("{}: line 1 must start with #!, found nothing", place_text(file, 1))};
  const std::size_t dos = script.find("\r\n");
  if (begins_with(script, "#!") && dos != std::string_view::npos)
    return Error{ErrorCode::script_dos_line_ends,
                 fmt::format("{}: the first such line; `sed -i 's/\\r$//' {}` cures it",
                             place_text(file, line_of(script, dos)), file)};
  if (begins_with(script, "#!")) return {};
  return Error{ErrorCode::script_no_interpreter,
               fmt::format("{}: line 1 must start with #!, found \"{}\"", place_text(file, 1),
                           shown(script.substr(0, script.find('\n'))))};
}

// Directives below the first command change nothing; people are surprised by that.
void hint_at_ignored(std::string_view rest, std::size_t line_number, std::string_view file,
                     std::vector<std::string>& hints) {
  while (!rest.empty() && hints.size() < hints_max) {
    if (is_directive(rest))
      hints.push_back(fmt::format("{}: ignored, because a command came before: {}",
                                  place_text(file, line_number),
                                  shown(rest.substr(0, rest.find('\n')))));
    take_line(rest);
    ++line_number;
  }
}

Result<Directive> read_directive(std::string_view line, std::string_view words, std::size_t number,
                                 std::string_view file) {
  WordReader reader;
  if (!reader.read(words))
    return Error{ErrorCode::script_stray_word, fmt::format("a quote is not closed ({}: {})",
                                                           place_text(file, number), shown(line))};
  return Directive{number, reader.take()};
}

}  // namespace

std::string place_text(std::string_view file, std::size_t line) {
  return fmt::format("{}:{}", file, line);
}

Result<ScriptDirectives> read_directives(std::string_view script, std::string_view file) {
  TRY(check_form(script, file));
  ScriptDirectives read;
  std::string_view rest = script;
  for (std::size_t number = 1; !rest.empty(); ++number) {
    const std::string_view from_here = rest;
    const std::string_view line = take_line(rest);
    const std::string_view content = without_blanks_in_front(line);
    if (is_directive(line)) {
      read.directives.push_back(
          TRY(read_directive(line, line.substr(marker.size()), number, file)));
    } else if (is_marked(line, pbs_marker)) {
      read.pbs.push_back(TRY(read_directive(line, line.substr(pbs_marker.size()), number, file)));
    } else if (!content.empty() && content.front() != '#') {
      hint_at_ignored(from_here, number, file, read.hints);
      break;
    } else if (is_foreign(line) && read.foreign_line == 0) {
      read.foreign_line = number;
    } else if (looks_like_directive(line) && read.hints.size() < hints_max) {
      read.hints.push_back(fmt::format("{}: taken as a comment, only \"#SBATCH \" is read: {}",
                                       place_text(file, number), shown(line)));
    }
  }
  return read;
}

}  // namespace sluice
