// layout.cpp: the parts of a layout that do not depend on what a row is.
#include "cli/listing/layout.h"

#include <algorithm>

namespace sluice {
namespace {

std::string lower(std::string_view text) {
  std::string out(text);
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

}  // namespace

void shape_cell(std::string& out, std::size_t start, CellShape shape) {
  if (shape.width == 0) return;
  const std::size_t length = out.size() - start;
  if (length > shape.width) out.resize(start + shape.width);
  else if (shape.right) out.insert(start, shape.width - length, ' ');
  else out.append(shape.width - length, ' ');
}

CellShape take_shape(std::string_view& text) {
  CellShape shape;
  if (!text.empty() && text.front() == '.') {
    shape.right = true;
    text.remove_prefix(1);
  }
  while (!text.empty() && is_digit(text.front())) {
    shape.width = std::min<std::size_t>(
        shape.width * 10 + static_cast<std::size_t>(text.front() - '0'), 100'000);
    text.remove_prefix(1);
  }
  return shape;
}

std::vector<FieldRequest> parse_field_list(std::string_view text) {
  std::vector<FieldRequest> fields;
  for (std::string_view piece : split(text, ',')) {
    if (piece.empty()) continue;
    const std::size_t colon = piece.find(':');
    FieldRequest field;
    field.name = lower(piece.substr(0, colon));
    std::string_view spec = colon == std::string_view::npos ? "" : piece.substr(colon + 1);
    const bool said = !spec.empty();
    field.shape = take_shape(spec);
    field.suffix = spec;
    // A suffix alone means that the value stands as it is.
    if (!said || (field.shape.width == 0 && spec.empty())) field.shape.width = field_width_default;
    fields.push_back(std::move(field));
  }
  return fields;
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty() && !word.empty()) {
    const std::size_t end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) return true;
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

void add_words(std::string_view words, std::vector<std::string>& to) {
  for (std::string_view word : split(words, ' '))
    if (!word.empty() && std::find(to.begin(), to.end(), word) == to.end()) to.emplace_back(word);
}

}  // namespace sluice
