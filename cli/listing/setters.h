// setters.h: what most options do, as functions for the rows of an option table: keep a text, keep
// a list of words, set a flag.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/listing/selectors.h"
#include "common/base/result.h"

namespace sluice {

// set_to<&Options::member, value>: the option takes no value.
template <auto Member, auto Value>
struct SetTo {
  template <class Options>
  static Result<void> apply(Options& options, std::string_view) {
    options.*Member = Value;
    return {};
  }
};

// Keeps the text as it is; the last one counts.
template <auto Member>
struct SetText {
  template <class Options>
  static Result<void> apply(Options& options, std::string_view value) {
    options.*Member = value;
    return {};
  }
};

// A comma separated list; the last one counts.
template <auto Member>
struct SetWords {
  template <class Options>
  static Result<void> apply(Options& options, std::string_view value) {
    options.*Member = parse_word_list(value);
    return {};
  }
};

// For options that ask for what is so anyhow: nothing is hidden here and there is one cluster.
template <class Options>
Result<void> already_so(Options&, std::string_view) {
  return {};
}

}  // namespace sluice
