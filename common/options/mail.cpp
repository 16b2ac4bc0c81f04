// mail.cpp: the grammars of --mail-type and --get-user-env.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// What Slurm means by ALL: the shares of the time limit and single tasks of arrays are asked by
// name.
constexpr MailType all_types[] = {MailType::INVALID_DEPEND, MailType::BEGIN,   MailType::END,
                                  MailType::FAIL,           MailType::REQUEUE, MailType::STAGE_OUT};
constexpr std::uint64_t timeout_s_max = 3600;

std::optional<MailType> mail_type_named(std::string_view word) {
  std::string upper(word);
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  MailType type{};
  if (!enum_from_name(upper, type)) return std::nullopt;
  return type;
}

}  // namespace

Result<std::vector<MailType>> parse_mail_types(std::string_view text) {
  if (equals_ignoring_case(text, "NONE")) return std::vector<MailType>{};
  std::set<MailType> types;
  for (const std::string_view word : split(text, ',')) {
    if (equals_ignoring_case(word, "ALL")) {
      types.insert(std::begin(all_types), std::end(all_types));
    } else if (const auto type = mail_type_named(word)) {
      types.insert(*type);
    } else {
      return Error{
          ErrorCode::invalid_argument,
          fmt::format("\"{}\" is none of NONE, BEGIN, END, FAIL, REQUEUE, ALL, INVALID_DEPEND, "
                      "STAGE_OUT, TIME_LIMIT, TIME_LIMIT_90, TIME_LIMIT_80, TIME_LIMIT_50, "
                      "ARRAY_TASKS",
                      word)};
    }
  }
  return std::vector<MailType>(types.begin(), types.end());
}

Result<LoginEnvironment> parse_login_environment(std::string_view text) {
  LoginEnvironment wanted;
  std::string_view number = text;
  if (!number.empty() && std::string_view("LlSs").find(number.back()) != std::string_view::npos) {
    wanted.is_login = number.back() == 'L' || number.back() == 'l';
    number.remove_suffix(1);
  }
  if (number.empty()) return wanted;
  const auto seconds = parse_number(number);
  if (!seconds || *seconds == 0 || *seconds > timeout_s_max)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("\"{}\" is no number of seconds up to {}, with S or L behind it", text,
                             timeout_s_max)};
  wanted.timeout_s = static_cast<std::uint32_t>(*seconds);
  return wanted;
}

}  // namespace sluice
