// figures.cpp: see figures.h.
#include "daemon/replay/figures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

namespace sluice {
namespace {

constexpr std::int64_t short_run_s = 10;

std::int64_t upper_median(std::vector<std::int64_t> values) {
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  return *middle;
}

double bounded_slowdown(std::int64_t wait_s, std::int64_t run_s) {
  const double run = static_cast<double>(std::max(run_s, short_run_s));
  return std::max(1.0, static_cast<double>(wait_s + run_s) / run);
}

}  // namespace

Figures measure(const std::vector<TraceJob>& jobs, const std::vector<std::int64_t>& starts,
                std::uint32_t cpus) {
  Figures figures;
  figures.jobs = jobs.size();
  if (jobs.empty()) return figures;
  std::vector<std::int64_t> waits;
  std::int64_t first = jobs.front().submitted_s;
  std::int64_t last = 0;
  double slowdown = 0;
  double used = 0;
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const TraceJob& job = jobs[i];
    waits.push_back(starts[i] - job.submitted_s);
    figures.wait_s_total += waits.back();
    figures.wait_s_max = std::max(figures.wait_s_max, waits.back());
    slowdown += bounded_slowdown(waits.back(), job.run_s);
    used += static_cast<double>(job.cpus) * static_cast<double>(job.run_s);
    first = std::min(first, job.submitted_s);
    last = std::max(last, starts[i] + job.run_s);
  }
  const double count = static_cast<double>(jobs.size());
  figures.makespan_s = last - first;
  figures.wait_s_mean = static_cast<double>(figures.wait_s_total) / count;
  figures.wait_s_median = upper_median(std::move(waits));
  figures.slowdown_mean = slowdown / count;
  figures.utilisation =
      used / (static_cast<double>(cpus) * static_cast<double>(figures.makespan_s));
  return figures;
}

std::string starts_text(const std::vector<TraceJob>& jobs,
                        const std::vector<std::int64_t>& starts) {
  std::vector<std::pair<std::int64_t, std::int64_t>> rows;
  rows.reserve(jobs.size());
  for (std::size_t i = 0; i < jobs.size(); ++i) rows.emplace_back(jobs[i].id, starts[i]);
  std::sort(rows.begin(), rows.end());
  std::string text;
  for (const auto& [id, start] : rows)
    fmt::format_to(std::back_inserter(text), "{} {}\n", id, start);
  return text;
}

}  // namespace sluice
