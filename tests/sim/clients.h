// clients.h: people at their commands: they submit with keys and retry, cancel, hold, release, requeue and
// change things, and write down what they were told.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "tests/sim/sim_controller.h"

namespace sluice::sim {

class Clients {
 public:
  Clients(Stage& stage, SimController& controller) : stage_(stage), controller_(controller) {}

  // One action by chance.
  void act();
  // What an administrator does when all is well again: nodes back, held jobs released.
  void set_things_right();

 private:
  struct Attempt {
    SubmitJob request;
    std::uint32_t uid = 0;
    std::uint64_t tasks = 0;
    Duration give_up_at{};
    bool answered = false;
  };

  using OnReply = std::function<void(MessageType, const std::string&)>;
  // Sends on a connection of its own; false: nobody listens.
  bool ask(std::uint32_t uid, ClientRequest request, OnReply on_reply);
  void submit();
  void try_submit(const std::shared_ptr<Attempt>& attempt);
  void on_submit_reply(Attempt& attempt, MessageType type, const std::string& payload);
  JobSpec make_spec(std::uint64_t& tasks);
  std::optional<JobId> some_job();
  void change_job();
  void change_node();

  Stage& stage_;
  SimController& controller_;
  std::uint64_t next_key_ = 1;
};

}  // namespace sluice::sim
