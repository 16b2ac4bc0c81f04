// report.cpp: sums, and the table of columns of each report.
#include "cli/listing/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <span>

#include "cli/listing/time_text.h"

namespace sluice {
namespace {

using Sums = Report::Sums;

struct Names {
  const char* word;
  const char* heading;
};
constexpr Names kind_names[] = {{"wait", ""}, {"util", ""}, {"efficiency", ""}, {"forecast", ""}};
constexpr Names group_names[] = {
    {"user", "USER"}, {"account", "ACCOUNT"}, {"partition", "PARTITION"}, {"class", "CLASS"}};

template <class Enum>
Result<Enum> parse_name(std::span<const Names> names, std::string_view what, std::string_view word) {
  std::string known;
  for (std::size_t i = 0; i < names.size(); ++i) {
    if (word == names[i].word) return static_cast<Enum>(i);
    known += fmt::format("{}{}", known.empty() ? "" : ", ", names[i].word);
  }
  return Error{ErrorCode::invalid_argument, fmt::format("no {} '{}'; there are {}", what, word, known)};
}

double seconds(Duration time) { return std::chrono::duration<double>(time).count(); }

// How long the run was within the window.
Duration overlap(const JobInfo& run, const ReportWindow& window) {
  if (!run.times.started) return {};
  const WallTime end = run.times.ended.value_or(window.until);
  return std::max(std::min(end, window.until) - std::max(*run.times.started, window.since), Duration{});
}

struct Held {
  double cpus = 0;
  double mem_mb = 0;
  double gpus = 0;
};
Held held_by(const JobInfo& run) {
  Held held;
  for (const NodeShare& share : run.allocation.shares) {
    held.cpus += share.cpus;
    held.mem_mb += static_cast<double>(share.mem_mb);
    for (const GresCount& gres : share.gres)
      if (gres.name == "gpu") held.gpus += gres.count;
  }
  return held;
}

std::string group_of(const JobInfo& run, ReportGroup group) {
  const Demand& demand = run.asked.demand;
  switch (group) {
    case ReportGroup::user: return run.names.user;
    case ReportGroup::account: return run.names.account.empty() ? "(none)" : run.names.account;
    case ReportGroup::partition: return run.names.partition;
    case ReportGroup::job_class: break;
  }
  std::string text = fmt::format("{}: {} node{}, {} cpus", run.names.partition, demand.nodes_min,
                                 demand.nodes_min == 1 ? "" : "s",
                                 std::max(demand.ntasks, 1U) * std::max(demand.cpus_per_task, 1U));
  if (!demand.gres_per_node.empty()) text += ", " + to_text(demand.gres_per_node);
  return text;
}

// The nearest rank: of 10 waits the 90th percentile is the ninth.
double percentile(std::vector<float> values, double share) {
  if (values.empty()) return 0;
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max<std::size_t>(rank, 1) - 1);
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double mean(const std::vector<float>& values) {
  double sum = 0;
  for (const float value : values) sum += value;
  return values.empty() ? 0 : sum / static_cast<double>(values.size());
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

// --- columns -----------------------------------------------------------------------------------
struct ReportColumn {
  const char* heading;
  const char* name;  // in documents
  int digits;        // of the number; -1: a duration in seconds
  double (*value)(const Sums& sums, const Sums& total);
};

using In = const Sums&;
constexpr ReportColumn wait_columns[] = {
    {"JOBS", "jobs", 0, [](In s, In) { return static_cast<double>(s.waits_s.size()); }},
    {"MEAN", "mean_s", -1, [](In s, In) { return mean(s.waits_s); }},
    {"MEDIAN", "median_s", -1, [](In s, In) { return percentile(s.waits_s, 0.5); }},
    {"P90", "p90_s", -1, [](In s, In) { return percentile(s.waits_s, 0.9); }},
    {"P99", "p99_s", -1, [](In s, In) { return percentile(s.waits_s, 0.99); }},
    {"MAX", "max_s", -1, [](In s, In) { return percentile(s.waits_s, 1); }},
};
constexpr ReportColumn util_columns[] = {
    {"RUNS", "runs", 0, [](In s, In) { return static_cast<double>(s.runs); }},
    {"CPU_HOURS", "cpu_hours", 2, [](In s, In) { return s.cpu_s / 3600; }},
    {"SHARE%", "share_percent", 1, [](In s, In t) { return 100 * ratio(s.cpu_s, t.cpu_s); }},
    {"MEM_GB_HOURS", "mem_gb_hours", 2, [](In s, In) { return s.mem_mb_s / 1024 / 3600; }},
    {"GPU_HOURS", "gpu_hours", 2, [](In s, In) { return s.gpu_s / 3600; }},
};
constexpr ReportColumn efficiency_columns[] = {
    {"RUNS", "runs", 0, [](In s, In) { return static_cast<double>(s.runs); }},
    {"CPU_HOURS", "cpu_hours", 2, [](In s, In) { return s.ended_cpu_s / 3600; }},
    {"CPU%", "cpu_percent", 1, [](In s, In) { return 100 * ratio(s.used_cpu_s, s.ended_cpu_s); }},
    {"CPU_HOURS_UNUSED", "cpu_hours_unused", 2,
     [](In s, In) { return std::max(s.ended_cpu_s - s.used_cpu_s, 0.0) / 3600; }},
    {"MEM%", "mem_percent", 1, [](In s, In) { return 100 * ratio(s.peak_mem_mb_s, s.ended_mem_mb_s); }},
};

std::vector<float> sizes_of(const std::vector<float>& values) {
  std::vector<float> sizes;
  for (const float value : values) sizes.push_back(std::abs(value));
  return sizes;
}

double late_share(const std::vector<float>& late_s) {
  constexpr float noticed_s = 60;
  const auto late = std::count_if(late_s.begin(), late_s.end(),
                                  [](float value) { return value > noticed_s; });
  return ratio(static_cast<double>(late), static_cast<double>(late_s.size()));
}

// Of those that were told a start: by how much it was wrong.
constexpr ReportColumn forecast_columns[] = {
    {"JOBS", "jobs", 0, [](In s, In) { return static_cast<double>(s.late_s.size()); }},
    {"ERR_MEAN", "error_mean_s", -1, [](In s, In) { return mean(sizes_of(s.late_s)); }},
    {"ERR_MEDIAN", "error_median_s", -1,
     [](In s, In) { return percentile(sizes_of(s.late_s), 0.5); }},
    {"ERR_P95", "error_p95_s", -1, [](In s, In) { return percentile(sizes_of(s.late_s), 0.95); }},
    {"ERR_MAX", "error_max_s", -1, [](In s, In) { return percentile(sizes_of(s.late_s), 1); }},
    {"LATE%", "late_percent", 1, [](In s, In) { return 100 * late_share(s.late_s); }},
};

std::span<const ReportColumn> columns_of(ReportKind kind) {
  switch (kind) {
    case ReportKind::wait: return wait_columns;
    case ReportKind::util: return util_columns;
    case ReportKind::forecast: return forecast_columns;
    case ReportKind::efficiency: break;
  }
  return efficiency_columns;
}

std::string cell(const ReportColumn& column, In sums, In total) {
  const double value = column.value(sums, total);
  if (column.digits >= 0) return fmt::format("{:.{}f}", value, column.digits);
  std::string text;
  append_long_duration(std::llround(value), text);
  return text;
}

}  // namespace

void Report::Sums::add(const Sums& other) {
  runs += other.runs;
  waits_s.insert(waits_s.end(), other.waits_s.begin(), other.waits_s.end());
  late_s.insert(late_s.end(), other.late_s.begin(), other.late_s.end());
  cpu_s += other.cpu_s;
  mem_mb_s += other.mem_mb_s;
  gpu_s += other.gpu_s;
  ended_cpu_s += other.ended_cpu_s;
  used_cpu_s += other.used_cpu_s;
  ended_mem_mb_s += other.ended_mem_mb_s;
  peak_mem_mb_s += other.peak_mem_mb_s;
}

void Report::add(const JobInfo& run) {
  const Held held = held_by(run);
  const double within = seconds(overlap(run, window_));
  Sums sums;
  sums.runs = run.times.started ? 1 : 0;
  sums.cpu_s = held.cpus * within;
  sums.mem_mb_s = held.mem_mb * within;
  sums.gpu_s = held.gpus * within;
  // A later run waits because the earlier one was lost; how long users wait is the first one's.
  if (run.times.started && run.run.value == 0 && run.times.eligible != WallTime{})
    sums.waits_s.push_back(static_cast<float>(
        seconds(std::max(*run.times.started - run.times.eligible, Duration{}))));
  if (run.times.started && run.times.forecast)
    sums.late_s.push_back(
        static_cast<float>(seconds(*run.times.started - run.times.forecast->start)));
  if (run.times.started && run.times.ended) {
    const double elapsed = seconds(run.times.elapsed);
    sums.ended_cpu_s = held.cpus * elapsed;
    sums.used_cpu_s = static_cast<double>(run.usage.user_cpu_us + run.usage.system_cpu_us) / 1e6;
    sums.ended_mem_mb_s = held.mem_mb * elapsed;
    sums.peak_mem_mb_s = static_cast<double>(run.usage.mem_peak_kb) / 1024 * elapsed;
  }
  groups_[group_of(run, group_)].add(sums);
}

std::vector<Report::Line> Report::lines() const {
  std::vector<Line> lines;
  for (const auto& [group, sums] : groups_) lines.push_back({group, sums});
  const auto weight = [this](const Sums& sums) {
    return kind_ == ReportKind::wait ? static_cast<double>(sums.waits_s.size())
           : kind_ == ReportKind::forecast ? static_cast<double>(sums.late_s.size())
           : kind_ == ReportKind::util ? sums.cpu_s : sums.ended_cpu_s;
  };
  std::stable_sort(lines.begin(), lines.end(), [&](const Line& a, const Line& b) {
    return weight(a.sums) > weight(b.sums);
  });
  return lines;
}

Report::Sums Report::total() const {
  Sums total;
  for (const auto& [group, sums] : groups_) total.add(sums);
  return total;
}

std::string Report::text() const {
  const Sums all = total();
  std::vector<Line> shown = lines();
  shown.push_back({"(all)", all});
  const char* heading = group_names[static_cast<std::size_t>(group_)].heading;
  std::size_t width = std::string_view(heading).size();
  for (const Line& line : shown) width = std::max(width, line.group.size());
  std::string out = fmt::format("{:<{}}", heading, width);
  const auto columns = columns_of(kind_);
  const auto width_of = [](const ReportColumn& column) {
    return std::max<std::size_t>(std::string_view(column.heading).size(), 11);
  };
  for (const ReportColumn& column : columns)
    out += fmt::format(" {:>{}}", column.heading, width_of(column));
  for (const Line& line : shown) {
    out += fmt::format("\n{:<{}}", line.group, width);
    for (const ReportColumn& column : columns)
      out += fmt::format(" {:>{}}", cell(column, line.sums, all), width_of(column));
  }
  return out + '\n';
}

void Report::write(Document& document) const {
  const Sums all = total();
  document.begin_list("groups");
  for (const Line& line : lines()) {
    document.begin_object();
    document.text(group_names[static_cast<std::size_t>(group_)].word, line.group);
    for (const ReportColumn& column : columns_of(kind_))
      document.fraction(column.name, column.value(line.sums, all), std::max(column.digits, 0));
    document.end_object();
  }
  document.end_list();
}

Result<ReportKind> parse_report_kind(std::string_view word) {
  return parse_name<ReportKind>(kind_names, "report", word);
}

Result<ReportGroup> parse_report_group(std::string_view word) {
  return parse_name<ReportGroup>(group_names, "grouping", word);
}

}  // namespace sluice
