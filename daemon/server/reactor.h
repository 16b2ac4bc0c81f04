// reactor.h: the controller's one thread of decisions, wired to the store, the planner, the readers and
// the connections. One turn: frames -> events -> core; rows gathered in the turn go to the store thread
// as soon as it is free (batching comes from load, never from a timer); effects leave after the commit.
// A failed commit ends the daemon, because memory is ahead of the disk.
#pragma once

#include <deque>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "common/net/listener.h"
#include "daemon/core/core.h"
#include "daemon/core/metrics.h"
#include "daemon/rpc/session.h"
#include "daemon/server/blob_cache.h"
#include "daemon/server/mailer.h"
#include "daemon/server/metrics_port.h"
#include "daemon/server/purger.h"
#include "daemon/server/sessions.h"
#include "daemon/server/statistics.h"
#include "daemon/server/user_names.h"
#include "daemon/server/watchers.h"
#include "daemon/server/worker.h"
#include "daemon/store/free_space.h"
#include "daemon/store/id_floor.h"
#include "daemon/store/store.h"

namespace sluice {

struct ReactorParts {
  std::shared_ptr<const ClusterConfig> config;
  std::unique_ptr<Store> store;
  LoadedState loaded;                     // what the store held at start
  std::unique_ptr<HistoryReader> loop_history;
  std::unique_ptr<HistoryReader> reader_history;
  std::unique_ptr<IdFloor> id_floor;
  FreeSpace* space = nullptr;             // outlives the reactor
  std::shared_ptr<KeyRing> keys;
  std::uint32_t admin_uid = 0;            // SlurmUser
  std::function<Result<ClusterConfig>()> read_config;  // for reconfigure
};

class Reactor : public Services {
 public:
  Reactor(IoContext& io, ReactorParts parts);
  ~Reactor() override;

  // Takes over what the store held. Once, before the first connection.
  void recover();
  void accept(ConnectionPtr connection);  // proved by its listener
  // At the place of the configuration. Jobs matter more than their figures: where that cannot be, it
  // is told and done without.
  void serve_metrics();
  void finish();                          // commits what is pending, stops the threads

  // Services
  void feed(Event event) override;
  void read(const RequestRef& to, ReadTask task) override;
  void foresee(const RequestRef& to, ReadTask task) override;
  void watch(const RequestRef& to, WatchEvents wanted) override {
    watchers_.ask(to, std::move(wanted));
  }
  void with_user_names(std::uint32_t uid, std::uint32_t gid,
                       std::function<void(std::string, std::string)> then) override;
  const State& state() const override { return core_.state; }
  HistoryReader& history() override { return *parts_.loop_history; }
  void with_history(std::function<void(HistoryReader&)> look, std::function<void()> then) override;
  bool store_is_full() override;
  void keep_blob(const StoredBlob& blob) override { blobs_.put(blob.id, blob.bytes); }
  Result<std::shared_ptr<const std::string>> find_blob(const std::string& content_id) override;
  Result<void> reconfigure(std::optional<RequestRef> asked_by) override;
  void backup(const RequestRef& to, const std::string& path) override;
  void purge(const RequestRef& to, const PurgeJobs& wanted) override;
  StatisticsReply statistics() override;
  void reset_statistics() override;
  void shut_down() override;
  std::string content_id(std::string_view bytes) override;
  WallTime now_wall() const override;

 private:
  void end_turn_soon();
  void end_turn();
  void settle_restore();
  void plan_if_wanted();
  void plan_fully_later();
  void commit_if_free();
  std::shared_ptr<const Snapshot> take_snapshot();
  void start_foreseeing();
  void on_committed(const Result<void>& committed, std::shared_ptr<const Snapshot> snapshot,
                    std::vector<Effect> effects);
  void count_request(const char* message) override { ++totals_.requests[message]; }
  void count_refusal() override { ++totals_.refused; }
  void release_urgent(std::vector<Effect>& effects);
  void perform(Effect& effect);
  void send_launch(SendLaunch& launch);
  void reserve_ids(const ReserveIds& wanted);
  void arm_timer();
  void fill_acceptance(Session& session, SendReply& reply);
  void scrape(std::function<void(std::string text)> then);
  Result<void> move_metrics(const std::string& place);

  struct Timer;

  IoContext& io_;
  ReactorParts parts_;
  Core core_;
  Sessions sessions_;
  Watchers watchers_;
  BlobCache blobs_{64U << 20};
  UserNameCache names_;
  Effects gathered_;                      // of this turn and of turns that wait for the store
  std::shared_ptr<const Snapshot> committed_;
  std::vector<std::pair<RequestRef, ReadTask>> foreseeing_;  // wait for an outlook
  ServerTotals totals_;
  Statistics statistics_;
  bool turn_scheduled_ = false;
  bool committing_ = false;
  bool planning_ = false;
  SteadyTime full_plan_from_{};  // until then jobs only start in strict order
  bool full_plan_waits_ = false;
  bool stopping_ = false;
  std::unique_ptr<Timer> timer_;
  Worker store_thread_{"sluice-store"};
  Worker planner_thread_{"sluice-planner"};
  Worker reader_thread_{"sluice-reader", 10};  // who looks stands behind who changes
  Worker names_thread_{"sluice-names"};
  Purger purger_;
  Mailer mailer_;
  MetricsService metrics_;
};

}  // namespace sluice
