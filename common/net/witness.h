// witness.h: nodes tell one another, past the controller, how long ago each last answered it. The
// fencing rule builds on it: a node prolongs its leases without the controller while a strict
// majority of the voters says that they have not answered it for lease/4. What an answer is worth is
// decided by the agent's core; here it is only asked and told.
//
// UDP, authenticated both ways with the cluster's witness secret; whoever has not got it is never
// answered, and no answer is longer than its question. Runs on the IoContext's one thread.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/net/io_fwd.h"
#include "common/wire/messages.h"

namespace sluice {

struct WitnessStatus {
  std::uint64_t list = 0;        // number of the witness list this node knows
  std::uint64_t silence_ms = 0;  // since this node last answered the controller
};

struct WitnessAnswer {
  std::string node;  // whom we asked
  WitnessStatus status;
};

// Secrets that are accepted, current one first; two during a rotation.
using WitnessSecrets = std::vector<std::string>;

class WitnessResponder {
 public:
  virtual ~WitnessResponder() = default;
  virtual std::uint16_t port() const = 0;
  virtual void set_secrets(WitnessSecrets secrets) = 0;
};

struct WitnessPlace {
  std::string address;     // numeric; empty: all addresses of this host
  std::uint16_t port = 0;  // 0: any free one
};
// `status` is called for every question of a node that has the secret. Errors: io_error.
Result<std::unique_ptr<WitnessResponder>> open_witness_responder(
    IoContext& io, const WitnessPlace& place, WitnessSecrets secrets,
    std::function<WitnessStatus(const std::string& from)> status);

// A round of questions under way; destroying it ends it without a call.
class WitnessRound {
 public:
  virtual ~WitnessRound() = default;
};

struct WitnessQuestion {
  std::string from;                // this node
  std::uint64_t list = 0;          // the list that `witnesses` is
  std::vector<Witness> witnesses;  // without this node; numeric addresses
  std::chrono::milliseconds wait{1000};
};
// Asks all at once, repeats the question of the silent ones at half of `wait`, and calls `done` once
// from the loop: when all have answered or refused, or when `wait` is over. Who did not answer is
// missing in the list.
std::unique_ptr<WitnessRound> ask_witnesses(
    IoContext& io, WitnessQuestion question, WitnessSecrets secrets,
    std::function<void(const std::vector<WitnessAnswer>&)> done);

}  // namespace sluice
