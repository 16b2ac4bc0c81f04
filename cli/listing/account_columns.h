// account_columns.h: the table of sacct's columns. A record gives two rows: the job and, once it
// started, its batch step. A new column is one row of the table.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/job_text.h"
#include "cli/listing/layout.h"
#include "cli/listing/selectors.h"
#include "common/base/result.h"

namespace sluice {

struct AccountRow {
  const JobInfo* job = nullptr;
  bool is_batch_step = false;
};

struct AccountColumn {
  const char* name;  // in Slurm's spelling: also the heading
  std::size_t width;
  std::string_view groups;  // members of the record that render() reads, divided by blanks
  void (*render)(const AccountRow&, const ListingContext&, std::string& out);
};

std::span<const AccountColumn> account_columns();

struct AccountCell {
  const AccountColumn* column = nullptr;
  std::size_t width = 0;
  bool left = false;
};

// "jobid,state%20,nodelist%-256", names in any case; "ALL" is every column. Error:
// invalid_argument, the detail is the name.
Result<std::vector<AccountCell>> parse_account_format(std::string_view text);

// How the lines are written.
struct AccountStyle {
  bool parsable = false;     // divided instead of padded
  bool closes_line = false;  // --parsable: a delimiter behind the last column too
  std::string delimiter = "|";
};

void append_account_heading(const std::vector<AccountCell>& cells, const AccountStyle& style,
                            std::string& out);
void append_account_line(const std::vector<AccountCell>& cells, const AccountStyle& style,
                         const AccountRow& row, const ListingContext& context, std::string& out);

// The columns in columns of four: --helpformat.
std::string account_column_list();

struct RowsWanted {
  bool with_steps = true;
  std::vector<StepSelector> selectors;  // empty: all rows; steps are nothing without with_steps
};

// Rows in the order of jobs, arrays together and their waiting rest last.
std::vector<AccountRow> account_rows(std::vector<JobInfo>& jobs, const RowsWanted& wanted);

}  // namespace sluice
