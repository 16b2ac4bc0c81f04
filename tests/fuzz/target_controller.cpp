// target_controller.cpp: the controller's core against users and agents who say anything that can
// be decoded: its invariants hold after every message, and what it decided can be listed and told
// again.
#include <array>

#include "daemon/core/core.h"
#include "daemon/core/listing.h"
#include "daemon/sched/plan.h"
#include "daemon/store/id_floor.h"
#include "tests/fuzz/filled.h"
#include "tests/fuzz/fuzz.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

constexpr int messages_max = 24;
const std::array<std::string, 3> node_names = {"n1", "n2", "stranger"};

std::shared_ptr<const ClusterConfig> make_config() {
  auto config = std::make_shared<ClusterConfig>();
  config->disable_root_jobs = false;
  PartitionConfig partition{.name = "main", .is_default = true};
  for (const char* name : {"n1", "n2"}) {
    NodeConfig node{.name = name, .said = {"CPUs", "RealMemory", "Gres"}};
    node.shape.cpus = 8;
    node.shape.mem_mb = 8000;
    node.shape.gres = {{"gpu", "a100", 2}, {"nic", "", 1}};
    partition.nodes.push_back(name);
    config->nodes.push_back(node);
  }
  config->partitions.push_back(partition);
  return config;
}

// Mostly one of the first jobs: those that are there.
JobId some_job(Bytes& bytes) { return JobId{1 + bytes.byte() % 8U}; }

template <class Part>
void fill_some(Bytes& bytes, Part& part) {
  if (bytes.coin()) fill(bytes, part);
}

void fill_filter(Bytes& bytes, JobFilter& filter) {
  if (bytes.byte() % 8 == 0) return fill(bytes, filter);
  filter.jobs.resize(1 + bytes.byte() % 2);
  for (JobSelector& selector : filter.jobs) {
    selector.job = some_job(bytes);
    fill_some(bytes, selector.tasks);
  }
}

class Controller {
 public:
  explicit Controller(Bytes& bytes) : bytes_(bytes), core_(make_config()) {
    now_.wall = wall_from_us(1'800'000'000'000'000);
    now_.steady = steady_from_us(1'000'000'000);
    core_.recover({}, JobId{1}, now_);
    feed(TimePassed{});
    for (const char* name : {"n1", "n2"}) register_node(name, {});
  }

  void run() {
    using Step = void (Controller::*)();
    constexpr std::array<Step, 12> steps = {
        &Controller::submit,      &Controller::submit,       &Controller::cancel,
        &Controller::update,      &Controller::update_nodes, &Controller::say_registered,
        &Controller::disconnect,  &Controller::say_answered, &Controller::say_accepted,
        &Controller::say_started, &Controller::say_exited,   &Controller::let_time_pass};
    for (int i = 0; i < messages_max && !bytes_.empty(); ++i) {
      (this->*steps[bytes_.byte() % steps.size()])();
      if (bytes_.coin()) plan();
    }
    plan();
    list_all();
  }

 private:
  RequestRef here() { return {7, ++request_}; }
  Caller caller() {
    const std::uint32_t uid = bytes_.byte() % 3;
    return {uid, uid, uid == 0};
  }
  std::string node() { return node_names[bytes_.byte() % 2]; }
  RunId run_id() { return {some_job(bytes_), RunNumber{bytes_.byte() % 3U}}; }

  void feed(const Event& event) {
    Effects out;
    core_.on(event, now_, out);
    static_cast<void>(core_.state.take_batch());
    check_invariants(core_.state);
    for (const Effect& effect : out.list)
      if (const auto* wanted = std::get_if<ReserveIds>(&effect)) reserve_ids(*wanted);
  }

  void reserve_ids(const ReserveIds& wanted) {
    const auto block = next_block(JobId{1}, wanted.lowest, wanted.count);
    if (block.ok()) feed(IdsReserved{block->first, block->end});
  }

  void submit() {
    JobSubmitted event{.from = here(), .caller = caller()};
    SubmitJob& request = event.request;
    JobSpec& spec = request.spec;
    request.key = bytes_.text(4);
    spec.batch.work_dir = "/";
    fill_some(bytes_, spec.request);
    fill_some(bytes_, spec.placement);
    fill_some(bytes_, spec.stdio_files);
    fill_some(bytes_, spec.start);
    for (DependencyTerm& term : spec.start.dependency.terms) term.job = some_job(bytes_);
    if (bytes_.byte() % 8 == 0) fill(bytes_, spec);
    spec.uid = event.caller.uid;
    event.script = {"script", std::make_shared<const std::string>("#!/bin/sh\n")};
    event.environment = {"environment", std::make_shared<const std::string>()};
    request.test_only = bytes_.byte() % 8 == 0;
    feed(event);
  }
  void cancel() {
    JobsCancelled event{.from = here(), .caller = caller()};
    fill_filter(bytes_, event.request.filter);
    fill_some(bytes_, event.request.signal);
    feed(event);
  }
  void update() {
    JobsUpdated event{.from = here(), .caller = caller()};
    fill(bytes_, event.request);
    event.request.filter = {};
    fill_filter(bytes_, event.request.filter);
    feed(event);
  }
  void update_nodes() {
    NodesUpdated event{.from = here(), .caller = caller()};
    fill(bytes_, event.request);
    event.request.nodes = {node_names[bytes_.byte() % 3]};
    feed(event);
  }

  void register_node(const std::string& name, std::vector<RunReport> runs) {
    NodeRegistered event{.connection = ++connection_, .request = 1};
    event.request_body.name = name;
    event.request_body.identity.boot_id = "boot";
    event.request_body.identity.spool_id = "spool-" + name;
    event.request_body.shape.cpus = 8;
    event.request_body.shape.mem_mb = 8000;
    event.request_body.runs = std::move(runs);
    feed(event);
  }
  void say_registered() {
    std::vector<RunReport> runs(bytes_.byte() % 3);
    for (RunReport& run : runs) {
      fill(bytes_, run);
      if (bytes_.byte() % 8 != 0) run.id = run_id();
      if (run.state == PartState::over && !run.exit) run.exit.emplace();
    }
    register_node(node(), std::move(runs));
  }
  void disconnect() { feed(NodeDisconnected{node(), 1 + bytes_.byte() % (connection_ + 1)}); }
  void say_answered() {
    NodeAnswered event{.node = node(), .connection = 1 + bytes_.byte() % (connection_ + 1)};
    fill(bytes_, event.heartbeat);
    feed(event);
  }
  void say_accepted() { feed(RunAcceptedByNode{node(), {run_id()}}); }
  void say_started() { feed(RunStartedOnNode{node(), {run_id(), now_.wall}}); }
  void say_exited() {
    RunExitedOnNode event{.node = node()};
    fill(bytes_, event.message);
    event.message.record.id = run_id();
    feed(event);
  }
  void let_time_pass() {
    const auto passed = std::chrono::seconds{bytes_.byte() * 4};
    now_.wall += passed;
    now_.steady += passed;
    feed(TimePassed{});
  }
  void plan() {
    if (core_.state.plan_wanted) feed(PlanReady{make_plan(core_.state.make_view(now_))});
  }
  void list_all() {
    const Snapshot snapshot = core_.state.snapshot();
    snapshot.jobs.for_each([&](std::uint32_t, const JobEntry& entry) {
      const JobInfo info = make_job_info(entry, snapshot, {});
      const auto decoded = from_bytes<JobInfo>(to_bytes(info));
      require(decoded.ok() && *decoded == info, "what is listed survives the wire");
      return true;
    });
  }

  Bytes& bytes_;
  Core core_;
  Now now_;
  std::uint32_t request_ = 0;
  std::uint64_t connection_ = 0;
};

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(text_of(data, size));
  Controller(bytes).run();
  return 0;
}
