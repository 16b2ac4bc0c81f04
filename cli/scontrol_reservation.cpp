// scontrol_reservation.cpp: `scontrol create|update|delete|show reservation`: keys and their
// values.
#include <algorithm>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/document_output.h"
#include "cli/getent.h"
#include "cli/listing/records.h"
#include "cli/listing/selectors.h"
#include "cli/print.h"
#include "cli/scontrol.h"
#include "common/base/clock.h"
#include "common/base/hostlist.h"
#include "common/base/spelling.h"
#include "common/options/grammar.h"
#include "common/options/text.h"
#include "common/options/time_point.h"

namespace sluice {
namespace {

// "key=value", "key+=value", "key-=value".
struct Setting {
  std::string_view key;
  std::string_view value;
  char sign = 0;
};

std::optional<Setting> parse_setting(std::string_view word) {
  const std::size_t equals = word.find('=');
  if (equals == std::string_view::npos || equals == 0) return std::nullopt;
  Setting setting{word.substr(0, equals), word.substr(equals + 1)};
  if (setting.key.back() == '+' || setting.key.back() == '-') {
    setting.sign = setting.key.back();
    setting.key.remove_suffix(1);
  }
  return setting;
}

Error bad(const Setting& setting, std::string_view why) {
  return {ErrorCode::invalid_argument,
          fmt::format("Invalid input: {}={}: {}", setting.key, setting.value, why)};
}

// --- values --------------------------------------------------------------------------------------

Result<WallTime> point_in_time(const Setting& setting) {
  const std::int64_t now_s = to_seconds(read_clocks().wall);
  const auto point = parse_time_point(setting.value, now_s, TimeOfDay::next);
  if (!point.ok()) return bad(setting, "Invalid time specification " + point.error().detail);
  return wall_from_us(*point * 1'000'000);
}

// Without an end: a year, as Slurm has it.
Result<std::uint32_t> seconds_of_limit(const Setting& setting) {
  constexpr std::uint32_t year_s = 365 * 86400;
  if (equals_ignoring_case(setting.value, "infinite")) return year_s;
  const Result<TimeLimit> limit = parse_time_limit(setting.value);
  if (!limit.ok()) return bad(setting, limit.error().detail);
  if (limit->unlimited) return year_s;
  if (limit->minutes > UINT32_MAX / 60) return bad(setting, "it is longer than a lifetime");
  return limit->minutes * 60;
}

Result<std::uint32_t> count_of_text(const Setting& setting) {
  std::string_view digits = setting.value;
  const bool is_kilo = !digits.empty() && (digits.back() == 'k' || digits.back() == 'K');
  if (is_kilo) digits.remove_suffix(1);
  const auto number = parse_number(digits);
  if (!number || *number == 0 || *number > 10'000'000) return bad(setting, "it is no count");
  return static_cast<std::uint32_t>(*number * (is_kilo ? 1024 : 1));
}

// "a,b", "-a,-b" for all but these, "+=" and "-=". Of a new reservation "-=" is negation too.
Result<ReservedForChange> list_of(const Setting& setting, ReservationAction action) {
  ReservedForChange change;
  std::size_t negated = 0;
  for (std::string_view word : split(setting.value, ',')) {
    if (word.empty()) continue;
    if (word.front() == '-') {
      ++negated;
      word.remove_prefix(1);
    }
    change.list.names.emplace_back(word);
  }
  if (negated > 0 && negated < change.list.names.size())
    return bad(setting, "either all names begin with '-' or none");
  change.list.is_negated = negated > 0;
  if (setting.sign == '+') change.change = ListChange::add;
  if (setting.sign == '-' && action == ReservationAction::update)
    change.change = ListChange::subtract;
  else if (setting.sign == '-') change.list.is_negated = true;
  return change;
}

// Flags of Slurm that ask for something that is not done here.
constexpr std::string_view flags_refused[] = {"FIRST_CORES",  "MAGNETIC",   "REPLACE",
                                              "REPLACE_DOWN", "SKIP",       "STATIC_ALLOC",
                                              "TIME_FLOAT",   "USER_DELETE"};
// Those that follow from what else is said.
constexpr ReservationFlag flags_shown_only[] = {ReservationFlag::SPEC_NODES,
                                                ReservationFlag::ALL_NODES};

std::vector<std::string> known_flags() {
  std::vector<std::string> names;
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<ReservationFlag>>(
      [&](auto flag) { names.emplace_back(flag.name); });
  return names;
}

Result<ReservationFlag> flag_of(const Setting& setting, std::string_view word) {
  ReservationFlag flag{};
  for (const std::string& name : known_flags())
    if (equals_ignoring_case(word, name) && enum_from_name(name, flag)) {
      if (std::find(std::begin(flags_shown_only), std::end(flags_shown_only), flag) ==
          std::end(flags_shown_only))
        return flag;
      return bad(setting, name + " follows from Nodes; it is not asked for");
    }
  for (std::string_view name : flags_refused)
    if (equals_ignoring_case(word, name))
      return bad(setting, fmt::format("flag {} is not supported", name));
  return bad(setting, fmt::format("there is no flag {} (there are: {})", word,
                                  fmt::join(known_flags(), ", ")));
}

// --- keys ----------------------------------------------------------------------------------------

using Request = ChangeReservation;

struct ReservationKey {
  const char* name;
  bool takes_sign;
  Result<void> (*apply)(Request& request, const Setting& setting);
};

Result<void> set_name(Request& request, const Setting& setting) {
  request.name = setting.value;
  return {};
}
template <std::optional<WallTime> Request::*Member>
Result<void> set_time(Request& request, const Setting& setting) {
  request.*Member = TRY(point_in_time(setting));
  return {};
}
template <std::optional<std::uint32_t> Request::*Member>
Result<void> set_seconds(Request& request, const Setting& setting) {
  request.*Member = TRY(seconds_of_limit(setting));
  return {};
}
template <std::optional<std::uint32_t> ReservedAmount::*Member>
Result<void> set_count(Request& request, const Setting& setting) {
  request.amount.*Member = TRY(count_of_text(setting));
  return {};
}
template <std::optional<std::string> Request::*Member>
Result<void> set_text(Request& request, const Setting& setting) {
  request.*Member = std::string(setting.value);
  return {};
}
template <std::optional<ReservedForChange> Request::*Member>
Result<void> set_list(Request& request, const Setting& setting) {
  request.*Member = TRY(list_of(setting, request.action));
  return {};
}

Result<void> set_nodes(Request& request, const Setting& setting) {
  request.amount.all_nodes = equals_ignoring_case(setting.value, "ALL");
  if (request.amount.all_nodes) return {};
  request.amount.nodes = TRY(expand_hostlist(setting.value));
  if (request.amount.nodes.empty()) return bad(setting, "it names no node");
  return {};
}

Result<void> set_users(Request& request, const Setting& setting) {
  ReservedForChange users = TRY(list_of(setting, request.action));
  for (std::string& name : users.list.names) {
    const auto uid = uid_of_user(name);
    if (!uid) return Error{ErrorCode::unknown_user, fmt::format("Invalid user id: {}", name)};
    name = user_name_of(*uid);  // it may have been a number
  }
  request.users = std::move(users);
  return {};
}

// "people:x:1000:anna,bert".
void add_members(const std::string& group, std::vector<std::string>& members) {
  const auto line = getent("group", group);
  if (!line) return;
  const std::vector<std::string_view> fields = split(*line, ':');
  if (fields.size() < 4) return;
  for (std::string_view name : split(fields[3], ','))
    if (!name.empty()) members.emplace_back(name);
}

Result<void> set_groups(Request& request, const Setting& setting) {
  if (setting.sign == '+' || (setting.sign == '-' && request.action == ReservationAction::update))
    return bad(setting, "say the whole list of groups");
  ReservedForChange groups = TRY(list_of(setting, request.action));
  for (const std::string& name : groups.list.names) {
    if (!gid_of_group(name))
      return Error{ErrorCode::unknown_user, fmt::format("Invalid group id: {}", name)};
    add_members(name, request.group_members);
  }
  request.groups = std::move(groups);
  return {};
}

Result<void> set_licenses(Request& request, const Setting& setting) {
  request.amount.licenses = TRY(parse_licenses(setting.value));
  return {};
}

// "cpu=4,node=2,license/lic=1".
Result<void> set_tres(Request& request, const Setting& setting) {
  for (std::string_view word : split(setting.value, ',')) {
    const auto amount = parse_setting(word);
    if (!amount) return bad(setting, "it is a list of NAME=COUNT");
    const std::uint32_t count = TRY(count_of_text(*amount));
    constexpr std::string_view license = "license/";
    if (equals_ignoring_case(amount->key, "cpu")) request.amount.core_count = count;
    else if (equals_ignoring_case(amount->key, "node")) request.amount.node_count = count;
    else if (amount->key.starts_with(license)) {
      if (!request.amount.licenses) request.amount.licenses.emplace();
      request.amount.licenses->push_back({std::string(amount->key.substr(license.size())), count});
    } else {
      return bad(setting,
                 fmt::format("{} cannot be reserved; cpu, node and license/NAME can", amount->key));
    }
  }
  return {};
}

Result<void> set_flags(Request& request, const Setting& setting) {
  for (std::string_view word : split(setting.value, ',')) {
    if (word.empty()) continue;
    const std::size_t equals = word.find('=');
    const ReservationFlag flag = TRY(flag_of(setting, word.substr(0, equals)));
    if (equals != std::string_view::npos && flag != ReservationFlag::PURGE_COMP)
      return bad(setting, fmt::format("{} takes no value", enum_name(flag)));
    if (flag == ReservationFlag::PURGE_COMP) {
      constexpr std::uint32_t purge_default_s = 300;
      request.purge_comp_s =
          equals == std::string_view::npos
              ? purge_default_s
              : TRY(seconds_of_limit({"Flags=PURGE_COMP", word.substr(equals + 1)}));
    }
    (setting.sign == '-' ? request.flags_removed : request.flags_added).push_back(flag);
  }
  return {};
}

// Keys may be abbreviated; of several the first is meant.
constexpr ReservationKey keys[] = {
    {"ReservationName", false, set_name},
    {"Name", false, set_name},
    {"StartTime", false, set_time<&Request::start>},
    {"EndTime", false, set_time<&Request::end>},
    {"Duration", false, set_seconds<&Request::duration_s>},
    {"Nodes", false, set_nodes},
    {"NodeCnt", false, set_count<&ReservedAmount::node_count>},
    {"CoreCnt", false, set_count<&ReservedAmount::core_count>},
    {"TRES", false, set_tres},
    {"Licenses", false, set_licenses},
    {"Features", false, set_text<&Request::features>},
    {"PartitionName", false, set_text<&Request::partition>},
    {"Users", true, set_users},
    {"Accounts", true, set_list<&Request::accounts>},
    {"Groups", true, set_groups},
    {"AllowedPartitions", true, set_list<&Request::allowed_partitions>},
    {"Flags", true, set_flags},
};

const ReservationKey* find_key(std::string_view word) {
  for (const ReservationKey& key : keys)
    if (equals_ignoring_case(word, key.name)) return &key;
  for (const ReservationKey& key : keys)
    if (!word.empty() &&
        equals_ignoring_case(word, std::string_view(key.name).substr(0, word.size())))
      return &key;
  return nullptr;
}

Result<void> apply_words(Request& request, Words words) {
  for (const std::string& word : words) {
    const auto setting = parse_setting(word);
    const ReservationKey* key = setting ? find_key(setting->key) : nullptr;
    if (!setting) return Error{ErrorCode::invalid_argument, "Invalid input: " + word};
    if (!key || (setting->sign != 0 && !key->takes_sign)) {
      std::vector<std::string_view> names;
      for (const ReservationKey& known : keys) names.push_back(known.name);
      return Error{ErrorCode::invalid_argument,
                   fmt::format("Update of this parameter is not supported: {} (there are: {})",
                               word, fmt::join(names, ", "))};
    }
    TRY(key->apply(request, *setting));
  }
  return {};
}

// What Slurm's own command says before it asks the controller.
const char* missing_of(const Request& request) {
  const ReservedAmount& amount = request.amount;
  if (!request.start) return "A start time must be specified.  No reservation created.";
  if (!request.end && !request.duration_s)
    return "An end time or duration must be specified.  No reservation created.";
  if (amount.nodes.empty() && !amount.all_nodes && !amount.node_count && !amount.core_count &&
      !amount.licenses)
    return "Nodes, NodeCnt, CoreCnt, TRES or Licenses must be specified.  No reservation created.";
  if (!request.users && !request.groups && !request.accounts)
    return "Either Users/Groups and/or Accounts must be specified.  No reservation created.";
  return nullptr;
}

// "WHAT: TEXT", with Slurm's words for a caller who is no administrator.
int refuse(const Control& control, std::string_view what, const Error& error) {
  if (error.code == ErrorCode::access_denied)
    return control.fail(fmt::format("{}: Invalid user id", what));
  return control.fail(fmt::format("{}: {}", what, to_text(error)));
}

// "reservation=NAME", "reservationname=NAME", "reservation NAME" and "reservation": the name comes
// with the other keys. The words behind; none: it is not about reservations.
std::optional<std::vector<std::string>> words_about(Words words, bool name_follows) {
  if (words.empty()) return std::nullopt;
  const std::string& first = words.front();
  const std::size_t equals = first.find('=');
  const std::string_view entity = std::string_view(first).substr(0, equals);
  constexpr std::string_view full = "reservationname";
  const bool is_one =
      entity.size() >= 3 && (equals_ignoring_case(entity, full.substr(0, entity.size())) ||
                             equals_ignoring_case(entity, "reservations"));
  if (!is_one) return std::nullopt;
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (equals != std::string::npos)
    rest.insert(rest.begin(), "ReservationName=" + first.substr(equals + 1));
  else if (name_follows && !rest.empty() && rest.front().find('=') == std::string::npos)
    rest.front() = "ReservationName=" + rest.front();
  return rest;
}

int refuse_entity(const Control& control, const char* verb, Words words) {
  if (words.empty()) return control.fail(fmt::format("too few arguments for keyword:{}", verb));
  return control.fail(fmt::format("scontrol: error: {} {} is not supported; {} reservation is",
                                  verb, words.front(), verb));
}

int send_change(Control& control, const Request& request, std::string_view what,
                std::string* name) {
  Client* client = control.client();
  if (!client) return 1;
  const auto reply = client->call<ReservationChangedReply>(request);
  if (!reply.ok()) return refuse(control, what, reply.error());
  if (name) *name = reply->name;
  return 0;
}

}  // namespace

int create_record(Control& control, Words words) {
  const auto rest = words_about(words, true);
  if (!rest) return refuse_entity(control, "create", words);
  Request request{.action = ReservationAction::create};
  if (const auto applied = apply_words(request, *rest); !applied.ok())
    return applied.error().code == ErrorCode::unknown_user
               ? control.fail("Error creating the reservation: " + applied.error().detail)
               : control.fail(fmt::format("scontrol: error: {}  No reservation created.",
                                          applied.error().detail));
  if (const char* missing = missing_of(request))
    return control.fail(fmt::format("scontrol: error: {}", missing));
  std::string name;
  if (const int failed = send_change(control, request, "Error creating the reservation", &name))
    return failed;
  return print_result(fmt::format("Reservation created: {}\n", name)) ? 0 : 1;
}

bool is_about_reservation(Words words) { return words_about(words, true).has_value(); }

int update_reservation(Control& control, Words words) {
  Request request{.action = ReservationAction::update};
  const auto rest = words_about(words, true);
  if (const auto applied = apply_words(request, rest.value_or(std::vector<std::string>{}));
      !applied.ok()) {
    control.fail(applied.error().detail);
    return control.fail("Request aborted");
  }
  if (request.name.empty()) {
    control.fail("Reservation name must be given: update ReservationName=NAME KEY=VALUE...");
    return control.fail("Request aborted");
  }
  if (const int failed = send_change(control, request, "Error updating the reservation", nullptr))
    return failed;
  return print_result("Reservation updated.\n") ? 0 : 1;
}

int delete_record(Control& control, Words words) {
  const auto rest = words_about(words, true);
  if (!rest) return refuse_entity(control, "delete", words);
  Request request{.action = ReservationAction::remove};
  if (const auto applied = apply_words(request, *rest); !applied.ok())
    return control.fail(applied.error().detail);
  if (request.name.empty()) return control.fail("too few arguments for keyword:delete");
  return send_change(control, request, "delete_reservation " + request.name, nullptr);
}

namespace {

int document_reservations(Control& control, const ReservationsReply& reply,
                          const std::string* name) {
  constexpr std::string_view plugin = "openapi";
  DocumentOutput output(*control.document, control.command(), plugin);
  output.document().begin_list("reservations");
  bool is_empty = true;
  for (const ReservationInfo& info : reply.reservations) {
    if (name && info.reservation.name != *name) continue;
    write_reservation_record(output.document(), info, control.context());
    is_empty = false;
  }
  output.document().end_list();
  if (!is_empty || !name) return output.finish(0);
  const Error error{ErrorCode::reservation_invalid, *name};
  output.add_error("slurm_load_reservations", error);
  return output.finish(control.fail("slurm_load_reservations", error));
}

}  // namespace

int show_reservations(Control& control, Words words) {
  const std::string* name = words.empty() || words.front().empty() ? nullptr : &words.front();
  Client* client = control.client();
  if (!client) return 1;
  const Result<ReservationsReply> reply = client->call<ReservationsReply>(QueryReservations{});
  if (!reply.ok()) return control.fail("slurm_load_reservations", reply.error());
  control.set_as_of(reply->as_of);
  if (control.document) return document_reservations(control, *reply, name);
  std::string out;
  for (const ReservationInfo& info : reply->reservations)
    if (!name || info.reservation.name == *name)
      out += show_reservation_text(info, control.style, control.context());
  if (!out.empty()) return print_result(out) ? 0 : 1;
  if (!name) return print_result("No reservations in the system\n") ? 0 : 1;
  if (!control.quiet) print_result(fmt::format("Reservation {} not found\n", *name));
  return 1;
}

}  // namespace sluice
