// constraint.cpp: reads the grammar of --constraint, and asks a node's features.
#include "common/model/constraint.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr std::size_t choices_max = 64;
constexpr int depth_max = 32;  // the bits of passes() hold what so many parentheses leave open

void join(FeatureTest& test, const FeatureTest& more, const char* how) {
  const bool was_empty = test.empty();
  test.insert(test.end(), more.begin(), more.end());
  if (!was_empty && !more.empty()) test.emplace_back(how);
}

void join(FeatureChoice& choice, const FeatureChoice& more) {
  join(choice.each, more.each, "&");
  choice.counts.insert(choice.counts.end(), more.counts.begin(), more.counts.end());
}

class Reader {
 public:
  explicit Reader(std::string_view text) : text_(text), rest_(text) {}

  Result<std::vector<FeatureChoice>> read() {
    std::vector<FeatureChoice> choices{{}};
    bool has_parts = false;  // brackets or counts: what '|' cannot join
    for (char how = '&';;) {
      const bool is_bracket = take('[');
      if (is_bracket) {
        if (how == '|') return fail("'|' joins no bracket");
        const std::vector<FeatureChoice> bracket = TRY(read_bracket());
        TRY(multiply(choices, bracket));
        has_parts = true;
      } else {
        const Element element = TRY(read_element(0));
        if (how == '|' && (element.nodes || has_parts)) return fail(beside_count);
        has_parts = has_parts || element.nodes;
        for (FeatureChoice& choice : choices) add(choice, element, how);
      }
      if (rest_.empty()) return choices;
      how = TRY(read_joint());
    }
  }

 private:
  struct Element {
    FeatureTest test;
    std::optional<std::uint32_t> nodes;
  };
  static constexpr const char* beside_count =
      "'|' beside a count or a bracket needs a bracket of its own";

  Error fail(std::string_view expected) const {
    return Error{ErrorCode::invalid_feature,
                 fmt::format("\"{}\": {} at character {}", text_, expected,
                             text_.size() - rest_.size() + 1)};
  }

  bool take(char wanted) {
    if (rest_.empty() || rest_.front() != wanted) return false;
    rest_.remove_prefix(1);
    return true;
  }

  Result<char> read_joint() {
    if (take('&') || take(',')) return '&';
    if (take('|')) return '|';
    return fail("expected '&', ',' or '|'");
  }

  Result<FeatureTest> read_name() {
    const std::size_t end = std::min(rest_.find_first_of("&|,*[]() \t\r\n;'\"\\"), rest_.size());
    if (end == 0) return fail("expected the name of a feature");
    FeatureTest test{std::string(rest_.substr(0, end))};
    rest_.remove_prefix(end);
    return test;
  }

  Result<std::uint32_t> read_count() {
    std::uint32_t nodes = 0;
    const auto [end, problem] = std::from_chars(rest_.data(), rest_.data() + rest_.size(), nodes);
    if (problem != std::errc{} || nodes == 0) return fail("expected a count of nodes behind '*'");
    rest_.remove_prefix(static_cast<std::size_t>(end - rest_.data()));
    return nodes;
  }

  // NAME or (...), and a count behind it.
  Result<Element> read_element(int depth) {
    Element element;
    element.test = take('(') ? TRY(read_inside(depth + 1)) : TRY(read_name());
    if (take('*')) element.nodes = TRY(read_count());
    return element;
  }

  // What stands in parentheses, up to their end. No counts there: they belong behind.
  Result<FeatureTest> read_inside(int depth) {
    if (depth > depth_max) return fail("parentheses are nested too deep");
    FeatureTest test;
    for (char how = '&';; how = TRY(read_joint())) {
      const Element element = TRY(read_element(depth));
      if (element.nodes) return fail("a count stands behind the parentheses, not in them");
      join(test, element.test, how == '&' ? "&" : "|");
      if (take(')')) return test;
    }
  }

  // '|' divides the choices, '&' joins within one.
  Result<std::vector<FeatureChoice>> read_bracket() {
    std::vector<FeatureChoice> choices{{}};
    for (;;) {
      add(choices.back(), TRY(read_element(0)), '&');
      if (take(']')) return choices;
      if (TRY(read_joint()) == '|') choices.emplace_back();
    }
  }

  static void add(FeatureChoice& choice, const Element& element, char how) {
    if (element.nodes) choice.counts.push_back({element.test, *element.nodes});
    else join(choice.each, element.test, how == '&' ? "&" : "|");
  }

  Result<void> multiply(std::vector<FeatureChoice>& choices,
                        const std::vector<FeatureChoice>& factors) {
    if (choices.size() * factors.size() > choices_max)
      return fail(fmt::format("its brackets leave more than {} choices", choices_max));
    std::vector<FeatureChoice> product;
    for (const FeatureChoice& choice : choices)
      for (const FeatureChoice& factor : factors) {
        product.push_back(choice);
        join(product.back(), factor);
      }
    choices = std::move(product);
    return {};
  }

  std::string_view text_;
  std::string_view rest_;
};

}  // namespace

bool passes(const FeatureTest& test, const std::vector<std::string>& features) {
  std::uint64_t bits = 1;  // a stack, the lowest bit on top
  for (const std::string& step : test) {
    if (step == "&" || step == "|") {
      const std::uint64_t left = bits >> 1 & 1;
      const std::uint64_t top = step == "&" ? left & bits : left | (bits & 1);
      bits = (bits >> 2) << 1 | (top & 1);
      continue;
    }
    const bool has = std::find(features.begin(), features.end(), step) != features.end();
    bits = bits << 1 | (has ? 1 : 0);
  }
  return bits & 1;
}

std::uint32_t nodes_counted(const FeatureChoice& choice) {
  std::uint64_t nodes = 0;
  for (const FeatureCount& count : choice.counts) nodes += count.nodes;
  return static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes, UINT32_MAX));
}

Result<std::vector<FeatureChoice>> parse_constraint(std::string_view text) {
  return Reader(text).read();
}

std::string shown_constraint(std::string_view text) {
  std::string shown(text);
  std::replace(shown.begin(), shown.end(), ',', '&');
  return shown;
}

}  // namespace sluice
