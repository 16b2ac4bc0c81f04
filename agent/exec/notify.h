// notify.h: what a shepherd tells the agent at once: one datagram to the socket `notify` in the spool.
// What is lost while no agent listens is found in the run's file by the next agent.
#pragma once

#include <signal.h>

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"
#include "common/model/run.h"

namespace sluice::agent {

// Signals of the agent to a shepherd; all are blocked from its first instruction on.
inline int kill_order_signal() { return SIGRTMIN + 1; }  // a kill order lies in the run's file
inline int signal_order_signal() { return SIGRTMIN + 2; }  // value: signal_order_value()
inline int time_limit_signal() { return SIGRTMIN + 3; }    // a new limit lies in the run's file

constexpr int signal_number_bits = 8;
constexpr int signal_order_value(std::uint32_t signal, SignalReach reach) {
  return static_cast<int>(signal) | static_cast<int>(reach) << signal_number_bits;
}

struct StartedNotice {
  std::uint32_t job = 0;
  std::uint32_t run = 0;
  std::int64_t started_wall_us = 0;
};

// Best effort.
void send_notice(const std::string& socket_path, const StartedNotice& notice);

}  // namespace sluice::agent
