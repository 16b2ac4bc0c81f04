// document.cpp: JSON on one line a record, or YAML in blocks.
#include "cli/listing/document.h"

#include <fmt/format.h>

#include "common/base/utf8.h"

namespace sluice {
namespace {

constexpr std::size_t flush_bytes = 64 * 1024;
constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

// U+0080 to U+009F: YAML does not take them as they are.
bool is_c1_control(std::string_view text, std::size_t at) {
  return text[at] == '\xC2' && static_cast<unsigned char>(text[at + 1]) < 0xA0;
}

bool needs_no_care(char c) {
  return static_cast<unsigned char>(c) >= 0x20 && static_cast<unsigned char>(c) < 0x7F &&
         c != '"' && c != '\\';
}

void append_escaped(std::string_view text, std::string& out) {
  std::size_t at = 0;
  while (at < text.size()) {
    std::size_t plain = at;
    while (plain < text.size() && needs_no_care(text[plain])) ++plain;
    out.append(text.substr(at, plain - at));
    at = plain;
    if (at == text.size()) return;
    const char c = text[at];
    const std::size_t bytes = utf8_sequence_length(text.substr(at));
    if (bytes == 0) out += replacement;
    else if (c == '"' || c == '\\') out.append("\\").push_back(c);
    else if (bytes == 1)
      fmt::format_to(std::back_inserter(out), "\\u{:04x}", static_cast<unsigned>(c));
    else if (is_c1_control(text, at))
      fmt::format_to(std::back_inserter(out), "\\u{:04x}",
                     static_cast<unsigned>(static_cast<unsigned char>(text[at + 1])));
    else out.append(text.substr(at, bytes));
    at += bytes == 0 ? 1 : bytes;
  }
}

}  // namespace

Result<DocumentStyle> parse_document_style(bool is_yaml, std::string_view version) {
  if (version.empty() || version == "v0.0.38") return DocumentStyle{is_yaml, false};
  if (version == "v0.0.40") return DocumentStyle{is_yaml, true};
  return Error{ErrorCode::invalid_option,
               fmt::format("--{}={} is not known; v0.0.38 (the default) and v0.0.40 are",
                           is_yaml ? "yaml" : "json", version)};
}

const char* schema_name(const DocumentStyle& style) {
  return style.is_newer ? "v0.0.40" : "v0.0.38";
}

Document::Document(DocumentStyle style, Sink sink) : style_(style), sink_(std::move(sink)) {}

bool Document::flush() {
  if (!out_.empty() && !sink_(out_)) failed_ = true;
  out_.clear();
  return !failed_;
}

void Document::start_line(std::size_t depth) {
  out_ += '\n';
  out_.append(2 * depth, ' ');
}

// What stands before a value: a comma or a line's beginning, and its name.
void Document::name_value(std::string_view name, bool is_scalar) {
  const std::size_t depth = levels_.size();
  if (depth == 0) return;
  Level& level = levels_.back();
  if (!style_.is_yaml) {
    if (!level.is_empty) out_ += ',';
    // Records and the members of the whole document have lines of their own.
    if (!is_scalar && depth <= 2) out_ += '\n';
    if (!level.is_list) out_.append("\"").append(name).append("\":");
  } else {
    if (!follows_dash_) start_line(depth - 1);
    follows_dash_ = false;
    if (level.is_list) out_ += "- ";
    else out_.append(name).append(":").append(is_scalar ? " " : "");
  }
  level.is_empty = false;
}

void Document::begin(std::string_view name, bool is_list) {
  name_value(name, false);
  const bool is_element = !levels_.empty() && levels_.back().is_list;
  if (!style_.is_yaml) out_ += is_list ? '[' : '{';
  else if (levels_.empty()) out_ += "---";
  else follows_dash_ = is_element;
  levels_.push_back({is_list, true});
}

void Document::end() {
  const Level level = levels_.back();
  levels_.pop_back();
  if (!style_.is_yaml) {
    out_ += level.is_list ? ']' : '}';
  } else if (level.is_empty) {
    out_ += follows_dash_ ? "" : " ";
    out_ += level.is_list ? "[]" : "{}";
    follows_dash_ = false;
  }
  if (levels_.empty()) out_ += '\n';
  if (out_.size() >= flush_bytes) flush();
}

void Document::quoted(std::string_view value) {
  out_ += '"';
  append_escaped(value, out_);
  out_ += '"';
}

void Document::text(std::string_view name, std::string_view value) {
  name_value(name, true);
  quoted(value);
}

void Document::text_or_null(std::string_view name, std::string_view value) {
  if (value.empty()) null(name);
  else text(name, value);
}

void Document::flag(std::string_view name, bool value) {
  name_value(name, true);
  out_ += value ? "true" : "false";
}

void Document::null(std::string_view name) {
  name_value(name, true);
  out_ += "null";
}

void Document::unsigned_number(std::string_view name, std::uint64_t value) {
  name_value(name, true);
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void Document::signed_number(std::string_view name, std::int64_t value) {
  name_value(name, true);
  const fmt::format_int digits(value);
  out_.append(digits.data(), digits.size());
}

void Document::fraction(std::string_view name, double value, int digits) {
  name_value(name, true);
  fmt::format_to(std::back_inserter(out_), "{:.{}f}", value, digits);
}

void Document::amount(std::string_view name, std::optional<std::uint64_t> value, bool unlimited) {
  if (!style_.is_newer && value && !unlimited) return number(name, *value);
  if (!style_.is_newer) return null(name);
  begin_object(name);
  flag("set", value.has_value() && !unlimited);
  flag("infinite", unlimited);
  number("number", unlimited ? 0 : value.value_or(0));
  end_object();
}

void Document::state(std::string_view name, std::string_view word) {
  if (!style_.is_newer) return text(name, word);
  begin_list(name);
  text({}, word);
  end_list();
}

void Document::words(std::string_view name, const std::vector<std::string>& values) {
  begin_list(name);
  for (const std::string& value : values) text({}, value);
  end_list();
}

}  // namespace sluice
