// report.h: what the record of past jobs says of waits, of foreseen starts, of use and of waste, by user, account, partition
// or class of job. Rows are taken one after the other: what is held is one sum a group, and for waits
// four bytes a job. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/document.h"
#include "common/base/result.h"
#include "common/wire/messages.h"

namespace sluice {

enum class ReportKind { wait, util, efficiency, forecast };
enum class ReportGroup { user, account, partition, job_class };

struct ReportWindow {
  WallTime since;
  WallTime until;
};

class Report {
 public:
  Report(ReportKind kind, ReportGroup group, const ReportWindow& window)
      : kind_(kind), group_(group), window_(window) {}

  // One run of a job (sacct -D); a run that has not ended counts up to the window's end.
  void add(const JobInfo& run);

  // A table with a heading and, below it, the sum of all groups.
  std::string text() const;
  void write(Document& document) const;  // a list "groups"

  struct Sums {
    std::uint64_t runs = 0;
    std::vector<float> waits_s;
    std::vector<float> late_s;  // by which jobs started later than first foreseen; earlier: below 0
    double cpu_s = 0;       // held, within the window
    double mem_mb_s = 0;
    double gpu_s = 0;
    double ended_cpu_s = 0;  // of runs that ended, whole: what their use is measured against
    double used_cpu_s = 0;
    double ended_mem_mb_s = 0;
    double peak_mem_mb_s = 0;

    void add(const Sums& other);
  };

 private:
  struct Line {
    std::string group;
    Sums sums;
  };
  std::vector<Line> lines() const;  // the largest first
  Sums total() const;

  ReportKind kind_;
  ReportGroup group_;
  ReportWindow window_;
  std::map<std::string, Sums> groups_;
};

// Errors: invalid_argument with the words there are.
Result<ReportKind> parse_report_kind(std::string_view word);
Result<ReportGroup> parse_report_group(std::string_view word);

// Members of JobInfo that a report reads.
inline constexpr const char* report_groups[] = {"names", "asked", "times", "allocation", "usage"};

}  // namespace sluice
