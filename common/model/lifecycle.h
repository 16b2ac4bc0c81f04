// lifecycle.h: the transition tables of job, run part and node. advance() is the only writer of a
// state. An event that has no row for the present state is late or repeated news: advance() says so
// and changes nothing; the caller lists it as ignored.
#pragma once

#include <cstddef>

#include "common/base/describe.h"

namespace sluice {

// --- job ---------------------------------------------------------------------------------------
// pending: waits. starting: launch orders are out. running: every node acknowledged its shepherd.
// completing: told to end, or the script ended and other nodes have not. ended: outcome is set.
BOOST_DEFINE_ENUM_CLASS(JobState, pending, starting, running, completing, ended)
BOOST_DEFINE_ENUM_CLASS(JobEvent, placed, started, start_failed, ending, run_over, requeued,
                        closed)
// How it ended, set once.
BOOST_DEFINE_ENUM_CLASS(Outcome, completed, failed, cancelled, timeout, out_of_memory, node_fail,
                        preempted, deadline, boot_fail)

// --- the part of a run on one node -------------------------------------------------------------
BOOST_DEFINE_ENUM_CLASS(PartState, ordered, accepted, started, over)
BOOST_DEFINE_ENUM_CLASS(PartEvent, accepted, started, exited, lost)

// --- node --------------------------------------------------------------------------------------
// unknown: configured, never seen since the state file was made. lost: silent, its runs may live.
// down: set so by an administrator, or proved dead and not back.
BOOST_DEFINE_ENUM_CLASS(NodeState, unknown, up, lost, down)
BOOST_DEFINE_ENUM_CLASS(NodeEvent, registered, silent, proved_dead, set_down, resumed)

template <class State, class Event>
struct Transition {
  State from;
  Event event;
  State to;
};

inline constexpr Transition<JobState, JobEvent> job_transitions[] = {
    {JobState::pending, JobEvent::placed, JobState::starting},
    {JobState::pending, JobEvent::closed, JobState::ended},
    {JobState::starting, JobEvent::started, JobState::running},
    {JobState::starting, JobEvent::start_failed, JobState::pending},
    {JobState::starting, JobEvent::ending, JobState::completing},
    {JobState::starting, JobEvent::run_over, JobState::ended},
    {JobState::starting, JobEvent::requeued, JobState::pending},
    {JobState::running, JobEvent::ending, JobState::completing},
    {JobState::running, JobEvent::run_over, JobState::ended},
    {JobState::running, JobEvent::requeued, JobState::pending},
    {JobState::completing, JobEvent::run_over, JobState::ended},
    {JobState::completing, JobEvent::requeued, JobState::pending},
    {JobState::ended, JobEvent::requeued, JobState::pending},
};

inline constexpr Transition<PartState, PartEvent> part_transitions[] = {
    {PartState::ordered, PartEvent::accepted, PartState::accepted},
    {PartState::ordered, PartEvent::started, PartState::started},
    {PartState::ordered, PartEvent::exited, PartState::over},
    {PartState::ordered, PartEvent::lost, PartState::over},
    {PartState::accepted, PartEvent::started, PartState::started},
    {PartState::accepted, PartEvent::exited, PartState::over},
    {PartState::accepted, PartEvent::lost, PartState::over},
    {PartState::started, PartEvent::exited, PartState::over},
    {PartState::started, PartEvent::lost, PartState::over},
};

inline constexpr Transition<NodeState, NodeEvent> node_transitions[] = {
    {NodeState::unknown, NodeEvent::registered, NodeState::up},
    {NodeState::unknown, NodeEvent::set_down, NodeState::down},
    {NodeState::up, NodeEvent::registered, NodeState::up},
    {NodeState::up, NodeEvent::silent, NodeState::lost},
    {NodeState::up, NodeEvent::set_down, NodeState::down},
    {NodeState::lost, NodeEvent::registered, NodeState::up},
    {NodeState::lost, NodeEvent::proved_dead, NodeState::down},
    {NodeState::lost, NodeEvent::set_down, NodeState::down},
    {NodeState::down, NodeEvent::resumed, NodeState::unknown},
    {NodeState::down, NodeEvent::registered, NodeState::up},
};

template <class State, class Event, std::size_t N>
constexpr const Transition<State, Event>* find_transition(
    const Transition<State, Event> (&table)[N], State from, Event event) {
  for (const auto& row : table)
    if (row.from == from && row.event == event) return &row;
  return nullptr;
}

template <class State, class Event, std::size_t N>
constexpr bool is_deterministic(const Transition<State, Event> (&table)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = i + 1; j < N; ++j)
      if (table[i].from == table[j].from && table[i].event == table[j].event) return false;
  return true;
}
static_assert(is_deterministic(job_transitions));
static_assert(is_deterministic(part_transitions));
static_assert(is_deterministic(node_transitions));

// False: the event does not apply to this state; nothing changed.
inline bool advance(JobState& state, JobEvent event) {
  const auto* row = find_transition(job_transitions, state, event);
  if (row) state = row->to;
  return row != nullptr;
}
inline bool advance(PartState& state, PartEvent event) {
  const auto* row = find_transition(part_transitions, state, event);
  if (row) state = row->to;
  return row != nullptr;
}
inline bool advance(NodeState& state, NodeEvent event) {
  const auto* row = find_transition(node_transitions, state, event);
  if (row) state = row->to;
  return row != nullptr;
}

}  // namespace sluice
