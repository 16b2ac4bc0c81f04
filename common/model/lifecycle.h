// lifecycle.h: the transition tables of job, run part, step and node. advance() is the only writer of a
// state. An event that has no row for the present state is late or repeated news: advance() says so
// and changes nothing; the caller lists it as ignored.
#pragma once

#include <cstddef>
#include <iterator>

#include "common/base/describe.h"

namespace sluice {

// --- job ---------------------------------------------------------------------------------------
// pending: waits. starting: launch orders are out. running: every node acknowledged its shepherd.
// completing: told to end, or the script ended and other nodes have not. ended: outcome is set.
BOOST_DEFINE_ENUM_CLASS(JobState, pending, starting, running, completing, ended)

// What each state means to users and to the sums of resources, in the order of the enumeration. How a
// job ended (Outcome) has words of its own.
struct JobStateRow {
  JobState state;
  const char* word;  // PENDING
  const char* code;  // PD
  bool holds_resources;
};
inline constexpr JobStateRow job_states[] = {
    {JobState::pending, "PENDING", "PD", false},
    {JobState::starting, "CONFIGURING", "CF", true},
    {JobState::running, "RUNNING", "R", true},
    {JobState::completing, "COMPLETING", "CG", true},
    {JobState::ended, "COMPLETED", "CD", false},
};
constexpr const JobStateRow& row_of(JobState state) {
  return job_states[static_cast<std::size_t>(state)];
}
constexpr bool holds_resources(JobState state) { return row_of(state).holds_resources; }

BOOST_DEFINE_ENUM_CLASS(JobEvent, placed, started, ending, run_over, requeued,
                        closed)
// How it ended, set once.
BOOST_DEFINE_ENUM_CLASS(Outcome, completed, failed, cancelled, timeout, out_of_memory, node_fail,
                        preempted, deadline, boot_fail)

// --- the part of a run on one node -------------------------------------------------------------
BOOST_DEFINE_ENUM_CLASS(PartState, ordered, accepted, started, over)
BOOST_DEFINE_ENUM_CLASS(PartEvent, accepted, started, exited, lost)

// --- step --------------------------------------------------------------------------------------
// A step that waits for its share is a request, not yet a step. starting: its nodes are ordered.
// running: all of them run its tasks. completing: told to end. Its parts go by PartState: `accepted` is
// not told of them.
BOOST_DEFINE_ENUM_CLASS(StepState, starting, running, completing, ended)
BOOST_DEFINE_ENUM_CLASS(StepEvent, started, ending, over)

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

inline constexpr Transition<StepState, StepEvent> step_transitions[] = {
    {StepState::starting, StepEvent::started, StepState::running},
    {StepState::starting, StepEvent::ending, StepState::completing},
    {StepState::starting, StepEvent::over, StepState::ended},
    {StepState::running, StepEvent::ending, StepState::completing},
    {StepState::running, StepEvent::over, StepState::ended},
    {StepState::completing, StepEvent::over, StepState::ended},
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

// Apart from find_transition(): g++ 12 compares no address in a constant under the sanitizers.
template <class State, class Event, std::size_t N>
constexpr bool has_transition(const Transition<State, Event> (&table)[N], State from, Event event) {
  for (const auto& row : table)
    if (row.from == from && row.event == event) return true;
  return false;
}

template <class State, class Event, std::size_t N>
constexpr bool is_deterministic(const Transition<State, Event> (&table)[N]) {
  for (std::size_t i = 0; i < N; ++i)
    for (std::size_t j = i + 1; j < N; ++j)
      if (table[i].from == table[j].from && table[i].event == table[j].event) return false;
  return true;
}
// Each state has its row, in order.
constexpr bool has_all_job_states() {
  for (std::size_t i = 0; i < std::size(job_states); ++i)
    if (job_states[i].state != static_cast<JobState>(i)) return false;
  return std::size(job_states) ==
         boost::mp11::mp_size<boost::describe::describe_enumerators<JobState>>::value;
}

// Whatever holds resources can be told to end (unless it has been), be over, and be run again.
constexpr bool can_end_all_that_hold_resources() {
  for (const JobStateRow& row : job_states) {
    if (!row.holds_resources) continue;
    bool is_ending = false;
    for (const auto& transition : job_transitions)
      is_ending = is_ending || (transition.event == JobEvent::ending && transition.to == row.state);
    if (!is_ending && !has_transition(job_transitions, row.state, JobEvent::ending)) return false;
    if (!has_transition(job_transitions, row.state, JobEvent::run_over)) return false;
    if (!has_transition(job_transitions, row.state, JobEvent::requeued)) return false;
  }
  return true;
}
static_assert(has_all_job_states());
static_assert(can_end_all_that_hold_resources());
static_assert(is_deterministic(job_transitions));
static_assert(is_deterministic(part_transitions));
static_assert(is_deterministic(step_transitions));
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
inline bool advance(StepState& state, StepEvent event) {
  const auto* row = find_transition(step_transitions, state, event);
  if (row) state = row->to;
  return row != nullptr;
}
inline bool advance(NodeState& state, NodeEvent event) {
  const auto* row = find_transition(node_transitions, state, event);
  if (row) state = row->to;
  return row != nullptr;
}

}  // namespace sluice
