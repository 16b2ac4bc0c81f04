// statistics_text.h: the text of sdiag. Pure.
#pragma once

#include <string>

#include "common/wire/messages_priority.h"

namespace sluice {

// Of the messages at the end.
struct StatisticsOrder {
  bool by_message = false;  // else by how often they came
};

std::string statistics_text(const StatisticsReply& statistics, const StatisticsOrder& order);

}  // namespace sluice
