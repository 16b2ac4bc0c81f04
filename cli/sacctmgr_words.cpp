// sacctmgr_words.cpp: the words of a command line of sacctmgr.
#include <algorithm>

#include "cli/sacctmgr.h"
#include "common/options/text.h"

namespace sluice {
namespace {

std::string lower(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

std::string without_quotes(std::string_view text) {
  if (text.size() >= 2 && (text.front() == '\'' || text.front() == '"') &&
      text.back() == text.front())
    text = text.substr(1, text.size() - 2);
  return std::string(text);
}

Clause parse_clause(const std::string& word) {
  Clause clause;
  clause.text = word;
  const std::size_t equals = word.find('=');
  if (equals == std::string::npos || equals == 0) {
    clause.value = without_quotes(word);
    return clause;
  }
  std::string_view key = std::string_view(word).substr(0, equals);
  if (key.back() == '+' || key.back() == '-') {
    clause.sign = key.back();
    key.remove_suffix(1);
  }
  clause.key = lower(key);
  clause.value = without_quotes(std::string_view(word).substr(equals + 1));
  return clause;
}

}  // namespace

bool abbreviates(std::string_view word, std::string_view name, std::size_t letters_min) {
  if (word.size() > name.size() || word.size() < std::min(letters_min, name.size())) return false;
  return equals_ignoring_case(word, name.substr(0, word.size()));
}

std::vector<std::string> names_of(std::string_view value) {
  std::vector<std::string> names;
  for (std::string_view piece : split(value, ',')) {
    std::string name = without_quotes(piece);
    if (!name.empty() && std::find(names.begin(), names.end(), name) == names.end())
      names.push_back(std::move(name));
  }
  return names;
}

Request parse_request(std::span<const std::string> words) {
  Request request;
  bool sets = false;
  for (const std::string& word : words) {
    if (equals_ignoring_case(word, "where")) {
      request.has_where = true;
      sets = false;
    } else if (equals_ignoring_case(word, "set")) {
      request.has_set = true;
      sets = true;
    } else {
      (sets ? request.set : request.where).push_back(parse_clause(word));
    }
  }
  return request;
}

}  // namespace sluice
