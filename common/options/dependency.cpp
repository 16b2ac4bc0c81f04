// dependency.cpp: the grammar of --dependency.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct TypeRow {
  const char* name;
  std::optional<DependencyType> type;  // none: known to Slurm, not honoured by Sluice
};

constexpr std::array<TypeRow, 8> types{{{"after", DependencyType::after},
                                        {"afterany", DependencyType::afterany},
                                        {"afterok", DependencyType::afterok},
                                        {"afternotok", DependencyType::afternotok},
                                        {"aftercorr", DependencyType::aftercorr},
                                        {"afterburstbuffer", DependencyType::afterburstbuffer},
                                        {"singleton", DependencyType::singleton},
                                        {"expand", std::nullopt}}};
constexpr std::uint64_t delay_min_max = 366 * 24 * 60;

Error refuse(std::string_view text, std::string_view why) {
  return Error{ErrorCode::invalid_dependency, fmt::format("\"{}\": {}", text, why)};
}

Result<DependencyType> parse_type(std::string_view word, std::string_view whole) {
  for (const TypeRow& row : types) {
    if (!equals_ignoring_case(word, row.name)) continue;
    if (row.type) return *row.type;
    return Error{ErrorCode::not_supported, fmt::format("dependency type {}", row.name)};
  }
  return refuse(whole, fmt::format("\"{}\" is none of after, afterany, afterok, afternotok, "
                                   "aftercorr, singleton",
                                   word));
}

// "12", "12_3", and of `after` "12+10".
Result<DependencyTerm> parse_term(DependencyType type, std::string_view word,
                                  std::string_view whole) {
  const std::size_t plus = word.find('+');
  if (plus != std::string_view::npos) {
    const auto minutes = parse_number(word.substr(plus + 1));
    if (type != DependencyType::after)
      return refuse(whole, fmt::format("\"{}\": only after takes a delay", word));
    if (!minutes || *minutes > delay_min_max)
      return refuse(whole, fmt::format("\"{}\": the delay is no number of minutes up to {}", word,
                                       delay_min_max));
    DependencyTerm term = TRY(parse_term(type, word.substr(0, plus), whole));
    term.delay_min = static_cast<std::uint32_t>(*minutes);
    return term;
  }
  const std::size_t underscore = word.find('_');
  const auto id = parse_number(word.substr(0, underscore));
  if (!id || *id == 0 || *id >= job_id_end)
    return refuse(whole, fmt::format("\"{}\" is not a job id", word));
  DependencyTerm term{
      .type = type, .job = JobId{static_cast<std::uint32_t>(*id)}, .task = {}, .due = {}};
  if (underscore == std::string_view::npos) return term;
  const std::string_view index_text = word.substr(underscore + 1);
  if (index_text == "*") return term;  // the whole array, as it is shown
  const auto index = parse_number(index_text);
  if (!index || *index > std::numeric_limits<std::uint32_t>::max())
    return refuse(whole, fmt::format("\"{}\" is not a task of an array", word));
  term.task = static_cast<std::uint32_t>(*index);
  return term;
}

// "afterok:12:13".
Result<void> parse_element(std::string_view element, std::string_view whole,
                           std::vector<DependencyTerm>& terms) {
  const std::vector<std::string_view> words = split(element, ':');
  const DependencyType type = TRY(parse_type(words.front(), whole));
  if (type == DependencyType::singleton) {
    if (words.size() > 1) return refuse(whole, "singleton names no job");
    terms.push_back({.type = type, .job = {}, .task = {}, .due = {}});
    return {};
  }
  if (words.size() == 1) return refuse(whole, fmt::format("\"{}\" names no job", element));
  for (std::size_t i = 1; i < words.size(); ++i)
    terms.push_back(TRY(parse_term(type, words[i], whole)));
  return {};
}

}  // namespace

Result<Dependency> parse_dependency(std::string_view text) {
  Dependency dependency;
  if (text == "0") return dependency;
  dependency.any = text.find('?') != std::string_view::npos;
  std::string joined{text};
  std::replace(joined.begin(), joined.end(), '?', ',');
  for (std::string_view element : split(joined, ','))
    TRY(parse_element(element, text, dependency.terms));
  return dependency;
}

}  // namespace sluice
