// layout.h: lines made of columns. A format string becomes a Layout once; every row is then
// appended to one growing buffer. The grammars are those of `-o` ("%.18i %j", any text between) and
// of `-O`
// ("field:[.][width][suffix],..."). Pure.
#pragma once

#include <cctype>
#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/context.h"
#include "common/options/text.h"

namespace sluice {

// One column of a listing: a row of a command's table.
template <class Row>
struct Column {
  char letter;             // of -o; 0: none
  std::string_view names;  // of -O, lower case, divided by blanks; empty: none
  const char* heading;
  // What the table says of the column: for jobs the members of the record that render() reads,
  // divided by blanks; for nodes how it behaves when several share a line.
  std::string_view traits;
  void (*render)(const Row&, const ListingContext&, std::string& out);
};

struct CellShape {
  std::size_t width = 0;  // 0: neither padded nor cut
  bool right = false;
};

template <class Row>
struct Cell {
  const Column<Row>* column = nullptr;
  CellShape shape;
  std::string suffix;  // literal text behind the column
};

template <class Row>
struct Layout {
  std::string lead;  // literal text before the first column
  std::vector<Cell<Row>> cells;
  std::vector<std::string> unknown;  // what named no column; the command decides how bad that is
};

// Pads or cuts what was appended to `out` since `start`.
void shape_cell(std::string& out, std::size_t start, CellShape shape);

// "[.][width]" at the front of `text`, which is moved behind it.
CellShape take_shape(std::string_view& text);

// Pieces of a -O list: "name", or "name:spec".
struct FieldRequest {
  std::string name;  // lower case
  CellShape shape;
  std::string suffix;
};
inline constexpr std::size_t field_width_default = 20;
std::vector<FieldRequest> parse_field_list(std::string_view text);

bool has_word(std::string_view words, std::string_view word);

template <class Row>
const Column<Row>* column_of_letter(std::span<const Column<Row>> columns, char letter) {
  for (const Column<Row>& column : columns)
    if (letter != 0 && column.letter == letter) return &column;
  return nullptr;
}

template <class Row>
const Column<Row>* column_of_name(std::span<const Column<Row>> columns, std::string_view name) {
  for (const Column<Row>& column : columns)
    if (has_word(column.names, name)) return &column;
  return nullptr;
}

// An unknown letter is kept as literal text and reported. Several % in a row count as one, and a
// last one as nothing, as in Slurm: clients send "%%i" and expect the value.
template <class Row>
Layout<Row> parse_letters(std::span<const Column<Row>> columns, std::string_view format) {
  Layout<Row> layout;
  std::size_t at = std::min(format.find('%'), format.size());
  layout.lead = format.substr(0, at);
  while (at < format.size()) {
    while (at < format.size() && format[at] == '%') ++at;
    const std::size_t next = std::min(format.find('%', at), format.size());
    const std::string_view piece = format.substr(at, next - at);
    at = next;
    if (piece.empty()) continue;
    std::string_view rest = piece;
    const CellShape shape = take_shape(rest);
    const auto* column = rest.empty() ? nullptr : column_of_letter(columns, rest.front());
    if (column) {
      layout.cells.push_back({column, shape, std::string(rest.substr(1))});
      continue;
    }
    layout.unknown.emplace_back(rest.substr(0, 1));
    std::string& before = layout.cells.empty() ? layout.lead : layout.cells.back().suffix;
    before.append("%").append(piece);
  }
  return layout;
}

template <class Row>
Layout<Row> parse_fields(std::span<const Column<Row>> columns, std::string_view list) {
  Layout<Row> layout;
  for (FieldRequest& field : parse_field_list(list)) {
    if (const auto* column = column_of_name(columns, field.name))
      layout.cells.push_back({column, field.shape, std::move(field.suffix)});
    else layout.unknown.push_back(std::move(field.name));
  }
  return layout;
}

template <class Row>
void append_heading(const Layout<Row>& layout, std::string& out) {
  out += layout.lead;
  for (const Cell<Row>& cell : layout.cells) {
    const std::size_t start = out.size();
    out += cell.column->heading;
    shape_cell(out, start, cell.shape);
    out += cell.suffix;
  }
  out += '\n';
}

template <class Row>
void append_line(const Layout<Row>& layout, const Row& row, const ListingContext& context,
                 std::string& out) {
  out += layout.lead;
  for (const Cell<Row>& cell : layout.cells) {
    const std::size_t start = out.size();
    cell.column->render(row, context, out);
    shape_cell(out, start, cell.shape);
    out += cell.suffix;
  }
  out += '\n';
}

// Adds the words of `groups` that are not there yet: what the server is asked for.
void add_words(std::string_view words, std::vector<std::string>& to);

template <class Row>
void add_groups(const Layout<Row>& layout, std::vector<std::string>& groups) {
  for (const Cell<Row>& cell : layout.cells) add_words(cell.column->traits, groups);
}

}  // namespace sluice
