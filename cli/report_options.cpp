// report_options.cpp: see report_options.h.
#include "cli/report_options.h"

#include <fmt/format.h>

#include "common/base/clock.h"
#include "common/options/time_point.h"

namespace sluice {
namespace {

Result<void> set_group(ReportOptions& options, std::string_view value) {
  options.group = TRY(parse_report_group(value));
  return {};
}

template <auto Member>
Result<void> set_time(ReportOptions& options, std::string_view value) {
  const auto at = parse_time_point(value, to_seconds(read_clocks().wall), TimeOfDay::of_today);
  if (!at.ok()) return at.error();
  options.window.*Member = wall_from_us(*at * 1'000'000);
  return {};
}

template <bool IsYaml>
Result<void> set_document(ReportOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
  return {};
}

using enum ArgumentKind;
constexpr OptionRow<ReportOptions> rows[] = {
    {"by", 0, required, nullptr, set_group, "group by user, account, partition or class of job"},
    {"starttime", 'S', required, nullptr, set_time<&ReportWindow::since>,
     "from this time on; else the last 30 days"},
    {"endtime", 'E', required, nullptr, set_time<&ReportWindow::until>, "until this time; else now"},
    {"json", 0, optional, nullptr, set_document<false>, "JSON"},
    {"yaml", 0, optional, nullptr, set_document<true>, "YAML"},
};

}  // namespace

std::span<const OptionRow<ReportOptions>> report_rows() { return rows; }

}  // namespace sluice
