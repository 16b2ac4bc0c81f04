// command_line.cpp: feeds getopt_long from a table and says in words what it refuses.
#include "common/options/command_line.h"

#include <fmt/format.h>
#include <getopt.h>

#include <algorithm>
#include <string_view>

namespace sluice {
namespace {

// Values that getopt_long returns for long options: the row, out of the way of letters.
constexpr int row_base = 1000;

std::string colons_of(ArgumentKind argument) {
  switch (argument) {
    case ArgumentKind::none: return "";
    case ArgumentKind::required: return ":";
    case ArgumentKind::optional: return "::";
  }
  return "";
}

std::string short_options(std::span<const OptionSyntax> table, OperandRule rule) {
  std::string text = rule == OperandRule::ends ? "+:" : ":";
  for (const OptionSyntax& row : table)
    if (row.letter) text += row.letter + colons_of(row.argument);
  return text;
}

std::vector<option> long_options(std::span<const OptionSyntax> table) {
  std::vector<option> rows;
  for (std::size_t i = 0; i < table.size(); ++i)
    rows.push_back({table[i].name, static_cast<int>(table[i].argument), nullptr,
                    row_base + static_cast<int>(i)});
  rows.push_back({nullptr, 0, nullptr, 0});
  return rows;
}

const OptionSyntax* row_of(std::span<const OptionSyntax> table, int code) {
  if (code >= row_base) return &table[static_cast<std::size_t>(code - row_base)];
  for (const OptionSyntax& row : table)
    if (row.letter && row.letter == code) return &row;
  return nullptr;
}

std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1), row(right.size() + 1);
  std::vector<std::size_t> earlier;
  for (std::size_t j = 0; j <= right.size(); ++j) row[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    earlier = before;
    before = row;
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      const std::size_t cost = left[i - 1] == right[j - 1] ? 0 : 1;
      row[j] = std::min({before[j] + 1, row[j - 1] + 1, before[j - 1] + cost});
      const bool swapped = i > 1 && j > 1 && left[i - 1] == right[j - 2] &&
                           left[i - 2] == right[j - 1];
      if (swapped) row[j] = std::min(row[j], earlier[j - 2] + 1);
    }
  }
  return row[right.size()];
}

std::string possibilities(std::span<const OptionSyntax> table, std::string_view prefix) {
  std::string text;
  for (const OptionSyntax& row : table)
    if (std::string_view(row.name).substr(0, prefix.size()) == prefix)
      text += fmt::format(" '--{}'", row.name);
  return text;
}

Error refuse(std::string text) { return Error{ErrorCode::invalid_option, std::move(text)}; }

// getopt gives no code for an unknown long option: `word` is what it stumbled over.
Error refuse_long(std::span<const OptionSyntax> table, std::string_view word) {
  const std::string_view name = word.substr(2, word.find('=') == word.npos ? word.npos
                                                                          : word.find('=') - 2);
  const std::string possible = possibilities(table, name);
  if (!possible.empty())
    return refuse(fmt::format("option '{}' is ambiguous; possibilities:{}", word, possible));
  const std::string nearest = nearest_option(table, name);
  if (nearest.empty()) return refuse(fmt::format("unrecognized option '--{}'", name));
  return refuse(fmt::format("unrecognized option '--{}' (did you mean '--{}'?)", name, nearest));
}

Error describe_refusal(std::span<const OptionSyntax> table, int code, std::string_view word) {
  const OptionSyntax* row = row_of(table, optopt);
  const bool is_long = word.substr(0, 2) == "--";
  if (code == ':' && row && is_long)
    return refuse(fmt::format("option '--{}' requires an argument", row->name));
  if (code == ':')
    return refuse(fmt::format("option requires an argument -- '{}'", static_cast<char>(optopt)));
  if (is_long && row && row_base <= optopt)
    return refuse(fmt::format("option '--{}' doesn't allow an argument", row->name));
  if (is_long) return refuse_long(table, word);
  return refuse(fmt::format("invalid option -- '{}'", static_cast<char>(optopt)));
}

// The words as getopt wants them, with a name in front.
struct Arguments {
  std::vector<std::string> words;
  std::vector<char*> pointers;

  explicit Arguments(const std::vector<std::string>& given) {
    words.push_back("command");
    words.insert(words.end(), given.begin(), given.end());
    for (std::string& word : words) pointers.push_back(word.data());
    pointers.push_back(nullptr);
  }
  int count() const { return static_cast<int>(words.size()); }
  // Which of the given words `text` points into. getopt permutes the pointers, not the words.
  std::size_t word_of(const char* text) const {
    for (std::size_t i = 1; i < words.size(); ++i)
      if (text >= words[i].data() && text <= words[i].data() + words[i].size()) return i - 1;
    return 0;
  }
};

OptionUse use_of(std::span<const OptionSyntax> table, int code, const Arguments& arguments) {
  OptionUse use;
  use.row = static_cast<std::size_t>(row_of(table, code) - table.data());
  use.has_value = optarg != nullptr;
  if (optarg) use.value = optarg;
  use.word = arguments.word_of(optarg ? optarg : arguments.pointers[static_cast<std::size_t>(
                                                     std::max(1, optind - 1))]);
  return use;
}

}  // namespace

std::string nearest_option(std::span<const OptionSyntax> table, std::string_view name) {
  std::string nearest;
  std::size_t least = std::min<std::size_t>(3, (name.size() + 2) / 3 + 1);
  for (const OptionSyntax& row : table) {
    const std::size_t edits = distance(name, row.name);
    if (edits >= least) continue;
    least = edits;
    nearest = row.name;
  }
  return nearest;
}

Result<ParsedWords> parse_words(std::span<const OptionSyntax> table,
                                const std::vector<std::string>& words, OperandRule rule) {
  Arguments arguments(words);
  const std::string letters = short_options(table, rule);
  const std::vector<option> names = long_options(table);
  ParsedWords parsed;
  optind = 0;  // glibc: start anew
  opterr = 0;
  while (true) {
    const int before = std::max(optind, 1);
    const int code = getopt_long(arguments.count(), arguments.pointers.data(), letters.c_str(),
                                 names.data(), nullptr);
    if (code == -1) break;
    if (code == '?' || code == ':') {
      const bool moved_on = optind > before;
      const int at = moved_on ? optind - 1 : optind;
      return describe_refusal(table, code, arguments.pointers[static_cast<std::size_t>(at)]);
    }
    parsed.uses.push_back(use_of(table, code, arguments));
  }
  for (int i = optind; i < arguments.count(); ++i)
    parsed.operands.emplace_back(arguments.pointers[static_cast<std::size_t>(i)]);
  return parsed;
}

}  // namespace sluice
