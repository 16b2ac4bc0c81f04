// submit_apply.cpp: option values -> members.
#include "common/options/submit_apply.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_set>

#include "common/base/file.h"
#include "common/base/hostlist.h"
#include "common/model/constraint.h"
#include "common/model/licenses.h"
#include "common/options/grammar.h"
#include "common/options/time_point.h"

namespace sluice::apply {
namespace {

constexpr std::int64_t nice_max = 2147483645;
constexpr std::int32_t nice_default = 100;

bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r'; }

// Each name once, in the order of the list.
Result<std::vector<std::string>> node_names(const OptionValue& value) {
  std::vector<std::string> names = TRY(expand_hostlist(value.text));
  std::unordered_set<std::string> seen;
  std::erase_if(names, [&](const std::string& name) { return !seen.insert(name).second; });
  if (names.empty()) return Error{ErrorCode::invalid_hostlist, "the list is empty"};
  return names;
}

}  // namespace

Result<void> array(SubmitRequest& request, const OptionValue& value) {
  request.spec.start.array = TRY(parse_array(value.text));
  return {};
}

Result<void> constraint(SubmitRequest& request, const OptionValue& value) {
  TRY(parse_constraint(value.text));
  request.spec.placement.constraint = value.text;
  return {};
}

Result<void> dependency(SubmitRequest& request, const OptionValue& value) {
  request.spec.start.dependency = TRY(parse_dependency(value.text));
  return {};
}

Result<void> exclude(SubmitRequest& request, const OptionValue& value) {
  request.spec.placement.exclude = TRY(node_names(value));
  return {};
}

Result<void> exclusive(SubmitRequest& request, const OptionValue& value) {
  const bool is_user = equals_ignoring_case(value.text, "user");
  if (!value.text.empty() && !is_user) return Error{ErrorCode::not_supported, "=" + value.text};
  request.spec.request.sharing = is_user ? Sharing::user : Sharing::exclusive;
  return {};
}

Result<void> export_list(SubmitRequest& request, const OptionValue& value) {
  request.export_rule = TRY(parse_export(value));
  request.spec.batch.export_mode = value.text;
  return {};
}

Result<std::vector<GresCount>> parse_gpus(const std::string& text) {
  std::string list;
  for (std::string_view element : split(text, ','))
    list += fmt::format("{}gpu:{}", list.empty() ? "" : ",", element);
  return parse_gres(list);
}

Result<void> gpus_per_node(SubmitRequest& request, const OptionValue& value) {
  const std::vector<GresCount> gpus = TRY(parse_gpus(value.text));
  std::vector<GresCount>& all = request.spec.request.gres_per_node;
  std::erase_if(all, [](const GresCount& gres) { return gres.name == "gpu"; });
  all.insert(all.end(), gpus.begin(), gpus.end());
  return {};
}

Result<void> gres(SubmitRequest& request, const OptionValue& value) {
  request.spec.request.gres_per_node = TRY(parse_gres(value.text));
  return {};
}

Result<void> hold(SubmitRequest& request, const OptionValue&) {
  request.spec.start.hold = true;
  return {};
}

Result<void> kill_on_invalid_dependency(SubmitRequest& request, const OptionValue& value) {
  const bool yes = equals_ignoring_case(value.text, "yes");
  if (!yes && !equals_ignoring_case(value.text, "no"))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("\"{}\" is neither yes nor no", value.text)};
  request.spec.start.kill_on_invalid_dep = yes;
  return {};
}

Result<void> login_environment(SubmitRequest& request, const OptionValue& value) {
  request.login_environment = TRY(parse_login_environment(value.text));
  return {};
}

Result<void> mail_type(SubmitRequest& request, const OptionValue& value) {
  request.spec.mail.types = TRY(parse_mail_types(value.text));
  return {};
}

Result<void> mail_user(SubmitRequest& request, const OptionValue& value) {
  request.spec.mail.user = value.text;
  return {};
}

Result<void> licenses(SubmitRequest& request, const OptionValue& value) {
  TRY(parse_licenses(value.text));
  request.spec.request.licenses = value.text;
  return {};
}

Result<void> nice(SubmitRequest& request, const OptionValue& value) {
  const auto number = value.text.empty() ? std::optional<std::int64_t>{nice_default}
                                         : parse_signed(value.text);
  if (!number) return Error{ErrorCode::invalid_argument, fmt::format("\"{}\"", value.text)};
  if (*number < -nice_max || *number > nice_max)
    return Error{ErrorCode::invalid_option,
                 fmt::format("Invalid --nice value, out of range (+/- {})", nice_max)};
  request.spec.start.nice = static_cast<std::int32_t>(*number);
  return {};
}

// Names divided by commas, blanks or line ends; '#' begins a remark.
Result<void> nodefile(SubmitRequest& request, const OptionValue& value) {
  constexpr std::size_t bytes_max = 16 << 20;
  const auto fail = [&](std::string_view why) {
    return Error{ErrorCode::invalid_option,
                 fmt::format("Invalid --nodefile node file: {}: {}", value.text, why)};
  };
  const Result<std::optional<std::string>> bytes = read_file(value.text, bytes_max);
  if (!bytes.ok()) return fail(bytes.error().detail);
  if (!*bytes) return fail("there is no such file");
  std::string list;
  for (std::string_view line : split(**bytes, '\n')) {
    std::string names(line.substr(0, line.find('#')));
    std::replace_if(names.begin(), names.end(), is_blank, ' ');
    for (std::string_view name : split(names, ' '))
      if (!name.empty()) list += fmt::format("{}{}", list.empty() ? "" : ",", name);
  }
  if (list.empty()) return fail("it names no node");
  Result<std::vector<std::string>> names = node_names({list, {}});
  if (!names.ok()) return fail(names.error().detail);
  request.spec.placement.nodelist = std::move(names).value();
  return {};
}

Result<void> nodelist(SubmitRequest& request, const OptionValue& value) {
  request.spec.placement.nodelist = TRY(node_names(value));
  return {};
}

Result<void> nodes(SubmitRequest& request, const OptionValue& value) {
  const std::optional<NodeCount> count = TRY(parse_node_count(value.text));
  request.spec.request.nodes_min = count ? std::optional{count->min} : std::nullopt;
  request.spec.request.nodes_max = count ? std::optional{count->max} : std::nullopt;
  return {};
}

Result<void> open_mode(SubmitRequest& request, const OptionValue& value) {
  const auto is = [&](std::string_view word) {
    return !value.text.empty() && word.substr(0, value.text.size()) == value.text;
  };
  if (!is("append") && !is("truncate"))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("\"{}\" is neither append nor truncate", value.text)};
  request.spec.stdio_files.append = is("append");
  return {};
}

Result<void> oversubscribe(SubmitRequest& request, const OptionValue&) {
  request.spec.request.sharing = Sharing::oversubscribe;
  return {};
}

Result<void> partition(SubmitRequest& request, const OptionValue& value) {
  request.spec.placement.partitions = TRY(parse_names(value.text));
  return {};
}

// TOP is the highest there is; 0 holds the job, as Slurm has it.
Result<void> priority(SubmitRequest& request, const OptionValue& value) {
  constexpr std::uint64_t top = 4294967294;
  const auto number = equals_ignoring_case(value.text, "TOP") ? top : parse_number(value.text);
  if (!number || *number > top)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("\"{}\" is neither TOP nor a number up to {}", value.text, top)};
  if (*number == 0) request.spec.start.hold = true;
  else request.spec.start.priority = *number;
  return {};
}

Result<void> reservation(SubmitRequest& request, const OptionValue& value) {
  request.spec.placement.reservations = TRY(parse_names(value.text));
  return {};
}

Result<void> signal(SubmitRequest& request, const OptionValue& value) {
  request.spec.start.signal = TRY(parse_signal_request(value.text));
  return {};
}

// A job here starts when all of its nodes are ready, whatever is said.
// The other hints of Slurm ask for whole cores or sockets, which is not honoured.
Result<void> hint(SubmitRequest&, const OptionValue& value) {
  if (equals_ignoring_case(value.text, "multithread")) return {};
  return Error{ErrorCode::not_supported, fmt::format("={}", value.text)};
}

Result<void> wait_all_nodes(SubmitRequest&, const OptionValue& value) {
  if (value.text == "0" || value.text == "1") return {};
  return Error{ErrorCode::invalid_argument, fmt::format("\"{}\" is neither 0 nor 1", value.text)};
}

Result<WallTime> point_in_time(SubmitRequest& request, const OptionValue& value) {
  const auto point = read_time_point(value.text, request.now_s, TimeOfDay::next);
  if (!point.ok())
    return Error{point.error().code, "Invalid time specification " + point.error().detail};
  if (point->is_moved)
    request.notes.push_back(fmt::format("{}: the clock is put forward over this time; taken as {}",
                                        value.text, local_text(point->seconds)));
  return wall_from_us(point->seconds * 1'000'000);
}

Result<void> propagate(SubmitRequest& request, const OptionValue& value) {
  request.spec.batch.propagate = TRY(parse_limit_names(value.text.empty() ? "ALL" : value.text));
  return {};
}

// SBATCH_DEBUG carries a number, each -v one step.
Result<void> verbose(SubmitRequest& request, const OptionValue& value) {
  const auto number = parse_number(value.text);
  if (!value.text.empty() && !number) return Error{ErrorCode::invalid_number, ""};
  request.verbose = number ? static_cast<std::uint32_t>(std::min<std::uint64_t>(*number, 9))
                           : request.verbose + 1;
  return {};
}

}  // namespace sluice::apply
