// corpus.cpp: reads seeds and dictionaries.
#include "tests/fuzz/corpus.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <optional>

#include "common/base/file.h"
#include "tests/fuzz/fuzz.h"

namespace sluice::fuzz {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t file_bytes_max = 1U << 20;

std::vector<fs::path> files_of(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (const fs::directory_entry& entry : fs::directory_iterator(folder, none))
    if (entry.is_regular_file()) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

// `at` stands behind the backslash and is moved behind what it means.
std::optional<char> read_escape(std::string_view line, std::size_t& at) {
  if (at < line.size() && (line[at] == '\\' || line[at] == '"')) return line[at++];
  if (at + 3 > line.size() || line[at] != 'x') return std::nullopt;
  unsigned value = 0;
  const char* digits = line.data() + at + 1;
  if (std::from_chars(digits, digits + 2, value, 16).ptr != digits + 2) return std::nullopt;
  at += 3;
  return static_cast<char>(value);
}

std::optional<std::string> read_word(std::string_view line) {
  std::size_t at = line.find('"');
  if (at == std::string_view::npos) return std::nullopt;
  std::string word;
  for (++at; at < line.size();) {
    const char c = line[at++];
    if (c == '"') return word;
    if (c != '\\') {
      word += c;
      continue;
    }
    const std::optional<char> escaped = read_escape(line, at);
    if (!escaped) return std::nullopt;
    word += *escaped;
  }
  return std::nullopt;
}

}  // namespace

Result<std::vector<std::string>> parse_dictionary(std::string_view text, std::string_view file) {
  std::vector<std::string> words;
  std::size_t number = 0;
  for (std::string_view line : lines_of(text)) {
    ++number;
    if (line.empty() || line.front() == '#') continue;
    std::optional<std::string> word = read_word(line);
    if (!word || word->empty())
      return Error{ErrorCode::invalid_argument,
                   fmt::format("{}:{}: expected \"bytes\", not {}", file, number, line)};
    words.push_back(*std::move(word));
  }
  return words;
}

Result<Corpus> load_corpus(const std::string& folder, std::string_view target) {
  Corpus corpus;
  for (const fs::path& path : files_of(fmt::format("{}/corpus/{}", folder, target))) {
    std::optional<std::string> bytes = TRY(read_file(path.string(), file_bytes_max));
    if (bytes) corpus.inputs.push_back(*std::move(bytes));
  }
  if (corpus.inputs.empty()) corpus.inputs.emplace_back();
  const std::string dictionary = fmt::format("{}/words/{}.dict", folder, target);
  const std::optional<std::string> text = TRY(read_file(dictionary, file_bytes_max));
  if (text) corpus.words = TRY(parse_dictionary(*text, dictionary));
  return corpus;
}

}  // namespace sluice::fuzz
