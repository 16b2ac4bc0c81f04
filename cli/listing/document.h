// document.h: the documents of --json and --yaml, written member by member as the answer arrives:
// what is held is one record, whatever the length of the listing. Pure but for the sink.
//
// What does not apply is null, never a number with a meaning; an amount without a limit is null
// too. The newer schema (--json=v0.0.40) says both by {"set", "infinite", "number"}. Bytes that are
// not UTF-8 become U+FFFD, in every locale.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "common/base/result.h"

namespace sluice {

struct DocumentStyle {
  bool is_yaml = false;
  bool is_newer = false;  // v0.0.40
};

// The value of --json[=VERSION]. Error: invalid_option, the detail is the sentence to show.
Result<DocumentStyle> parse_document_style(bool is_yaml, std::string_view version);
const char* schema_name(const DocumentStyle& style);  // "v0.0.38"

class Document {
 public:
  using Sink = std::function<bool(std::string_view)>;  // false: what was given could not be written
  Document(DocumentStyle style, Sink sink);

  // A name belongs to a member of an object; elements of a list and the whole document have none.
  void begin_object(std::string_view name = {}) { begin(name, false); }
  void end_object() { end(); }
  void begin_list(std::string_view name) { begin(name, true); }
  void end_list() { end(); }

  void text(std::string_view name, std::string_view value);
  void text_or_null(std::string_view name, std::string_view value);  // empty: null
  void flag(std::string_view name, bool value);
  void null(std::string_view name);
  template <class Number>
  void number(std::string_view name, Number value) {
    static_assert(std::is_integral_v<Number>);
    if constexpr (std::is_signed_v<Number>) signed_number(name, value);
    else unsigned_number(name, value);
  }
  // With as many digits behind the point.
  void fraction(std::string_view name, double value, int digits);

  // A number that may be absent, or without a limit.
  void amount(std::string_view name, std::optional<std::uint64_t> value, bool unlimited = false);
  // A word of state: the newer schema has a list of one.
  void state(std::string_view name, std::string_view word);
  void words(std::string_view name, const std::vector<std::string>& values);

  const DocumentStyle& style() const { return style_; }
  // Gives what is gathered to the sink. False: something could not be written.
  bool flush();

 private:
  struct Level {
    bool is_list = false;
    bool is_empty = true;
  };

  void begin(std::string_view name, bool is_list);
  void end();
  void name_value(std::string_view name, bool is_scalar);
  void start_line(std::size_t depth);
  void unsigned_number(std::string_view name, std::uint64_t value);
  void signed_number(std::string_view name, std::int64_t value);
  void quoted(std::string_view value);

  DocumentStyle style_;
  Sink sink_;
  std::string out_;
  std::vector<Level> levels_;
  bool follows_dash_ = false;  // YAML: the first member stands behind the "- " of its element
  bool failed_ = false;
};

}  // namespace sluice
