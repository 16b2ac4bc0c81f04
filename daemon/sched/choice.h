// choice.h: which of the nodes that can take a job it gets, and how its tasks and GPUs lie on them.
// Pure.
#pragma once

#include <cstdint>
#include <vector>

#include "daemon/sched/view.h"

namespace sluice {

struct Candidate {
  NodeId id;
  const NodeView* node;
  std::uint32_t capacity;           // in tasks, > 0
  std::vector<std::uint32_t> gpus;  // of each kind in Demand::gpus, the most it can give
  bool required = false;            // named by --nodelist
};

// Required nodes first, then in the order given; a job that may use one node takes the first that
// holds it whole. Of the job's feature choices the first that can be met counts. Empty: it does not
// fit. Where --nodes leaves room for the nodes that counted features ask for, what fits is found.
std::vector<Candidate> choose(const Demand& demand, const std::vector<Candidate>& candidates);

std::vector<NodeShare> make_shares(const Demand& demand, const std::vector<Candidate>& chosen);

}  // namespace sluice
