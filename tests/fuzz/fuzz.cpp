// fuzz.cpp: promises, and what targets take from their input.
#include "tests/fuzz/fuzz.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

namespace sluice::fuzz {
namespace {

constexpr std::uint64_t names_counted_max = 1ULL << 30;

bool is_digit(char c) { return c >= '0' && c <= '9'; }

// Of digits; what stands between them is left out.
std::uint64_t number_in(std::string_view text) {
  std::uint64_t number = 0;
  for (char c : text)
    if (is_digit(c))
      number = std::min(number * 10 + static_cast<std::uint64_t>(c - '0'), names_counted_max);
  return number;
}

// "1-3,7" holds four.
std::uint64_t numbers_in_bracket(std::string_view inside) {
  std::uint64_t count = 0;
  while (true) {
    const std::string_view range = inside.substr(0, inside.find(','));
    const std::size_t dash = std::min(range.find('-'), range.size());
    const std::uint64_t first = number_in(range.substr(0, dash));
    count += std::max(number_in(range.substr(dash)), first) - first + 1;
    if (range.size() == inside.size()) return count;
    inside.remove_prefix(range.size() + 1);
  }
}

}  // namespace

void require(bool kept, std::string_view promise, std::string_view seen) {
  if (kept) return;
  fmt::print(stderr, "broken promise: {}{}{}\n", promise, seen.empty() ? "" : ": ", seen);
  std::abort();
}

void require_refusal(const Error& error, std::initializer_list<ErrorCode> codes) {
  require(std::find(codes.begin(), codes.end(), error.code) != codes.end(),
          "a refusal has a code of its grammar", to_text(error));
  require(!to_text(error).empty(), "a refusal says something");
}

std::uint8_t Bytes::byte() {
  if (rest_.empty()) return 0;
  const auto value = static_cast<std::uint8_t>(rest_.front());
  rest_.remove_prefix(1);
  return value;
}

std::uint64_t Bytes::number() {
  const std::uint8_t kind = byte();
  if (kind < 128) return kind;
  if (kind < 192) return (std::uint64_t{1} << (kind & 63)) - (byte() & 1);
  std::uint64_t value = 0;
  for (int i = 0; i < (kind & 7) + 1; ++i) value = value << 8 | byte();
  return value;
}

std::string Bytes::text(std::size_t bytes_max) {
  const std::uint64_t wanted = below(bytes_max + 1);  // takes of the rest: before its size is read
  const std::size_t size = std::min<std::size_t>(wanted, rest_.size());
  std::string value{rest_.substr(0, size)};
  rest_.remove_prefix(size);
  return value;
}

bool has_longer_number(std::string_view text, std::size_t digits) {
  std::size_t run = 0;
  for (char c : text) {
    run = is_digit(c) ? run + 1 : 0;
    if (run > digits) return true;
  }
  return false;
}

std::uint64_t hostlist_names_at_most(std::string_view text) {
  std::uint64_t names = 1;
  std::uint64_t elements = 1;
  while (!text.empty()) {
    const char c = text.front();
    const std::string_view inside = c == '[' ? text.substr(1, text.find(']') - 1) : "";
    if (c == '[') names = std::min(names * numbers_in_bracket(inside), names_counted_max);
    else if (c == ',' || c == ' ' || c == '\t' || c == '\n') ++elements;
    text.remove_prefix(1 + inside.size());
  }
  return names * elements;
}

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (true) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) return lines;
    text.remove_prefix(end + 1);
  }
}

std::size_t line_named(std::string_view message, std::string_view file) {
  const std::size_t at = message.find(std::string(file) + ":");
  if (at == std::string_view::npos) return 0;
  std::size_t line = 0;
  for (std::size_t i = at + file.size() + 1; i < message.size() && is_digit(message[i]); ++i)
    line = line * 10 + static_cast<std::size_t>(message[i] - '0');
  return line;
}

}  // namespace sluice::fuzz
