// rules.h: the words of --order and --backfill, and what a simulation prints. Pure.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/config.h"
#include "daemon/replay/figures.h"

namespace sluice::simulate {

// Errors: invalid_argument with the words there are.
Result<PlanRules> parse_rules(std::string_view order, std::string_view backfill);

struct Report {
  std::string file;
  std::string first;  // as asked: "all" or a number
  PlanRules rules;
  std::uint32_t cpus = 0;
  Figures figures;
  std::string digest;  // of every start
};

std::string digest_of(const std::vector<TraceJob>& jobs, const std::vector<std::int64_t>& starts);
// One object with plain numbers; its keys are those of the published results for these rules.
std::string to_json(const Report& report);
std::string to_table(const Report& report);

// The two rules that a policy is measured by: FCFS with EASY backfill, and the same with the
// shortest candidates first (EASY-SJBF).
struct Comparison {
  Report asked;
  Report easy;
  Report easy_sjf;
};
// The columns of one report, then `compared_with`: both others with the same columns, and what the
// policy is measured by: bsld_to_easy_sjf and max_wait_to_easy (ratios; null: nobody waited),
// utilisation_to_easy (points).
std::string to_json(const Comparison& comparison);
std::string to_table(const Comparison& comparison);

}  // namespace sluice::simulate
