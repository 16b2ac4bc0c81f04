// target_command_line.cpp: words of a command line: what getopt makes of them, written again in
// full, is the same; every refusal is a sentence.
#include <fmt/format.h>

#include <algorithm>

#include "cli/cancel_options.h"
#include "common/options/submit_options.h"
#include "common/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// The input's lines, without NUL bytes: a command line has none.
std::vector<std::string> words_of(std::string_view text) {
  std::vector<std::string> words;
  for (std::string_view line : lines_of(text))
    if (line.find('\0') == std::string_view::npos) words.emplace_back(line);
  return words;
}

std::vector<std::string> written(std::span<const OptionSyntax> table, const ParsedWords& parsed) {
  std::vector<std::string> words;
  for (const OptionUse& use : parsed.uses) {
    const char* name = table[use.row].name;
    words.push_back(use.has_value ? fmt::format("--{}={}", name, use.value)
                                  : fmt::format("--{}", name));
  }
  words.push_back("--");
  words.insert(words.end(), parsed.operands.begin(), parsed.operands.end());
  return words;
}

bool are_same(const OptionUse& left, const OptionUse& right) {
  return left.row == right.row && left.value == right.value && left.has_value == right.has_value;
}

void check_words(const std::vector<std::string>& words, OperandRule rule) {
  const std::span<const OptionSyntax> table = submit_syntax();
  const auto parsed = parse_words(table, words, rule);
  if (!parsed.ok()) {
    require_refusal(parsed.error(), {ErrorCode::invalid_option});
    require(!parsed.error().detail.empty(), "a refusal is a sentence");
    return;
  }
  for (const OptionUse& use : parsed->uses) {
    require(use.row < table.size() && use.word < words.size(), "a use has a row and a word");
    require(words[use.word].ends_with(use.value), "a value is the end of its word", use.value);
    const ArgumentKind argument = table[use.row].argument;
    require(use.has_value || argument != ArgumentKind::required, "a required value is there");
    require(!use.has_value || argument != ArgumentKind::none, "no value where none is taken");
  }
  const auto again = parse_words(table, written(table, *parsed), rule);
  require(again.ok() && again->operands == parsed->operands, "operands stay operands");
  require(std::equal(parsed->uses.begin(), parsed->uses.end(), again->uses.begin(),
                     again->uses.end(), are_same),
          "options written in full mean the same");
}

void check_cancel(const std::vector<std::string>& words) {
  const auto request = parse_cancel(words, {});
  if (!request.ok()) {
    require(!request.error().detail.empty(), "a refusal is a sentence");
    return;
  }
  const auto decoded = from_bytes<CancelJobs>(to_bytes(request->message));
  require(decoded.ok() && *decoded == request->message, "what can be asked for survives the wire");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const std::vector<std::string> words = words_of(text);
  check_words(words, OperandRule::ends);
  check_words(words, OperandRule::permutes);
  // Host lists of large numbers take memory by design.
  if (hostlist_names_at_most(text) < 100'000 && !has_longer_number(text, 4)) check_cancel(words);
  return 0;
}
