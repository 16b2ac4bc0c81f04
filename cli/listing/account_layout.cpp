// account_layout.cpp: sacct's formats and lines.
#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/account_columns.h"
#include "cli/listing/account_text.h"
#include "common/options/text.h"

namespace sluice {
namespace {

const AccountColumn* column_named(std::string_view name) {
  for (const AccountColumn& column : account_columns())
    if (equals_ignoring_case(name, column.name)) return &column;
  return nullptr;
}

// Ids are read from the left, all else stands at the right.
AccountCell cell_of(const AccountColumn& column) {
  const std::string_view name = column.name;
  return {&column, column.width, name == "JobID" || name == "JobIDRaw"};
}

// Cells end in a blank when padded; what is too long loses its end to a plus.
void append_padded(std::string_view text, const AccountCell& cell, std::string& out) {
  if (text.size() > cell.width) {
    out.append(text.substr(0, cell.width - 1)).append("+ ");
    return;
  }
  const std::size_t blanks = cell.width - text.size();
  if (!cell.left) out.append(blanks, ' ');
  out += text;
  if (cell.left) out.append(blanks, ' ');
  out += ' ';
}

template <class TextOf>
void append_cells(const std::vector<AccountCell>& cells, const AccountStyle& style,
                  TextOf&& text_of, std::string& out) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text.clear();
    text_of(cells[i], text);
    if (!style.parsable) {
      append_padded(text, cells[i], out);
      continue;
    }
    out += text;
    if (style.closes_line || i + 1 < cells.size()) out += style.delimiter;
  }
  out += '\n';
}

constexpr std::string_view batch_step = "batch";

bool means(const JobSelector& selector, const JobInfo& job) {
  if (selector.tasks.empty()) return selector.job == job.id || selector.job == array_or_job_id(job);
  if (!job.array || selector.job != job.array->array_id) return false;
  return !job.array->task || selector.tasks.contains(*job.array->task);
}

// `step` is empty for the row of the job itself.
bool is_wanted(const RowsWanted& wanted, const JobInfo& job, std::string_view step) {
  if (!wanted.with_steps) return step.empty();
  if (wanted.selectors.empty()) return true;
  return std::any_of(
      wanted.selectors.begin(), wanted.selectors.end(), [&](const StepSelector& selector) {
        return (selector.step.empty() || selector.step == step) && means(selector.job, job);
      });
}

// "%20", "%-256" behind a name; nothing said keeps the column's own.
bool apply_width(std::string_view spec, AccountCell& cell) {
  const auto width = parse_signed(spec);
  if (!width || *width == 0 || *width > 100'000 || *width < -100'000) return false;
  cell.left = *width < 0;
  cell.width = static_cast<std::size_t>(*width < 0 ? -*width : *width);
  return true;
}

}  // namespace

Result<std::vector<AccountCell>> parse_account_format(std::string_view text) {
  std::vector<AccountCell> cells;
  for (std::string_view piece : split(text, ',')) {
    while (!piece.empty() && piece.front() == ' ') piece.remove_prefix(1);
    while (!piece.empty() && piece.back() == ' ') piece.remove_suffix(1);
    if (piece.empty()) continue;
    const std::size_t percent = piece.find('%');
    const std::string_view name = piece.substr(0, percent);
    if (equals_ignoring_case(name, "all")) {
      for (const AccountColumn& column : account_columns()) cells.push_back(cell_of(column));
      continue;
    }
    const AccountColumn* column = column_named(name);
    if (!column) return Error{ErrorCode::invalid_argument, std::string(name)};
    AccountCell cell = cell_of(*column);
    if (percent != std::string_view::npos && !apply_width(piece.substr(percent + 1), cell))
      return Error{ErrorCode::invalid_argument, std::string(piece)};
    cells.push_back(cell);
  }
  return cells;
}

void append_account_heading(const std::vector<AccountCell>& cells, const AccountStyle& style,
                            std::string& out) {
  const auto heading = [](const AccountCell& cell, std::string& text) { text = cell.column->name; };
  append_cells(cells, style, heading, out);
  if (style.parsable) return;
  for (const AccountCell& cell : cells) out.append(cell.width, '-').append(" ");
  out += '\n';
}

void append_account_line(const std::vector<AccountCell>& cells, const AccountStyle& style,
                         const AccountRow& row, const ListingContext& context, std::string& out) {
  append_cells(
      cells, style,
      [&](const AccountCell& cell, std::string& text) { cell.column->render(row, context, text); },
      out);
}

std::string account_column_list() {
  std::string out;
  std::size_t count = 0;
  for (const AccountColumn& column : account_columns()) {
    const bool ends_line = ++count % 4 == 0 || count == account_columns().size();
    out += fmt::format("{:<19}{}", column.name, ends_line ? "\n" : " ");
  }
  return out;
}

std::vector<AccountRow> account_rows(std::vector<JobInfo>& jobs, const RowsWanted& wanted) {
  const auto place = [](const JobInfo& job) {
    const std::uint64_t task = job.array && !job.array->task ? UINT64_MAX
                               : job.array                   ? *job.array->task
                                                             : 0;
    return std::tuple(array_or_job_id(job), task, job.run);
  };
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const JobInfo& a, const JobInfo& b) { return place(a) < place(b); });
  std::vector<AccountRow> rows;
  for (const JobInfo& job : jobs) {
    if (is_wanted(wanted, job, "")) rows.push_back({&job, false});
    if (has_batch_step(job) && is_wanted(wanted, job, batch_step)) rows.push_back({&job, true});
  }
  return rows;
}

}  // namespace sluice
