// priority_columns.h: the table of sprio's columns, and the formats it has of its own. Pure.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "cli/listing/layout.h"
#include "common/wire/messages_priority.h"

namespace sluice {

// One line: a job, or the site's weights (-w), where `job` is null.
struct PriorityRow {
  const JobPriority* job = nullptr;
  const PriorityWeights* weights = nullptr;
};

std::span<const Column<PriorityRow>> priority_columns();

struct PriorityFormat {
  bool is_long = false;
  bool is_normalised = false;
  bool names_user = false;  // -u was given
};
// For -o. Factors without a weight have no column but in the long form.
std::string priority_letters(const PriorityFormat& format, const PriorityWeights& weights);

// "i,-Y": letters of columns, each with + or - before it. Error: the letter that is no column.
Result<void> sort_priorities(std::string_view keys, std::vector<JobPriority>& jobs);

}  // namespace sluice
