// target_hostlist.cpp: host lists expand to what an independent count says, and their short form
// expands to the same names in the same order.
#include <algorithm>

#include "common/base/hostlist.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// More names than this take time by design; they are counted and not expanded.
constexpr std::uint64_t names_max = 5000;

void check_names(const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    require(!name.empty() && name.size() <= hostlist_name_bytes_max, "a name has 1 to 255 bytes",
            name);
    require(name.find_first_of("[], \t\n") == std::string::npos, "no grammar is left in a name",
            name);
  }
  const std::string brief = compress_hostlist(names);
  const auto again = expand_hostlist(brief);
  require(again.ok() && *again == names, "the short form means the same names", brief);

  std::vector<std::string> sorted = names;
  std::stable_sort(sorted.begin(), sorted.end(), hostname_less);
  const auto from_sorted = expand_hostlist(compress_hostlist_sorted(names));
  require(from_sorted.ok() && *from_sorted == sorted,
          "the sorted short form means the sorted names");
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const std::uint64_t at_most = hostlist_names_at_most(text);
  if (at_most > names_max) return 0;
  const auto names =
      in_proportion(text, 16 + 1024 * at_most, [&] { return expand_hostlist(text); });
  if (!names.ok()) {
    require_refusal(names.error(), {ErrorCode::invalid_hostlist, ErrorCode::limit_exceeded});
    return 0;
  }
  require(names->size() <= at_most, "no more names than the ranges hold");
  check_names(*names);
  return 0;
}
