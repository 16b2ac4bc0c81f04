// hostlist.cpp: one pass over the text to elements of literals and ranges, then their product.
#include "common/base/hostlist.h"

#include <algorithm>
#include <charconv>
#include <cstdint>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::size_t digits_max = 18;  // what a number of 64 bits holds for certain

struct NumberRange {
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::size_t width = 0;  // numbers are padded with zeros to it

  std::uint64_t count() const { return last - first + 1; }
  std::size_t digits() const { return std::max(width, fmt::format_int(last).size()); }
};

// Text followed by one number out of the ranges; no ranges: text alone.
struct Part {
  std::string_view literal;
  std::vector<NumberRange> ranges;

  std::uint64_t count() const {
    if (ranges.empty()) return 1;
    std::uint64_t total = 0;
    for (const NumberRange& range : ranges) total += range.count();
    return total;
  }
};

bool is_separator(char c) { return c == ',' || c == ' ' || c == '\t' || c == '\n'; }
bool is_digit(char c) { return c >= '0' && c <= '9'; }

Error bad(std::string_view text, std::string_view why) {
  return Error{ErrorCode::invalid_hostlist, fmt::format("{}: {}", text, why)};
}

Result<std::uint64_t> parse_number(std::string_view element, std::string_view digits) {
  if (digits.empty() || !std::all_of(digits.begin(), digits.end(), is_digit))
    return bad(element, fmt::format("\"{}\" is not a number", digits));
  if (digits.size() > digits_max)
    return bad(element, fmt::format("{} has more than {} digits", digits, digits_max));
  std::uint64_t value = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), value);
  return value;
}

Result<NumberRange> parse_range(std::string_view element, std::string_view range) {
  const std::size_t dash = range.find('-');
  const std::string_view first = range.substr(0, dash);
  const std::string_view last = dash == std::string_view::npos ? first : range.substr(dash + 1);
  NumberRange parsed;
  parsed.first = TRY(parse_number(element, first));
  parsed.last = TRY(parse_number(element, last));
  parsed.width = first.size();
  if (parsed.last < parsed.first) return bad(element, fmt::format("range {} falls", range));
  if (parsed.count() > hostlist_names_max)
    return Error{ErrorCode::limit_exceeded,
                 fmt::format("{}: more than {} names", element, hostlist_names_max)};
  return parsed;
}

Result<std::vector<NumberRange>> parse_bracket(std::string_view element, std::string_view inside) {
  std::vector<NumberRange> ranges;
  while (true) {
    const std::size_t comma = inside.find(',');
    ranges.push_back(TRY(parse_range(element, inside.substr(0, comma))));
    if (comma == std::string_view::npos) return ranges;
    inside.remove_prefix(comma + 1);
  }
}

// Cuts the first element off `text`; commas inside brackets do not divide.
std::string_view take_element(std::string_view& text) {
  std::size_t end = 0;
  bool in_bracket = false;
  while (end < text.size() && (in_bracket || !is_separator(text[end]))) {
    if (text[end] == '[') in_bracket = true;
    if (text[end] == ']') in_bracket = false;
    ++end;
  }
  const std::string_view element = text.substr(0, end);
  text.remove_prefix(std::min(end + 1, text.size()));
  return element;
}

Result<std::vector<Part>> parse_element(std::string_view element) {
  std::vector<Part> parts;
  std::string_view rest = element;
  while (!rest.empty()) {
    const std::size_t open = rest.find('[');
    const std::string_view literal = rest.substr(0, open);
    if (literal.find(']') != std::string_view::npos) return bad(element, "']' without '['");
    if (open == std::string_view::npos) {
      if (!parts.empty()) return bad(element, fmt::format("\"{}\" after the bracket", literal));
      parts.push_back(Part{literal, {}});
      break;
    }
    const std::size_t close = rest.find(']', open);
    if (close == std::string_view::npos) return bad(element, "'[' is not closed");
    parts.push_back(
        Part{literal, TRY(parse_bracket(element, rest.substr(open + 1, close - open - 1)))});
    rest.remove_prefix(close + 1);
  }
  return parts;
}

Result<void> check_size(std::string_view element, const std::vector<Part>& parts,
                        std::size_t names_so_far) {
  std::uint64_t count = 1;
  std::size_t length = 0;
  for (const Part& part : parts) {
    count *= part.count();
    if (count + names_so_far > hostlist_names_max)
      return Error{ErrorCode::limit_exceeded,
                   fmt::format("{}: more than {} names", element, hostlist_names_max)};
    length += part.literal.size();
    std::size_t digits = 0;
    for (const NumberRange& range : part.ranges) digits = std::max(digits, range.digits());
    length += digits;
  }
  if (length > hostlist_name_bytes_max)
    return Error{ErrorCode::limit_exceeded,
                 fmt::format("{}...: a name has more than {} characters", element.substr(0, 40),
                             hostlist_name_bytes_max)};
  return {};
}

void append_product(const std::vector<Part>& parts, std::size_t at, std::string& name,
                    std::vector<std::string>& names) {
  if (at == parts.size()) {
    names.push_back(name);
    return;
  }
  const std::size_t length_before = name.size();
  name += parts[at].literal;
  if (parts[at].ranges.empty()) append_product(parts, at + 1, name, names);
  const std::size_t length = name.size();
  for (const NumberRange& range : parts[at].ranges)
    for (std::uint64_t number = range.first; number <= range.last; ++number) {
      fmt::format_to(std::back_inserter(name), "{:0{}}", number, range.width);
      append_product(parts, at + 1, name, names);
      name.resize(length);
    }
  name.resize(length_before);
}

// A name as text and last number; `digits` is empty where the name does not end in one.
struct SplitName {
  std::string_view prefix;
  std::string_view digits;
  std::uint64_t number = 0;
};

SplitName split_name(std::string_view name) {
  std::size_t start = name.size();
  while (start > 0 && is_digit(name[start - 1]) && name.size() - start < digits_max) --start;
  SplitName split{name.substr(0, start), name.substr(start), 0};
  std::from_chars(split.digits.data(), split.digits.data() + split.digits.size(), split.number);
  return split;
}

// True when `next` is what the range [..last] of this width would print next.
bool continues(const NumberRange& range, const SplitName& next) {
  return next.number == range.last + 1 &&
         fmt::format_int(next.number).size() <= next.digits.size() &&
         next.digits.size() == std::max(range.width, fmt::format_int(next.number).size());
}

void append_ranges(std::string_view prefix, const std::vector<NumberRange>& ranges,
                   std::string& out) {
  const bool single = ranges.size() == 1 && ranges.front().count() == 1;
  if (!out.empty()) out += ',';
  out += prefix;
  if (!single) out += '[';
  const char* comma = "";
  for (const NumberRange& range : ranges) {
    fmt::format_to(std::back_inserter(out), "{}{:0{}}", comma, range.first, range.width);
    if (range.count() > 1)
      fmt::format_to(std::back_inserter(out), "-{:0{}}", range.last, range.width);
    comma = ",";
  }
  if (!single) out += ']';
}

}  // namespace

Result<std::vector<std::string>> expand_hostlist(std::string_view text) {
  std::vector<std::string> names;
  while (!text.empty()) {
    const std::string_view element = take_element(text);
    if (element.empty()) continue;
    const std::vector<Part> parts = TRY(parse_element(element));
    const Result<void> size = check_size(element, parts, names.size());
    if (!size.ok()) return size.error();
    std::string name;
    append_product(parts, 0, name, names);
  }
  return names;
}

std::string compress_hostlist(std::span<const std::string> names) {
  std::string out;
  std::size_t at = 0;
  while (at < names.size()) {
    const SplitName first = split_name(names[at]);
    if (first.digits.empty()) {
      if (!out.empty()) out += ',';
      out += names[at++];
      continue;
    }
    std::vector<NumberRange> ranges;
    for (; at < names.size(); ++at) {
      const SplitName next = split_name(names[at]);
      if (next.digits.empty() || next.prefix != first.prefix) break;
      if (!ranges.empty() && continues(ranges.back(), next)) ranges.back().last = next.number;
      else ranges.push_back(NumberRange{next.number, next.number, next.digits.size()});
    }
    append_ranges(first.prefix, ranges, out);
  }
  return out;
}

std::string compress_hostlist_sorted(std::vector<std::string> names) {
  std::sort(names.begin(), names.end(), hostname_less);
  return compress_hostlist(names);
}

bool hostname_less(std::string_view left, std::string_view right) {
  const SplitName a = split_name(left);
  const SplitName b = split_name(right);
  if (a.prefix != b.prefix) return a.prefix < b.prefix;
  if (a.digits.empty() != b.digits.empty()) return a.digits.empty();
  if (a.number != b.number) return a.number < b.number;
  return a.digits.size() < b.digits.size();
}

}  // namespace sluice
