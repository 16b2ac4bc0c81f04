// sim_controller.h: the controller as a process on a machine: the real core, planner and store, driven as
// daemon/server/reactor.cpp drives them: one commit under way, effects only after it, urgent ones at once,
// plans as late events. It can be killed, stopped, and lose its power at any step.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "agent/core/effects.h"
#include "daemon/core/core.h"
#include "daemon/store/id_floor.h"
#include "daemon/store/sqlite_store.h"
#include "tests/sim/fault_vfs.h"
#include "tests/sim/stage.h"

namespace sluice::sim {

// What arrives at the peer of a session.
using OnFrame = std::function<void(std::uint32_t request, MessageType type, const std::string& payload)>;

using ClientRequest = std::variant<SubmitJob, CancelJobs, UpdateJobs, UpdateNodes, WaitJob>;

class SimController {
 public:
  explicit SimController(Stage& stage);

  void start();
  void kill();
  void lose_power();
  void pause() { process_.stop(); }
  void resume() { process_.go_on(); }
  bool lives() const { return process_.lives(); }
  // Dies after so many more effects.
  void kill_after_effects(std::uint64_t count) { effects_left_ = count; }
  // The power goes during that operation of the disk.
  void cut_power_at(std::uint64_t operation) { disk_.cut_power_at(operation); }
  void stall_disk(Duration until) { disk_stalled_until_ = until; }
  void set_clock(Duration wall_offset) { clock_.wall_offset = wall_offset; }

  // A connection has arrived: of an agent that proved `node`, or of a command of `uid` (node empty).
  void accept(const ConnectionRef& connection, const std::string& node, std::uint32_t uid,
              OnFrame on_frame, Task on_accepted);
  void from_node(std::uint64_t connection, agent::MessageToController message);
  void from_client(std::uint64_t connection, ClientRequest request);

  const State& state() const { return core_->state; }
  // Nothing is under way: what is in memory is on the disk.
  bool is_settled() const;
  // reload == live, and everything that must be true at the end.
  void check_at_rest();

 private:
  struct Session {
    ConnectionRef connection;
    std::string node;
    Caller caller;
    OnFrame on_frame;
    bool registered = false;
  };

  Result<void> open_state();
  void release();
  void feed(Event event);
  void end_turn_soon();
  void end_turn();
  void plan_if_wanted();
  void commit_if_free();
  void commit(std::shared_ptr<const StoreBatch> batch, std::shared_ptr<std::vector<Effect>> effects);
  void release_urgent();
  void perform_all(std::vector<Effect>& effects);
  void perform(Effect& effect);
  void send(std::uint64_t connection, std::uint32_t request, MessageType type, std::string payload);
  void send_launch(SendLaunch& launch);
  void reserve_ids(const ReserveIds& wanted);
  void arm_timer();
  void on_closed(std::uint64_t connection);
  void close(std::uint64_t connection);
  void on_message(std::uint64_t connection, agent::MessageToController& message);
  void on_request(std::uint64_t connection, ClientRequest& request);
  void on_submit(const RequestRef& from, const Caller& caller, SubmitJob& request);
  void send_chunk(std::uint64_t connection, const GetBlob& wanted);
  Result<std::shared_ptr<const std::string>> find_blob(const std::string& id);
  // nullptr: the power is gone, which a reader may be the first to notice.
  std::shared_ptr<const std::string> content(const std::string& id);
  void die_without_power();
  Session* find_node(const std::string& node);
  Now now() const { return stage_.now(clock_); }

  Stage& stage_;
  Process process_;
  HostClock clock_;
  FaultDisk disk_;
  FaultVfs vfs_;
  Duration disk_stalled_until_{};
  std::optional<std::uint64_t> effects_left_;
  bool dying_ = false;

  // of one life
  std::unique_ptr<Store> store_;
  std::unique_ptr<HistoryReader> history_;
  std::optional<IdFloor> id_floor_;
  std::unique_ptr<Core> core_;
  Effects gathered_;
  std::map<std::uint64_t, Session> sessions_;
  std::map<std::string, std::shared_ptr<const std::string>> blobs_;
  bool turn_scheduled_ = false;
  bool committing_ = false;
  bool planning_ = false;
};

}  // namespace sluice::sim
