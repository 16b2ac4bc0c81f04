// sacctmgr_keys.cpp: THE table of what may be set of an association and of a QOS: how it is read,
// and how it is told after `add`. A limit that nothing enforces is refused by name, so that nobody
// trusts in it.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/sacctmgr.h"
#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

Error invalid(std::string detail) { return {ErrorCode::invalid_argument, std::move(detail)}; }

template <class Row>
struct Key {
  const char* name;         // as typed; may be abbreviated
  std::size_t letters_min;  // so that no other is meant
  const char* label;        // of the settings told after `add`; null: an alias, or not told there
  Result<void> (*set)(const SetContext& context, const Clause& clause, Row& row);
  std::string (*text)(const Row& row);  // empty: not set
};

bool clears(const std::string& value) { return value.empty() || value == "-1"; }

// --- numbers

Result<std::optional<std::uint32_t>> parse_count(const Clause& clause) {
  if (clears(clause.value)) return std::optional<std::uint32_t>{};
  const auto number = parse_number(clause.value);
  if (!number || *number > 0xfffffffdU)
    return invalid(
        fmt::format("Bad {} value: {} (a number, or -1 for none)", clause.key, clause.value));
  return std::optional{static_cast<std::uint32_t>(*number)};
}

std::string number_text(const std::optional<std::uint32_t>& number) {
  return number ? fmt::format("{}", *number) : "";
}

template <auto Get, class Row>
Result<void> set_count(const SetContext&, const Clause& clause, Row& row) {
  Get(row) = TRY(parse_count(clause));
  return {};
}
template <auto Get, class Row>
std::string count_text(const Row& row) {
  return number_text(Get(row));
}

template <auto Get, class Row>
Result<void> set_priority(const SetContext&, const Clause& clause, Row& row) {
  Get(row) = TRY(parse_count(clause)).value_or(0);
  return {};
}
template <auto Get, class Row>
std::string priority_text(const Row& row) {
  return Get(row) ? fmt::format("{}", Get(row)) : "";
}

template <auto Get, class Row>
Result<void> set_minutes(const SetContext&, const Clause& clause, Row& row) {
  if (clears(clause.value)) {
    Get(row).reset();
    return {};
  }
  const Result<TimeLimit> limit = parse_time_limit(clause.value);
  if (!limit) return invalid(fmt::format("Bad {} value: {} (a time)", clause.key, clause.value));
  Get(row).reset();
  if (!limit->unlimited) Get(row) = limit->minutes;
  return {};
}
template <auto Get, class Row>
std::string time_text(const Row& row) {
  return minutes_text(Get(row));
}

Result<void> set_shares(const SetContext&, const Clause& clause, Association& row) {
  if (equals_ignoring_case(clause.value, "parent")) {
    row.shares.reset();
    return {};
  }
  row.shares = TRY(parse_count(clause)).value_or(1);
  return {};
}
std::string shares_text(const Association& row) {
  if (!row.shares) return "parent";
  return *row.shares == 1 ? "" : fmt::format("{}", *row.shares);
}

// "1.5" in millionths.
template <auto Get>
Result<void> set_factor(const SetContext&, const Clause& clause, Qos& row) {
  if (clears(clause.value)) {
    Get(row) = 1'000'000;
    return {};
  }
  const std::string_view text = clause.value;
  const std::size_t dot = std::min(text.find('.'), text.size());
  std::string fraction{text.substr(std::min(dot + 1, text.size()))};
  const auto whole = parse_number(dot == 0 ? "0" : text.substr(0, dot));
  fraction.resize(6, '0');
  const auto rest = parse_number(fraction);
  if (!whole || !rest || *whole > 4000)
    return invalid(
        fmt::format("Bad {} value: {} (a factor from 0 to 4000)", clause.key, clause.value));
  Get(row) = static_cast<std::uint32_t>(*whole * 1'000'000 + *rest);
  return {};
}
template <auto Get>
std::string factor_text(const Qos& row) {
  return Get(row) == 1'000'000 ? "" : fmt::format("{:.6f}", Get(row) / 1e6);
}

// --- TRES

bool is_counted(const std::string& tres) {
  for (const char* name : {"cpu", "mem", "node"})
    if (tres == name) return true;
  for (const std::string_view prefix : {"gres/", "license/"})
    if (tres.starts_with(prefix) && tres.size() > prefix.size()) return true;
  return false;
}

// "4G" of memory in MB; a count of others.
Result<std::uint64_t> parse_amount(const Clause& clause, const std::string& tres,
                                   std::string_view text) {
  if (const auto number = parse_number(text)) return *number;
  if (tres == "mem") {
    const Result<std::uint64_t> mem_mb = parse_memory_mb(text);
    if (mem_mb) return *mem_mb;
  }
  return invalid(fmt::format("Bad {} value: {}={}", clause.key, tres, text));
}

void put_tres(TresCounts& counts, const std::string& tres, std::optional<std::uint64_t> count) {
  const auto at = std::lower_bound(
      counts.begin(), counts.end(), tres,
      [](const TresCount& row, const std::string& name) { return row.tres < name; });
  const bool is_there = at != counts.end() && at->tres == tres;
  if (!count) {
    if (is_there) counts.erase(at);
  } else if (is_there) {
    at->count = *count;
  } else {
    counts.insert(at, {tres, *count});
  }
}

// "cpu=10,mem=4G": those named change, "cpu=-1" takes one away, "-1" alone all.
Result<void> change_tres(const Clause& clause, TresCounts& counts) {
  if (clears(clause.value)) {
    counts.clear();
    return {};
  }
  TresCounts changed = counts;
  for (const std::string& piece : names_of(clause.value)) {
    const std::size_t equals = piece.find('=');
    const std::string tres = piece.substr(0, equals);
    if (equals == std::string::npos || !is_counted(tres))
      return invalid(fmt::format(
          "Bad {} value: {}: no TRES that is counted here (cpu, mem, node, gres/NAME, "
          "gres/NAME:TYPE, license/NAME, each with =COUNT)",
          clause.key, piece));
    const std::string_view amount = std::string_view(piece).substr(equals + 1);
    if (amount == "-1") put_tres(changed, tres, std::nullopt);
    else put_tres(changed, tres, TRY(parse_amount(clause, tres, amount)));
  }
  counts = std::move(changed);
  return {};
}

template <auto Get, class Row>
Result<void> set_tres(const SetContext&, const Clause& clause, Row& row) {
  return change_tres(clause, Get(row));
}
// Of the old options for one resource: GrpCPUs, MaxNodes.
template <auto Get, const char* Tres, class Row>
Result<void> set_one_tres(const SetContext&, const Clause& clause, Row& row) {
  const auto count = TRY(parse_count(clause));
  put_tres(Get(row), Tres, count ? std::optional<std::uint64_t>(*count) : std::nullopt);
  return {};
}
template <auto Get, class Row>
std::string tres_of(const Row& row) {
  return tres_counts_text(Get(row));
}
constexpr char cpu_tres[] = "cpu";
constexpr char node_tres[] = "node";
constexpr char mem_tres[] = "mem";

// --- lists

template <class Names>
void change_list(const Clause& clause, const Names& more, Names& list) {
  if (clause.sign == 0) list.clear();
  for (const auto& name : more) {
    std::erase(list, name);
    if (clause.sign != '-') list.push_back(name);
  }
}

std::vector<std::string> all_qos(const AccountBook& book) {
  std::vector<std::string> names;
  for (const auto& [id, qos] : book.qos)
    if (!qos.deleted) names.push_back(qos.name);
  return names;
}

Result<void> check_qos(const SetContext& context, const std::vector<std::string>& names) {
  for (const std::string& name : names)
    if (!find_qos(context.book, name))
      return Error{ErrorCode::invalid_qos,
                   fmt::format("You gave a bad qos '{}'. Valid QOS's are {}", name,
                               fmt::join(all_qos(context.book), ","))};
  return {};
}

// What was inherited becomes its own with the first that is added or taken away.
Result<void> set_qos(const SetContext& context, const Clause& clause, Association& row) {
  const std::vector<std::string> names =
      clears(clause.value) ? std::vector<std::string>{} : names_of(clause.value);
  TRY(check_qos(context, names));
  if (clause.sign != 0 && row.qos.empty()) row.qos = qos_of(context.book, row);
  change_list(clause, names, row.qos);
  std::sort(row.qos.begin(), row.qos.end());
  return {};
}
std::string qos_text(const Association& row) { return fmt::format("{}", fmt::join(row.qos, ",")); }

Result<void> set_default_qos(const SetContext& context, const Clause& clause, Association& row) {
  const std::string name = clears(clause.value) ? "" : clause.value;
  if (!name.empty()) TRY(check_qos(context, {name}));
  row.default_qos = name;
  return {};
}
std::string default_qos_text(const Association& row) { return row.default_qos; }

struct FlagWord {
  const char* name;
  QosFlag flag;
};
constexpr FlagWord flags[] = {{"DenyOnLimit", QosFlag::DenyOnLimit},
                              {"OverPartQOS", QosFlag::OverPartQOS},
                              {"Opportunistic", QosFlag::Opportunistic}};
constexpr const char* flags_not_honoured[] = {
    "EnforceUsageThreshold", "NoReserve",         "NoDecay",
    "PartitionMinNodes",     "PartitionMaxNodes", "PartitionTimeLimit",
    "RequiresReservation",   "UsageFactorSafe"};

Result<void> set_flags(const SetContext&, const Clause& clause, Qos& row) {
  std::vector<QosFlag> named;
  if (!clears(clause.value))
    for (const std::string& word : names_of(clause.value)) {
      const auto at = std::find_if(std::begin(flags), std::end(flags), [&](const FlagWord& known) {
        return known.flag != QosFlag::Opportunistic && equals_ignoring_case(word, known.name);
      });
      for (const char* later : flags_not_honoured)
        if (equals_ignoring_case(word, later))
          return Error{
              ErrorCode::not_supported,
              fmt::format("the flag {} of a QOS is not honoured yet, so it cannot be set", later)};
      if (at == std::end(flags))
        return invalid(fmt::format("Bad flag {}; there are DenyOnLimit and OverPartQOS", word));
      named.push_back(at->flag);
    }
  change_list(clause, named, row.flags);
  return {};
}
std::string flags_text(const Qos& row) {
  std::string text;
  for (const QosFlag flag : row.flags) text.append(text.empty() ? "" : ",").append(enum_name(flag));
  return text;
}

Result<void> set_description(const SetContext&, const Clause& clause, Qos& row) {
  row.description = clause.value;
  return {};
}

// Taking away what cannot be there is no mistake.
template <class Row>
Result<void> refuse_limit(const SetContext&, const Clause& clause, Row&) {
  if (clause.value == "-1" || clause.value.empty()) return {};
  return Error{ErrorCode::not_supported,
               fmt::format("{} is not enforced yet, so it cannot be set", clause.text)};
}

// --- members

constexpr auto grp_jobs = [](auto& row) -> auto& { return row.limits.grp_jobs; };
constexpr auto grp_submit = [](auto& row) -> auto& { return row.limits.grp_submit_jobs; };
constexpr auto grp_tres = [](auto& row) -> auto& { return row.limits.grp_tres; };
constexpr auto max_tres = [](auto& row) -> auto& { return row.limits.max_tres_per_job; };
constexpr auto max_tres_node = [](auto& row) -> auto& { return row.limits.max_tres_per_node; };
constexpr auto max_wall = [](auto& row) -> auto& { return row.limits.max_wall_min; };
constexpr auto max_jobs = [](auto& row) -> auto& { return row.max_jobs; };
constexpr auto max_submit = [](auto& row) -> auto& { return row.max_submit_jobs; };
constexpr auto priority = [](auto& row) -> auto& { return row.priority; };
constexpr auto user_jobs = [](auto& row) -> auto& { return row.max_jobs_per_user; };
constexpr auto user_submit = [](auto& row) -> auto& { return row.max_submit_jobs_per_user; };
constexpr auto user_tres = [](auto& row) -> auto& { return row.max_tres_per_user; };
constexpr auto account_jobs = [](auto& row) -> auto& { return row.max_jobs_per_account; };
constexpr auto account_submit = [](auto& row) -> auto& { return row.max_submit_jobs_per_account; };
constexpr auto account_tres = [](auto& row) -> auto& { return row.max_tres_per_account; };
constexpr auto min_tres = [](auto& row) -> auto& { return row.min_tres_per_job; };
constexpr auto usage_factor = [](auto& row) -> auto& { return row.usage_factor_ppm; };

// --- THE tables, in the order in which settings are told. An abbreviation means the first that
// fits.

using A = Association;
constexpr Key<A> association_keys[] = {
    {"DefaultQOS", 8, "DefaultQOS", set_default_qos, default_qos_text},
    {"DefQOS", 4, nullptr, set_default_qos, nullptr},
    {"Fairshare", 1, "Fairshare", set_shares, shares_text},
    {"Shares", 1, nullptr, set_shares, nullptr},
    {"GrpTRESMins", 8, nullptr, refuse_limit<A>, nullptr},
    {"GrpTRESRunMins", 8, nullptr, refuse_limit<A>, nullptr},
    {"GrpTRES", 7, "GrpTRES", set_tres<grp_tres, A>, tres_of<grp_tres, A>},
    {"GrpCPUMins", 7, nullptr, refuse_limit<A>, nullptr},
    {"GrpCPURunMins", 7, nullptr, refuse_limit<A>, nullptr},
    {"GrpCPUs", 6, nullptr, set_one_tres<grp_tres, cpu_tres, A>, nullptr},
    {"GrpNodes", 4, nullptr, set_one_tres<grp_tres, node_tres, A>, nullptr},
    {"GrpMemory", 4, nullptr, set_one_tres<grp_tres, mem_tres, A>, nullptr},
    {"GrpJobsAccrue", 8, nullptr, refuse_limit<A>, nullptr},
    {"GrpJobs", 4, "GrpJobs", set_count<grp_jobs, A>, count_text<grp_jobs, A>},
    {"GrpSubmitJobs", 4, "GrpSubmitJobs", set_count<grp_submit, A>, count_text<grp_submit, A>},
    {"GrpWall", 4, nullptr, refuse_limit<A>, nullptr},
    {"MaxTRESMinsPerJob", 8, nullptr, refuse_limit<A>, nullptr},
    {"MaxTRESRunMins", 8, nullptr, refuse_limit<A>, nullptr},
    {"MaxTRESPerNode", 11, "MaxTRESPerNode", set_tres<max_tres_node, A>, tres_of<max_tres_node, A>},
    {"MaxTRESPN", 9, nullptr, set_tres<max_tres_node, A>, nullptr},
    {"MaxTRESPerJob", 7, "MaxTRES", set_tres<max_tres, A>, tres_of<max_tres, A>},
    {"MaxTRESPJ", 9, nullptr, set_tres<max_tres, A>, nullptr},
    {"MaxCPUMinsPerJob", 7, nullptr, refuse_limit<A>, nullptr},
    {"MaxCPUsPerJob", 6, nullptr, set_one_tres<max_tres, cpu_tres, A>, nullptr},
    {"MaxNodesPerJob", 4, nullptr, set_one_tres<max_tres, node_tres, A>, nullptr},
    {"MaxJobsAccrue", 8, nullptr, refuse_limit<A>, nullptr},
    {"MaxJobs", 4, "MaxJobs", set_count<max_jobs, A>, count_text<max_jobs, A>},
    {"MaxSubmitJobs", 4, "MaxSubmitJobs", set_count<max_submit, A>, count_text<max_submit, A>},
    {"MaxWallDurationPerJob", 4, "MaxWall", set_minutes<max_wall, A>, time_text<max_wall, A>},
    {"MinPrioThreshold", 4, nullptr, refuse_limit<A>, nullptr},
    {"Priority", 3, "Priority", set_priority<priority, A>, priority_text<priority, A>},
    {"QOSLevel", 1, "QOS", set_qos, qos_text},
};

using Q = Qos;
constexpr Key<Q> qos_keys[] = {
    {"Description", 1, nullptr, set_description, nullptr},
    {"Flags", 2, "Flags", set_flags, flags_text},
    {"GraceTime", 3, nullptr, refuse_limit<Q>, nullptr},
    {"GrpTRESMins", 8, nullptr, refuse_limit<Q>, nullptr},
    {"GrpTRESRunMins", 8, nullptr, refuse_limit<Q>, nullptr},
    {"GrpTRES", 7, "GrpTRES", set_tres<grp_tres, Q>, tres_of<grp_tres, Q>},
    {"GrpCPUMins", 7, nullptr, refuse_limit<Q>, nullptr},
    {"GrpCPURunMins", 7, nullptr, refuse_limit<Q>, nullptr},
    {"GrpCPUs", 6, nullptr, set_one_tres<grp_tres, cpu_tres, Q>, nullptr},
    {"GrpNodes", 4, nullptr, set_one_tres<grp_tres, node_tres, Q>, nullptr},
    {"GrpMemory", 4, nullptr, set_one_tres<grp_tres, mem_tres, Q>, nullptr},
    {"GrpJobsAccrue", 8, nullptr, refuse_limit<Q>, nullptr},
    {"GrpJobs", 4, "GrpJobs", set_count<grp_jobs, Q>, count_text<grp_jobs, Q>},
    {"GrpSubmitJobs", 4, "GrpSubmitJobs", set_count<grp_submit, Q>, count_text<grp_submit, Q>},
    {"GrpWall", 4, nullptr, refuse_limit<Q>, nullptr},
    {"LimitFactor", 1, nullptr, refuse_limit<Q>, nullptr},
    {"MaxJobsAccruePerAccount", 14, nullptr, refuse_limit<Q>, nullptr},
    {"MaxJobsAccruePA", 15, nullptr, refuse_limit<Q>, nullptr},
    {"MaxJobsAccruePerUser", 8, nullptr, refuse_limit<Q>, nullptr},
    {"MaxJobsAccruePU", 15, nullptr, refuse_limit<Q>, nullptr},
    {"MaxJobsPerAccount", 11, "MaxJobsPerAccount", set_count<account_jobs, Q>,
     count_text<account_jobs, Q>},
    {"MaxJobsPA", 9, nullptr, set_count<account_jobs, Q>, nullptr},
    {"MaxJobsPerUser", 4, "MaxJobsPerUser", set_count<user_jobs, Q>, count_text<user_jobs, Q>},
    {"MaxJobsPU", 9, nullptr, set_count<user_jobs, Q>, nullptr},
    {"MaxSubmitJobsPerAccount", 17, "MaxSubmitJobsPerAccount", set_count<account_submit, Q>,
     count_text<account_submit, Q>},
    {"MaxSubmitJobsPA", 15, nullptr, set_count<account_submit, Q>, nullptr},
    {"MaxSubmitPA", 11, nullptr, set_count<account_submit, Q>, nullptr},
    {"MaxSubmitJobsPerUser", 4, "MaxSubmitJobsPerUser", set_count<user_submit, Q>,
     count_text<user_submit, Q>},
    {"MaxSubmitJobsPU", 15, nullptr, set_count<user_submit, Q>, nullptr},
    {"MaxSubmitPU", 11, nullptr, set_count<user_submit, Q>, nullptr},
    {"MaxTRESMinsPerJob", 8, nullptr, refuse_limit<Q>, nullptr},
    {"MaxTRESRunMinsPerUser", 8, nullptr, refuse_limit<Q>, nullptr},
    {"MaxTRESPerAccount", 11, "MaxTRESPerAccount", set_tres<account_tres, Q>,
     tres_of<account_tres, Q>},
    {"MaxTRESPA", 9, nullptr, set_tres<account_tres, Q>, nullptr},
    {"MaxTRESPerNode", 11, "MaxTRESPerNode", set_tres<max_tres_node, Q>, tres_of<max_tres_node, Q>},
    {"MaxTRESPN", 9, nullptr, set_tres<max_tres_node, Q>, nullptr},
    {"MaxTRESPerUser", 11, "MaxTRESPerUser", set_tres<user_tres, Q>, tres_of<user_tres, Q>},
    {"MaxTRESPU", 9, nullptr, set_tres<user_tres, Q>, nullptr},
    {"MaxTRESPerJob", 7, "MaxTRESPerJob", set_tres<max_tres, Q>, tres_of<max_tres, Q>},
    {"MaxTRESPJ", 9, nullptr, set_tres<max_tres, Q>, nullptr},
    {"MaxCPUMinsPerJob", 7, nullptr, refuse_limit<Q>, nullptr},
    {"MaxCPUsPerUser", 11, nullptr, set_one_tres<user_tres, cpu_tres, Q>, nullptr},
    {"MaxCPUsPerJob", 6, nullptr, set_one_tres<max_tres, cpu_tres, Q>, nullptr},
    {"MaxNodesPerUser", 12, nullptr, set_one_tres<user_tres, node_tres, Q>, nullptr},
    {"MaxNodesPerJob", 4, nullptr, set_one_tres<max_tres, node_tres, Q>, nullptr},
    {"MaxWallDurationPerJob", 4, "MaxWallDurationPerJob", set_minutes<max_wall, Q>,
     time_text<max_wall, Q>},
    {"MinPrioThreshold", 4, nullptr, refuse_limit<Q>, nullptr},
    {"MinTRESPerJob", 7, "MinTRESPerJob", set_tres<min_tres, Q>, tres_of<min_tres, Q>},
    {"MinCPUsPerJob", 6, nullptr, set_one_tres<min_tres, cpu_tres, Q>, nullptr},
    {"PreemptExemptTime", 8, nullptr, refuse_limit<Q>, nullptr},
    {"PreemptMode", 8, nullptr, refuse_limit<Q>, nullptr},
    {"Preempt", 7, nullptr, refuse_limit<Q>, nullptr},
    {"Priority", 3, "Priority", set_priority<priority, Q>, priority_text<priority, Q>},
    {"UsageFactor", 6, "UsageFactor", set_factor<usage_factor>, factor_text<usage_factor>},
    {"UsageThreshold", 6, nullptr, refuse_limit<Q>, nullptr},
};

template <class Row>
const Key<Row>* find_key(std::span<const Key<Row>> keys, const std::string& word) {
  for (const Key<Row>& key : keys)
    if (equals_ignoring_case(word, key.name)) return &key;
  for (const Key<Row>& key : keys)
    if (abbreviates(word, key.name, key.letters_min)) return &key;
  // A plural.
  if (word.size() > 1 && word.back() == 's') return find_key(keys, word.substr(0, word.size() - 1));
  return nullptr;
}

template <class Row>
std::optional<Result<void>> set_by_table(std::span<const Key<Row>> keys, const SetContext& context,
                                         const Clause& clause, Row& row) {
  const Key<Row>* key = clause.key.empty() ? nullptr : find_key(keys, clause.key);
  if (!key) return std::nullopt;
  return key->set(context, clause, row);
}

}  // namespace

std::optional<Result<void>> set_option(const SetContext& context, const Clause& clause,
                                       Association& row) {
  return set_by_table<Association>(association_keys, context, clause, row);
}

std::optional<Result<void>> set_option(const SetContext& context, const Clause& clause, Qos& row) {
  return set_by_table<Qos>(qos_keys, context, clause, row);
}

std::string settings_text(const Association& row) {
  std::string text;
  for (const Key<Association>& key : association_keys)
    if (key.label)
      if (const std::string value = key.text(row); !value.empty())
        text += fmt::format("  {:<14}= {}\n", key.label, value);
  return text;
}

std::string settings_text(const Qos& row) {
  std::string text;
  for (const Key<Qos>& key : qos_keys)
    if (key.label)
      if (const std::string value = key.text(row); !value.empty())
        // Slurm has this one otherwise than the rest.
        text += std::string_view(key.label) == "MaxJobsPerUser"
                    ? fmt::format("  {} = {}\n", key.label, value)
                    : fmt::format("  {:<25}= {}\n", key.label, value);
  return text;
}

}  // namespace sluice
