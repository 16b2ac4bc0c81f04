// manuals.cpp: puts the pages together.
#include "cli/manuals.h"

#include <fmt/format.h>

#include "cli/cancel_options.h"
#include "cli/command.h"
#include "cli/listing/account_columns.h"
#include "cli/listing/job_columns.h"
#include "cli/listing/node_columns.h"
#include "cli/listing/priority_columns.h"
#include "cli/listing/share_columns.h"
#include "cli/manual/texts.h"
#include "common/options/submit_options.h"

namespace sluice {
namespace {

// Puts lines where the prose has `mark`.
void insert(ManualText& text, std::string_view mark, const std::string& lines) {
  const std::size_t at = text.text.find(mark);
  ASSERT(at != std::string::npos);
  text.text.replace(at, mark.size(), lines);
}

// The names of sacct's columns, as many a line as fit.
std::string column_names() {
  constexpr std::size_t width = 66;
  std::string out, line;
  for (const AccountColumn& column : account_columns()) {
    const std::string_view name = column.name;
    if (line.size() + 1 + name.size() > width) {
      out += fmt::format("    {}\n", line);
      line.clear();
    }
    line += fmt::format("{}{}", line.empty() ? "" : " ", name);
  }
  return out + fmt::format("    {}\n", line);
}

std::string share_column_names() {
  std::string out = "   ";
  for (const ShareColumn& column : share_columns()) {
    if (out.size() - (out.rfind('\n') + 1) + std::string_view(column.name).size() > 68) out += "\n   ";
    out += fmt::format(" {}", column.name);
  }
  return out + "\n";
}

// Letter, names and heading of each column.
template <class Row>
std::string column_lines(std::span<const Column<Row>> columns) {
  std::string out;
  for (const Column<Row>& column : columns) {
    const std::string letter = column.letter ? fmt::format("%{}", column.letter) : "";
    out += fmt::format("    {:<3} {:<36} {}\n", letter, column.names, column.heading);
  }
  return out;
}

std::string verb_lines() {
  std::string out;
  for (const CommandRow& row : commands())
    out += fmt::format("- {}: {}{}\n", row.verb, sentence(row.summary),
                       row.slurm_name ? fmt::format(" See `{}`(1).", row.slurm_name) : "");
  return out;
}

Manual with_columns(ManualText text, const std::string& lines, std::vector<ManualOption> options) {
  insert(text, "@COLUMNS@\n", lines);
  return {std::move(text), {{"", "", std::move(options)}}};
}

Manual scontrol_manual() {
  ManualText text = scontrol_text();
  insert(text, "@KEYWORDS@\n", scontrol_keyword_lines());
  return {std::move(text), {{"", "", scontrol_options()}}};
}

Manual sacctmgr_manual() {
  ManualText text = sacctmgr_text();
  insert(text, "@VERBS@\n", sacctmgr_verb_lines());
  return {std::move(text), {{"", "", sacctmgr_options()}}};
}

Manual sreport_manual() {
  ManualText text = sreport_text();
  insert(text, "@REPORTS@\n", sreport_report_lines());
  return {std::move(text), {{"", "", sreport_options()}}};
}

Manual sluice_manual() {
  ManualText text = sluice_text();
  insert(text, "@VERBS@\n", verb_lines());
  return {std::move(text), {}};
}

}  // namespace

std::vector<Manual> manuals() {
  return {{sbatch_text(), {{"", "", submit_manual_options()}}},
          with_columns(squeue_text(), column_lines(job_columns()), squeue_options()),
          with_columns(sinfo_text(), column_lines(node_columns()), sinfo_options()),
          {scancel_text(), {{"", "", cancel_manual_options()}}},
          scontrol_manual(),
          with_columns(sacct_text(), column_names(), sacct_options()),
          sacctmgr_manual(),
          with_columns(sprio_text(), column_lines(priority_columns()), sprio_options()),
          with_columns(sshare_text(), share_column_names(), sshare_options()),
          sreport_manual(),
          {sdiag_text(), {{"", "", sdiag_options()}}},
          sluice_manual()};
}

}  // namespace sluice
