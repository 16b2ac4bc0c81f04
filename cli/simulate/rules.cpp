// rules.cpp: see rules.h.
#include "cli/simulate/rules.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "common/base/describe.h"
#include "common/net/crypto.h"

namespace sluice::simulate {
namespace {

// Textbook rules plan all that waits.
constexpr std::uint32_t all = UINT32_MAX;

struct BackfillRow {
  const char* word;
  Backfill backfill;
  const char* shown;  // in results
  std::optional<QueueOrder> candidates;
  std::optional<std::uint32_t> planned_max;
};
const BackfillRow backfills[] = {
    {"default", Backfill::balanced, "balanced", std::nullopt, 1},
    {"none", Backfill::none, "none", std::nullopt, all},
    {"easy", Backfill::easy, "easy", std::nullopt, all},
    {"easy-sjf", Backfill::easy, "easy", QueueOrder::sjf, all},
    {"conservative", Backfill::conservative, "cons", std::nullopt, all},
    {"guarantee", Backfill::guarantee, "guarantee", std::nullopt, std::nullopt},
    // Only the first one's planned start binds anybody.
    {"balanced", Backfill::balanced, "balanced", std::nullopt, 1},
};

const char* shown(Backfill backfill) {
  for (const BackfillRow& row : backfills)
    if (row.backfill == backfill) return row.shown;
  return "";
}

// Scores in whole numbers give the same starts on every machine.
bool is_exact(QueueOrder order) {
  return order == QueueOrder::priority || order == QueueOrder::fcfs || order == QueueOrder::sjf;
}

struct Row {
  const char* key;
  std::string value;
  bool is_text = false;
};

std::vector<Row> rows_of(const Report& report) {
  const PlanRules& rules = report.rules;
  const Figures& figures = report.figures;
  const bool has_order = rules.backfill == Backfill::easy;
  const char* behind = has_order ? enum_name(rules.candidates.value_or(rules.order)) : "";
  return {
      {"file", report.file, true},
      {"first_n", report.first, true},
      {"policy", enum_name(rules.order), true},
      {"backfill", shown(rules.backfill), true},
      {"backfill_order", behind, true},
      {"procs", fmt::format("{}", report.cpus)},
      {"jobs", fmt::format("{}", figures.jobs)},
      {"makespan_s", fmt::format("{}", figures.makespan_s)},
      {"total_wait_s", fmt::format("{}", figures.wait_s_total)},
      {"mean_wait_s", fmt::format("{:.4f}", figures.wait_s_mean)},
      {"mean_bsld_tau10", fmt::format("{:.6f}", figures.slowdown_mean)},
      {"utilisation", fmt::format("{:.6f}", figures.utilisation)},
      {"median_wait_s", fmt::format("{}", figures.wait_s_median)},
      {"max_wait_s", fmt::format("{}", figures.wait_s_max)},
      {"start_digest", report.digest, true},
      {"digest_integer_exact", is_exact(rules.order) ? "1" : "0"},
  };
}

std::string quoted(const std::string& text) {
  std::string out = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') out += '\\';
    if (static_cast<unsigned char>(c) < 0x20)
      out += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    else out += c;
  }
  return out + '"';
}

}  // namespace

Result<PlanRules> parse_rules(std::string_view order, std::string_view backfill) {
  PlanRules rules;
  if (order != "default" && !enum_from_name(order, rules.order))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("--order={}: expected default, fcfs, sjf, wfp3, unicep or f1", order)};
  std::vector<std::string> words;
  for (const BackfillRow& row : backfills) {
    words.push_back(row.word);
    if (backfill != row.word) continue;
    rules.backfill = row.backfill;
    rules.candidates = row.candidates;
    rules.planned_max = row.planned_max.value_or(rules.planned_max);
    return rules;
  }
  return Error{ErrorCode::invalid_argument,
               fmt::format("--backfill={}: expected {}", backfill, fmt::join(words, ", "))};
}

std::string digest_of(const std::vector<TraceJob>& jobs, const std::vector<std::int64_t>& starts) {
  std::string hex;
  for (const char byte : crypto::sha256(starts_text(jobs, starts)).substr(0, 8))
    hex += fmt::format("{:02x}", static_cast<unsigned>(static_cast<unsigned char>(byte)));
  return hex;
}

namespace {

std::string members_of(const Report& report) {
  std::string out;
  for (const Row& row : rows_of(report))
    out += fmt::format("{}\"{}\": {}", out.empty() ? "" : ", ", row.key,
                       row.is_text ? quoted(row.value) : row.value);
  return out;
}

// Waits and slowdowns at most so many times those of the other; utilisation lower by less.
struct Measure {
  const char* key;
  const char* title;
  std::string (*value)(const Comparison& of);
};

std::string ratio(double value, double base) {
  return base > 0 ? fmt::format("{:.4f}", value / base) : "null";
}

const Measure measures[] = {
    {"bsld_to_easy_sjf", "mean bounded slowdown, to EASY-SJBF's",
     [](const Comparison& of) {
       return ratio(of.asked.figures.slowdown_mean, of.easy_sjf.figures.slowdown_mean);
     }},
    {"utilisation_to_easy", "utilisation, points to FCFS+EASY's",
     [](const Comparison& of) {
       return fmt::format("{:.3f}",
                          100 * (of.asked.figures.utilisation - of.easy.figures.utilisation));
     }},
    {"max_wait_to_easy", "longest wait, to FCFS+EASY's",
     [](const Comparison& of) {
       return ratio(static_cast<double>(of.asked.figures.wait_s_max),
                    static_cast<double>(of.easy.figures.wait_s_max));
     }},
};

}  // namespace

std::string to_json(const Report& report) { return fmt::format("{{{}}}\n", members_of(report)); }

std::string to_table(const Report& report) {
  std::string out;
  for (const Row& row : rows_of(report)) out += fmt::format("{:<22}{}\n", row.key, row.value);
  return out;
}

std::string to_json(const Comparison& comparison) {
  std::string out =
      fmt::format("{{{}, \"compared_with\": [{{{}}}, {{{}}}]", members_of(comparison.asked),
                  members_of(comparison.easy), members_of(comparison.easy_sjf));
  for (const Measure& measure : measures)
    out += fmt::format(", \"{}\": {}", measure.key, measure.value(comparison));
  return out + "}\n";
}

std::string to_table(const Comparison& comparison) {
  const std::vector<Row> asked = rows_of(comparison.asked);
  const std::vector<Row> easy = rows_of(comparison.easy);
  const std::vector<Row> easy_sjf = rows_of(comparison.easy_sjf);
  std::string out = fmt::format("{:<22}{:<18} {:<18} {}\n", "", "asked", "FCFS+EASY", "EASY-SJBF");
  for (std::size_t i = 0; i < asked.size(); ++i)
    out += fmt::format("{:<22}{:<18} {:<18} {}\n", asked[i].key, asked[i].value, easy[i].value,
                       easy_sjf[i].value);
  for (const Measure& measure : measures)
    out += fmt::format("{:<41}{}\n", measure.title, measure.value(comparison));
  return out;
}

}  // namespace sluice::simulate
