// job_list.h: from records to the lines of squeue: which tasks, in which order. Pure.
#pragma once

#include <string_view>
#include <vector>

#include "cli/listing/job_columns.h"
#include "common/base/result.h"

namespace sluice {

struct SortKey {
  char letter = 0;  // of a column
  bool descending = false;
};

inline constexpr const char* default_job_order = "P,t,-p";
inline constexpr const char* start_job_order = "S";  // of --start

// "P,t,-p": letters of columns, each with an optional sign. Error: invalid_argument, the detail is
// the letter.
Result<std::vector<SortKey>> parse_job_order(std::string_view text);

// What the order reads of a record.
void add_groups(const std::vector<SortKey>& order, std::vector<std::string>& groups);

// One row a record; with `each_task` one for each waiting task. Rows point into `jobs`. Equal rows
// stay in the order of `jobs`.
std::vector<JobRow> job_rows(const std::vector<JobInfo>& jobs, bool each_task,
                             const std::vector<SortKey>& order, const ListingContext& context);

// Keeps jobs by what a column says: -L licences, -R reservations. One of the words is enough; what
// stands behind a colon ("lic:2") is not compared.
struct ColumnFilter {
  std::string_view column;
  std::vector<std::string> words;
};
bool passes(const std::vector<ColumnFilter>& filters, const JobInfo& job,
            const ListingContext& context);

// Leaves of waiting arrays only the tasks that the selectors name; what names no task of this array
// leaves it whole.
void narrow_to_selected(std::vector<JobInfo>& jobs, const std::vector<JobSelector>& selectors);

}  // namespace sluice
