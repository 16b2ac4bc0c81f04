// timeline.h: virtual time and everything that happens in it, in one order that follows from the seed.
// No real clock, no thread, no sleep.
#pragma once

#include <algorithm>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <utility>

#include "common/base/time.h"

namespace sluice::sim {

using Task = std::function<void()>;

constexpr Duration ms(std::int64_t count) { return std::chrono::milliseconds{count}; }
constexpr Duration seconds(std::int64_t count) { return std::chrono::seconds{count}; }

// The one source of chance of a run. Only the generator's own numbers are used: what the library makes
// of them differs between libraries.
class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  std::uint64_t number() { return engine_(); }
  std::uint64_t below(std::uint64_t end) { return end == 0 ? 0 : engine_() % end; }
  bool one_in(std::uint64_t count) { return below(count) == 0; }
  Duration between(Duration least, Duration most) {
    return least + Duration{static_cast<std::int64_t>(
                       below(static_cast<std::uint64_t>((most - least).count()) + 1))};
  }
  // Mostly short, sometimes near `most`: faults of every length occur.
  Duration skewed(Duration least, Duration most) {
    return one_in(2) ? between(least, least + (most - least) / 10) : between(least, most);
  }

 private:
  std::mt19937_64 engine_;
};

class Timeline {
 public:
  Duration now() const { return now_; }
  void after(Duration delay, Task task) {
    tasks_.emplace(now_ + std::max(delay, Duration{0}), std::move(task));
  }
  // Runs the next task; false: there is none.
  bool step();

 private:
  Duration now_{};
  std::multimap<Duration, Task> tasks_;  // of one instant: in the order they were added
};

// A process that may die, be stopped and go on. Its work happens only while it lives and is not stopped;
// what comes meanwhile waits, what belongs to an earlier life is dropped.
class Process {
 public:
  Process(Timeline& timeline, Random& random);

  void start();
  void die();
  void stop();      // SIGSTOP: of this life
  void go_on();
  void pause();     // the whole machine: lives come and go in it
  void resume();
  bool lives() const { return state_->lives; }

  // A timer of this life.
  void after(Duration delay, Task task);
  // Something from outside that this life will find waiting.
  void receive(Task task);

 private:
  struct State {
    bool lives = false;
    int stops = 0;
    bool paused = false;
    std::uint64_t life = 0;
    std::deque<Task> timers_due;
    std::deque<Task> received;

    bool is_still() const { return paused || stops > 0; }
  };
  void wake();
  static void run_waiting(const std::shared_ptr<State>& state, std::deque<Task>& waiting);

  Timeline& timeline_;
  Random& random_;
  std::shared_ptr<State> state_ = std::make_shared<State>();
};

}  // namespace sluice::sim
