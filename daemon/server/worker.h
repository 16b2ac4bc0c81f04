// worker.h: one thread that does queued work in order. The planner, the store and the readers each are
// one. A task must not outlive what it captures: stop() finishes the queue and joins.
#pragma once

#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

namespace sluice {

class Worker {
 public:
  // `name`: at most 15 letters, shown by ps and debuggers. `nice`: how far behind the others it
  // stands for a processor.
  explicit Worker(const char* name, int nice = 0);
  ~Worker() { stop(); }
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  void post(std::function<void()> task);
  void stop();

 private:
  void run(int nice);

  std::mutex mutex_;
  std::condition_variable wake_;
  std::deque<std::function<void()>> tasks_;
  bool stopping_ = false;
  std::thread thread_;
};

}  // namespace sluice
