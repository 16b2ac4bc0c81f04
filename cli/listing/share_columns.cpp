// share_columns.cpp: what each column of sshare shows. The tree is told by blanks before the
// account.
#include "cli/listing/share_columns.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "common/options/text.h"

namespace sluice {
namespace {

using Row = ShareRow;
using Context = ListingContext;

bool is_root(const Row& row) { return row.depth == 0 && row.user.empty(); }

void put_part(double value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{:.6f}", value);
}
void put_whole(double value, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", static_cast<std::uint64_t>(std::max(0.0, value)));
}

void render_account(const Row& row, const Context&, std::string& out) {
  out.append(row.depth, ' ').append(row.account);
}
void render_cluster(const Row&, const Context& context, std::string& out) {
  out += context.cluster;
}
void render_user(const Row& row, const Context&, std::string& out) { out += row.user; }
void render_partition(const Row& row, const Context&, std::string& out) { out += row.partition; }
void render_id(const Row& row, const Context&, std::string& out) {
  fmt::format_to(std::back_inserter(out), "{}", row.id.value);
}
void render_shares(const Row& row, const Context&, std::string& out) {
  if (is_root(row)) return;
  if (row.shares) fmt::format_to(std::back_inserter(out), "{}", *row.shares);
  else out += "parent";
}
void render_norm_shares(const Row& row, const Context&, std::string& out) {
  if (row.shares || is_root(row)) put_part(row.norm_shares, out);
}
void render_usage(const Row& row, const Context&, std::string& out) { put_whole(row.usage_s, out); }
void render_norm_usage(const Row& row, const Context&, std::string& out) {
  if (!is_root(row)) put_part(row.norm_usage, out);
}
void render_effective(const Row& row, const Context&, std::string& out) {
  put_part(row.effective_usage, out);
}
void render_fair_share(const Row& row, const Context&, std::string& out) {
  if (!row.user.empty()) put_part(row.factor, out);
}
void render_level(const Row& row, const Context&, std::string& out) {
  if (is_root(row)) return;
  if (std::isinf(row.level)) out += "inf";
  else put_part(row.level, out);
}
void render_group_minutes(const Row& row, const Context&, std::string& out) {
  const char* comma = "";
  for (const TresCount& tres : row.grp_tres_mins) {
    fmt::format_to(std::back_inserter(out), "{}{}={}", comma, tres.tres, tres.count);
    comma = ",";
  }
}

// Those that Slurm always names come first.
constexpr std::string_view always_named[] = {"cpu",     "mem",     "energy", "node",
                                             "billing", "fs/disk", "vmem",   "pages"};

template <auto Amounts>
void render_minutes(const Row& row, const Context&, std::string& out) {
  const std::vector<TresAmount>& amounts = row.*Amounts;
  const char* comma = "";
  const auto append = [&](std::string_view tres, double seconds) {
    out.append(comma).append(tres).append("=");
    put_whole(seconds / 60, out);
    comma = ",";
  };
  for (const std::string_view tres : always_named) {
    const auto at = std::find_if(amounts.begin(), amounts.end(),
                                 [&](const TresAmount& amount) { return amount.tres == tres; });
    append(tres, at == amounts.end() ? 0 : at->amount);
  }
  for (const TresAmount& amount : amounts)
    if (std::find(std::begin(always_named), std::end(always_named), amount.tres) ==
        std::end(always_named))
      append(amount.tres, amount.amount);
}

constexpr ShareColumn columns[] = {
    {"Account", 20, render_account},
    {"Cluster", 10, render_cluster},
    {"EffectvUsage", 13, render_effective},
    {"FairShare", 10, render_fair_share},
    {"GrpTRESMins", 30, render_group_minutes},
    {"GrpTRESRaw", 30, render_minutes<&Row::tres_s>},
    {"ID", 6, render_id},
    {"LevelFS", 10, render_level},
    {"NormShares", 11, render_norm_shares},
    {"NormUsage", 11, render_norm_usage},
    {"Partition", 12, render_partition},
    {"RawShares", 10, render_shares},
    {"RawUsage", 11, render_usage},
    {"TRESRunMins", 30, render_minutes<&Row::tres_run_s>},
    {"User", 10, render_user},
};

// Slurm takes the beginning of a name.
const ShareColumn* column_named(std::string_view name) {
  for (const ShareColumn& column : columns) {
    const std::string_view whole = column.name;
    if (!name.empty() && equals_ignoring_case(name, whole.substr(0, name.size()))) return &column;
  }
  return nullptr;
}

ShareCell cell_of(const ShareColumn& column) {
  return {&column, column.width, std::string_view(column.name) == "Account"};
}

bool apply_width(std::string_view spec, ShareCell& cell) {
  const auto width = parse_signed(spec);
  if (!width || *width == 0 || *width > 100'000 || *width < -100'000) return false;
  if (*width < 0) cell.left = true;
  cell.width = static_cast<std::size_t>(std::abs(*width));
  return true;
}

// What is too long loses its end to a plus.
void append_padded(std::string_view text, const ShareCell& cell, std::string& out) {
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
void append_cells(const std::vector<ShareCell>& cells, const ShareStyle& style, TextOf&& text_of,
                  std::string& out) {
  std::string text;
  for (std::size_t i = 0; i < cells.size(); ++i) {
    text.clear();
    text_of(cells[i], text);
    if (!style.parsable) {
      append_padded(text, cells[i], out);
      continue;
    }
    out += text;
    if (style.closes_line || i + 1 < cells.size()) out += '|';
  }
  out += '\n';
}

}  // namespace

std::span<const ShareColumn> share_columns() { return columns; }

std::string share_column_list() {
  std::string out;
  std::size_t count = 0;
  for (const ShareColumn& column : columns) {
    const bool ends_line = ++count % 4 == 0 || count == std::size(columns);
    out += fmt::format("{:<19}{}", column.name, ends_line ? "\n" : " ");
  }
  return out;
}

Result<std::vector<ShareCell>> parse_share_format(std::string_view text) {
  std::vector<ShareCell> cells;
  for (const std::string_view piece : split(text, ',')) {
    if (piece.empty()) continue;
    const std::size_t percent = piece.find('%');
    const ShareColumn* column = column_named(piece.substr(0, percent));
    if (!column) return Error{ErrorCode::invalid_argument, std::string(piece.substr(0, percent))};
    ShareCell cell = cell_of(*column);
    if (percent != std::string_view::npos && !apply_width(piece.substr(percent + 1), cell))
      return Error{ErrorCode::invalid_argument, std::string(piece)};
    cells.push_back(cell);
  }
  return cells;
}

void append_share_heading(const std::vector<ShareCell>& cells, const ShareStyle& style,
                          std::string& out) {
  append_cells(
      cells, style, [](const ShareCell& cell, std::string& text) { text = cell.column->name; },
      out);
  if (style.parsable) return;
  for (const ShareCell& cell : cells) out.append(cell.width, '-').append(" ");
  out += '\n';
}

void append_share_line(const std::vector<ShareCell>& cells, const ShareStyle& style,
                       const ShareRow& row, const ListingContext& context, std::string& out) {
  append_cells(
      cells, style,
      [&](const ShareCell& cell, std::string& text) { cell.column->render(row, context, text); },
      out);
}

}  // namespace sluice
