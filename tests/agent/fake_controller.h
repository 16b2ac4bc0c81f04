// fake_controller.h: a controller of one node for tests: accepts the agent's connection with the
// cluster key, keeps what it says, sends what the test wants; and starts and kills the real agent.
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "common/wire/messages.h"

namespace sluice::agent {

class FakeController {
 public:
  FakeController();
  ~FakeController();
  FakeController(const FakeController&) = delete;
  FakeController& operator=(const FakeController&) = delete;

  void start_agent();
  void kill_agent(int signal);  // and waits for its end
  pid_t agent() const;

  // Serves the connection until `condition` holds; false: it did not within the limit.
  bool serve_until(const std::function<bool()>& condition,
                   std::chrono::seconds limit = std::chrono::seconds{20});
  void launch(RunId id, const std::string& script, bool leased = false);
  template <class Message>
  void send(const Message& message);
  // The agent's connection is closed; it will dial again.
  void cut();

  NodeAccepted acceptance;         // sent to every registration
  bool answers_heartbeats = true;
  std::vector<RegisterNode> registrations;
  std::vector<RunAccepted> accepted;
  std::vector<RunRefused> refused;
  std::vector<RunStarted> started;
  std::vector<RunExited> exited;
  std::vector<Relay> relays;
  std::size_t heartbeats = 0;
  std::string folder;              // of this test: configuration, key, spool, output

 private:
  struct Parts;
  std::unique_ptr<Parts> parts_;
};

}  // namespace sluice::agent
