// timeline.cpp: see timeline.h.
#include "tests/sim/timeline.h"

namespace sluice::sim {

bool Timeline::step() {
  if (tasks_.empty()) return false;
  auto next = tasks_.extract(tasks_.begin());
  now_ = next.key();
  next.mapped()();
  return true;
}

Process::Process(Timeline& timeline, Random& random) : timeline_(timeline), random_(random) {}

void Process::start() {
  ++state_->life;
  state_->lives = true;
}

void Process::die() {
  ++state_->life;
  state_->lives = false;
  state_->stops = 0;
  state_->timers_due.clear();
  state_->received.clear();
}

void Process::stop() { ++state_->stops; }

void Process::go_on() {
  if (state_->stops == 0) return;  // it was a former life that was stopped
  --state_->stops;
  wake();
}

void Process::pause() { state_->paused = true; }

void Process::resume() {
  state_->paused = false;
  wake();
}

// Whether timers or messages are looked at first is chance: both orders occur.
void Process::wake() {
  const std::shared_ptr<State> state = state_;
  std::deque<Task>& first = random_.one_in(2) ? state->timers_due : state->received;
  std::deque<Task>& second = &first == &state->timers_due ? state->received : state->timers_due;
  run_waiting(state, first);
  run_waiting(state, second);
}

void Process::run_waiting(const std::shared_ptr<State>& state, std::deque<Task>& waiting) {
  while (!waiting.empty() && !state->is_still()) {
    const Task task = std::move(waiting.front());
    waiting.pop_front();
    task();
  }
}

void Process::after(Duration delay, Task task) {
  timeline_.after(delay, [state = state_, life = state_->life, task = std::move(task)]() mutable {
    if (state->life != life) return;
    if (state->is_still()) return state->timers_due.push_back(std::move(task));
    task();
  });
}

// Never at once: who sends is not inside of who receives.
void Process::receive(Task task) {
  if (!state_->lives) return;
  timeline_.after(Duration{0}, [state = state_, life = state_->life, task = std::move(task)]() mutable {
    if (state->life != life) return;
    if (state->is_still()) return state->received.push_back(std::move(task));
    task();
  });
}

}  // namespace sluice::sim
