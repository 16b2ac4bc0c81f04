// share_columns.h: the table of sshare's columns, and its lines: padded, or divided by a character.
// Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/listing/context.h"
#include "common/base/result.h"
#include "common/wire/messages_priority.h"

namespace sluice {

struct ShareColumn {
  const char* name;  // heading, and what -o asks for; its beginning is enough
  std::size_t width;
  void (*render)(const ShareRow&, const ListingContext&, std::string& out);
};

std::span<const ShareColumn> share_columns();
// Their names, as many a line as Slurm puts.
std::string share_column_list();

struct ShareCell {
  const ShareColumn* column = nullptr;
  std::size_t width = 0;
  bool left = false;
};

struct ShareStyle {
  bool parsable = false;
  bool closes_line = false;  // with the divider
};

// "account,fairshare%20,user%-10". Error: invalid_argument, the name that is no column.
Result<std::vector<ShareCell>> parse_share_format(std::string_view text);

void append_share_heading(const std::vector<ShareCell>& cells, const ShareStyle& style,
                          std::string& out);
void append_share_line(const std::vector<ShareCell>& cells, const ShareStyle& style,
                       const ShareRow& row, const ListingContext& context, std::string& out);

}  // namespace sluice
