// target_dependency.cpp: dependencies can be printed and read again, and what is refused is refused
// for a reason of its grammar.
#include <fmt/format.h>

#include "common/options/grammar.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

std::string printed(const Dependency& dependency) {
  if (dependency.terms.empty()) return "0";
  std::string text;
  for (const DependencyTerm& term : dependency.terms) {
    if (!text.empty()) text += dependency.any ? '?' : ',';
    text += enum_name(term.type);
    if (term.type == DependencyType::singleton) continue;
    text += fmt::format(":{}", term.job.value);
    if (term.task) text += fmt::format("_{}", *term.task);
    if (term.delay_min > 0) text += fmt::format("+{}", term.delay_min);
  }
  return text;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  const auto dependency = in_proportion(text, 128, [&] { return parse_dependency(text); });
  if (!dependency.ok()) {
    require_refusal(dependency.error(), {ErrorCode::invalid_dependency, ErrorCode::not_supported});
    return 0;
  }
  require(dependency->any == (text.find('?') != std::string_view::npos),
          "one ? makes all of them or");
  require(dependency->terms.empty() == (text == "0"), "only 0 means none");
  for (const DependencyTerm& term : dependency->terms)
    require((term.job.value > 0) == (term.type != DependencyType::singleton) &&
                term.job.value < job_id_end,
            "a term names a job that can exist");
  const auto again = parse_dependency(printed(*dependency));
  require(again.ok() && *again == *dependency, "a printed dependency is read as itself",
          printed(*dependency));
  return 0;
}
