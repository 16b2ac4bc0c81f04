// swf.cpp: see swf.h.
#include "daemon/replay/swf.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

namespace sluice {
namespace {

constexpr std::size_t fields_needed = 9;
constexpr std::int64_t number_max = 1LL << 40;

std::string_view next_word(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
  const std::string_view word = line.substr(0, line.find_first_of(" \t\r"));
  line.remove_prefix(word.size());
  return word;
}

// Some logs have fractions of a second.
std::optional<std::int64_t> parse_number(std::string_view word) {
  double value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  const bool is_whole_word = error == std::errc{} && end == word.data() + word.size();
  if (!is_whole_word || !(value > -number_max && value < number_max)) return std::nullopt;
  return static_cast<std::int64_t>(value);
}

void read_header(std::string_view line, Trace& trace) {
  constexpr std::string_view key = "MaxProcs:";
  const std::size_t at = line.find(key);
  if (at == std::string_view::npos) return;
  line.remove_prefix(at + key.size());
  if (const auto cpus = parse_number(next_word(line)); cpus && *cpus > 0 && *cpus <= UINT32_MAX)
    trace.cpus_most = static_cast<std::uint32_t>(*cpus);
}

Result<void> read_job(std::string_view line, std::size_t number, Trace& trace) {
  std::array<std::int64_t, fields_needed> fields{};
  for (std::size_t i = 0; i < fields.size(); ++i) {
    const std::string_view word = next_word(line);
    const auto value = parse_number(word);
    if (!value)
      return Error{ErrorCode::invalid_argument,
                   fmt::format("line {}: field {} is '{}', expected a number (SWF has 18 a line)",
                               number, i + 1, word)};
    fields[i] = *value;
  }
  const std::int64_t cpus = fields[7] > 0 ? fields[7] : fields[4];
  const std::int64_t run_s = fields[3];
  if (run_s <= 0 || cpus <= 0 || cpus > UINT32_MAX) return {};
  const std::int64_t asked_s = fields[8] > 0 ? fields[8] : run_s;
  trace.jobs.push_back(
      {fields[0], fields[1], run_s, std::max(asked_s, run_s), static_cast<std::uint32_t>(cpus)});
  return {};
}

}  // namespace

Result<Trace> parse_swf(std::string_view text) {
  Trace trace;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty()) continue;
    if (line.front() == ';') read_header(line, trace);
    else TRY(read_job(line, number, trace));
  }
  return trace;
}

std::vector<TraceJob> cut_trace(const Trace& trace, const TraceCut& cut) {
  std::vector<TraceJob> jobs;
  for (const TraceJob& job : trace.jobs)
    if (job.cpus <= cut.cpus) jobs.push_back(job);
  std::stable_sort(jobs.begin(), jobs.end(),
                   [](const TraceJob& a, const TraceJob& b) { return a.id < b.id; });
  jobs.erase(jobs.begin(),
             jobs.begin() + static_cast<std::ptrdiff_t>(std::min(cut.skip, jobs.size())));
  if (cut.first && *cut.first < jobs.size()) jobs.resize(*cut.first);
  std::stable_sort(jobs.begin(), jobs.end(), [](const TraceJob& a, const TraceJob& b) {
    return std::tie(a.submitted_s, a.id) < std::tie(b.submitted_s, b.id);
  });
  return jobs;
}

}  // namespace sluice
