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
  std::optional<DependencyType> type;  // none: known to Slurm, not honoured by Sluice yet
};

constexpr std::array<TypeRow, 8> types{{{"after", DependencyType::after},
                                        {"afterany", DependencyType::afterany},
                                        {"afterok", DependencyType::afterok},
                                        {"afternotok", DependencyType::afternotok},
                                        {"aftercorr", std::nullopt},
                                        {"afterburstbuffer", std::nullopt},
                                        {"singleton", std::nullopt},
                                        {"expand", std::nullopt}}};

Error refuse(std::string_view text, std::string_view why) {
  return Error{ErrorCode::invalid_dependency, fmt::format("\"{}\": {}", text, why)};
}

Result<DependencyType> parse_type(std::string_view word, std::string_view whole) {
  for (const TypeRow& row : types) {
    if (!equals_ignoring_case(word, row.name)) continue;
    if (row.type) return *row.type;
    return Error{ErrorCode::not_supported, fmt::format("dependency type {}", row.name)};
  }
  return refuse(whole, fmt::format("\"{}\" is none of after, afterany, afterok, afternotok", word));
}

// "12", "12_3".
Result<DependencyTerm> parse_term(DependencyType type, std::string_view word,
                                  std::string_view whole) {
  if (word.find('+') != std::string_view::npos)
    return Error{ErrorCode::not_supported, fmt::format("the delay in dependency \"{}\"", word)};
  const std::size_t underscore = word.find('_');
  const auto id = parse_number(word.substr(0, underscore));
  if (!id || *id == 0 || *id >= job_id_end)
    return refuse(whole, fmt::format("\"{}\" is not a job id", word));
  DependencyTerm term{type, JobId{static_cast<std::uint32_t>(*id)}, std::nullopt};
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
