// selectors_test.cpp: whatever state a job can be in, users can ask for it.
#include "cli/listing/selectors.h"

#include <algorithm>
#include <boost/describe/enumerators.hpp>
#include <boost/mp11/algorithm.hpp>
#include <catch2/catch.hpp>

#include "common/model/job.h"

using namespace sluice;

namespace {

bool is_live(const std::string& word) {
  const std::vector<std::string> live = live_job_states();
  return std::find(live.begin(), live.end(), word) != live.end();
}

// Word and code name the same state.
void require_known(const char* word, const char* code) {
  CAPTURE(word, code);
  REQUIRE(parse_job_states(word).value() == std::vector<std::string>{word});
  REQUIRE(parse_job_states(code).value() == std::vector<std::string>{word});
}

}  // namespace

TEST_CASE("every state of the life cycle is a word of filters, and live until it ended", "[selectors]") {
  for (const JobStateRow& row : job_states) {
    require_known(row.word, row.code);
    REQUIRE(is_live(row.word) == (row.state != JobState::ended));
  }
}

TEST_CASE("every way to end is a word of filters, and not live", "[selectors]") {
  boost::mp11::mp_for_each<boost::describe::describe_enumerators<Outcome>>([](auto described) {
    const std::optional<JobEnd> end = JobEnd{described.value, {}, {}};
    const char* word = state_word(JobState::ended, end);
    require_known(word, state_code(JobState::ended, end));
    REQUIRE_FALSE(is_live(word));
  });
}
