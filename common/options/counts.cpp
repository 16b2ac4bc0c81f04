// counts.cpp: node counts, generic resources and lists of names.
#include <fmt/format.h>

#include <algorithm>
#include <limits>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::uint64_t count_max = std::numeric_limits<std::uint32_t>::max() - 1;

Error invalid_node_count(std::string_view text) {
  return Error{ErrorCode::node_count_invalid,
               fmt::format("\"{}\" is not a valid node count", text)};
}

// "3", "1k", "2m".
std::optional<std::uint64_t> parse_count(std::string_view text) {
  std::uint64_t factor = 1;
  if (!text.empty() && (text.back() == 'k' || text.back() == 'K')) factor = 1024;
  if (!text.empty() && (text.back() == 'm' || text.back() == 'M')) factor = 1024 * 1024;
  if (factor > 1) text.remove_suffix(1);
  const auto value = parse_number(text);
  if (!value || *value > count_max / factor) return std::nullopt;
  return *value * factor;
}

Error invalid_gres(std::string_view element) {
  return Error{ErrorCode::invalid_gres,
               fmt::format("\"{}\" is none of NAME, NAME:COUNT, NAME:TYPE, NAME:TYPE:COUNT",
                           element)};
}

bool is_gres_word(std::string_view word) {
  return !word.empty() && std::all_of(word.begin(), word.end(), [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
           c == '_' || c == '-' || c == '.' || c == '/';
  });
}

Result<GresCount> parse_gres_element(std::string_view element) {
  std::vector<std::string_view> words = split(element, ':');
  if (words.size() > 1 && words.front() == "gres") words.erase(words.begin());
  GresCount gres;
  if (words.size() > 1 && parse_number(words.back())) {
    const auto count = parse_number(words.back());
    if (*count > count_max) return invalid_gres(element);
    gres.count = static_cast<std::uint32_t>(*count);
    words.pop_back();
  }
  if (words.size() > 2 || !std::all_of(words.begin(), words.end(), is_gres_word))
    return invalid_gres(element);
  gres.name = words.front();
  if (words.size() == 2) gres.type = words.back();
  return gres;
}

}  // namespace

Result<std::optional<NodeCount>> parse_node_count(std::string_view text) {
  const std::size_t dash = text.find('-');
  const auto min = parse_count(text.substr(0, dash));
  const auto max = dash == std::string_view::npos ? min : parse_count(text.substr(dash + 1));
  if (!min || !max) return invalid_node_count(text);
  if (*max < *min)
    return Error{ErrorCode::node_count_invalid,
                 fmt::format("Maximum node count {} is less than minimum node count {}", *max,
                             *min)};
  if (*max == 0) return std::optional<NodeCount>{};
  return std::optional{NodeCount{static_cast<std::uint32_t>(std::max<std::uint64_t>(*min, 1)),
                                 static_cast<std::uint32_t>(*max)}};
}

Result<std::vector<GresCount>> parse_gres(std::string_view text) {
  std::vector<GresCount> all;
  if (equals_ignoring_case(text, "none")) return all;
  for (std::string_view element : split(text, ',')) {
    GresCount gres = TRY(parse_gres_element(element));
    if (gres.count > 0) all.push_back(std::move(gres));
  }
  return all;
}

Result<std::vector<std::string>> parse_names(std::string_view text) {
  std::vector<std::string> names;
  for (std::string_view name : split(text, ',')) {
    if (name.empty())
      return Error{ErrorCode::invalid_argument, fmt::format("\"{}\" has an empty element", text)};
    names.emplace_back(name);
  }
  return names;
}

}  // namespace sluice
