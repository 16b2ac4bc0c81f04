// target_planted_hostlist.cpp: a bug on purpose, which the fuzzers must find: a short form of host
// lists that forgets a name that stands twice in a row.
#include <algorithm>

#include "common/base/hostlist.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

std::string forgetful(std::vector<std::string> names) {
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return compress_hostlist(names);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  if (has_longer_number(text, 2)) return 0;
  const auto names = expand_hostlist(text);
  if (!names.ok()) return 0;
  const auto again = expand_hostlist(forgetful(*names));
  require(again.ok() && *again == *names, "the short form means the same names");
  return 0;
}
