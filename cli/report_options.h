// report_options.h: THE option table of `sluice report`.
#pragma once

#include <optional>
#include <span>

#include "cli/listing/document.h"
#include "cli/listing/options.h"
#include "cli/listing/report.h"

namespace sluice {

struct ReportOptions {
  ReportGroup group = ReportGroup::user;
  ReportWindow window;
  std::optional<DocumentStyle> document;
};

std::span<const OptionRow<ReportOptions>> report_rows();

}  // namespace sluice
