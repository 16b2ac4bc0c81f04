// clients.cpp: see clients.h.
#include "tests/sim/clients.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/wire/frame.h"
#include "common/wire/message_codec.h"

namespace sluice::sim {
namespace {

constexpr std::uint32_t user = 1000;
constexpr std::uint32_t root = 0;
constexpr Duration retry_interval = seconds(2);
constexpr Duration patience = seconds(10);

}  // namespace

bool Clients::ask(std::uint32_t uid, ClientRequest request, OnReply on_reply) {
  if (!controller_.lives()) return false;
  const ConnectionRef connection = stage_.network.connect(0, 0);
  OnFrame frame_in = [this, connection, on_reply](std::uint32_t, MessageType type,
                                                  const std::string& payload) {
    if (on_reply) on_reply(type, payload);
    stage_.network.close(connection, 0);
  };
  stage_.network.send(connection, 0, [this, connection, uid, frame_in] {
    controller_.accept(connection, "", uid, frame_in, [] {});
  });
  stage_.network.send(connection, 0, [this, connection, request = std::move(request)] {
    controller_.from_client(connection->id, request);
  });
  return true;
}

void Clients::act() {
  const std::uint64_t choice = stage_.random.below(20);
  if (choice < 12) return submit();
  if (choice < 19) return change_job();
  change_node();
}

// --- submit ------------------------------------------------------------------------------------

JobSpec Clients::make_spec(std::uint64_t& tasks) {
  Random& random = stage_.random;
  JobSpec spec;
  const std::uint64_t nodes = stage_.config->nodes.size();
  const auto wanted = static_cast<std::uint32_t>(random.one_in(5) ? 1 + random.below(std::min<std::uint64_t>(nodes, 3)) : 1);
  spec.request.nodes_min = wanted;
  spec.request.ntasks = wanted;
  spec.request.cpus_per_task = static_cast<std::uint32_t>(1 + random.below(2));
  spec.request.mem_per_cpu_mb = 100;
  spec.start.requeue = !random.one_in(4);
  spec.start.hold = random.one_in(10);
  spec.start.nice = static_cast<std::int32_t>(random.below(100));
  spec.start.time_limit = TimeLimit{false, random.one_in(4) ? 1U : 60U};
  if (random.one_in(6)) {
    const auto last = static_cast<std::uint32_t>(random.below(8));
    spec.start.array.tasks.ranges = {{0, last, 1}};
    spec.start.array.max_running = static_cast<std::uint32_t>(random.below(3));
    tasks = last + 1;
  }
  if (const auto before = some_job(); before && random.one_in(5)) {
    DependencyTerm term;
    term.type = static_cast<DependencyType>(random.below(4));
    term.job = *before;
    spec.start.dependency.terms.push_back(term);
  }
  spec.batch.work_dir = "/tmp";
  return spec;
}

void Clients::submit() {
  auto attempt = std::make_shared<Attempt>();
  attempt->request.key = fmt::format("key {}", next_key_++);
  attempt->request.spec = make_spec(attempt->tasks);
  attempt->request.spec.name = attempt->request.key;
  attempt->request.script = "#!/bin/sh\n" + attempt->request.key;
  if (stage_.random.one_in(20)) attempt->request.script.append(blob_inline_bytes_max, '#');
  attempt->uid = user;
  attempt->give_up_at = stage_.timeline.now() + patience;
  try_submit(attempt);
}

// Quiet retries with the same key; then the outcome is unknown, and nobody asks again.
void Clients::try_submit(const std::shared_ptr<Attempt>& attempt) {
  if (attempt->answered || stage_.timeline.now() > attempt->give_up_at) return;
  ask(attempt->uid, attempt->request, [this, attempt](MessageType type, const std::string& payload) {
    on_submit_reply(*attempt, type, payload);
  });
  stage_.timeline.after(stage_.random.one_in(10) ? ms(1) : retry_interval,
                        [this, attempt] { try_submit(attempt); });
}

void Clients::on_submit_reply(Attempt& attempt, MessageType type, const std::string& payload) {
  attempt.answered = true;
  if (type != MessageType::submit_reply) return;
  const JobId job = from_bytes<SubmitReply>(payload).value().job;
  stage_.trace.line(fmt::format("{} is told: job {}", attempt.request.key, job.value));
  stage_.ledger.on_accepted(attempt.request.key, job, attempt.tasks);
}

// --- changes -----------------------------------------------------------------------------------

std::optional<JobId> Clients::some_job() {
  const auto& accepted = stage_.ledger.accepted();
  if (accepted.empty()) return std::nullopt;
  auto at = accepted.begin();
  std::advance(at, stage_.random.below(accepted.size()));
  return at->first;
}

void Clients::change_job() {
  const auto job = some_job();
  if (!job) return submit();
  JobFilter filter;
  filter.jobs = {{*job, {}}};
  Random& random = stage_.random;
  if (random.one_in(5) && !random.one_in(3)) filter.jobs[0].tasks.insert(static_cast<std::uint32_t>(random.below(8)));
  const std::uint32_t uid = random.one_in(3) ? root : user;
  const std::uint64_t choice = random.below(10);
  stage_.trace.line(fmt::format("uid {} changes job {} ({})", uid, job->value, choice));
  if (choice < 3) {
    ask(uid, CancelJobs{.filter = filter}, {});
  } else if (choice < 4) {
    ask(uid, WaitJob{*job}, {});
  } else {
    UpdateJobs update{.filter = filter};
    update.action = static_cast<JobAction>(random.below(6));
    if (random.one_in(2)) update.nice = static_cast<std::int32_t>(random.below(50));
    if (random.one_in(3)) update.requeue = random.one_in(2);
    if (random.one_in(3)) update.time_limit = TimeLimit{false, 1};
    if (random.one_in(4)) update.array_max_running = static_cast<std::uint32_t>(random.below(3));
    ask(uid, update, {});
  }
}

void Clients::change_node() {
  UpdateNodes update;
  update.nodes = {stage_.config->nodes[stage_.random.below(stage_.config->nodes.size())].name};
  update.action = stage_.random.one_in(2) ? NodeAction::drain : NodeAction::resume;
  update.reason = "by chance";
  ask(root, update, {});
}

void Clients::set_things_right() {
  UpdateNodes nodes;
  for (const NodeConfig& node : stage_.config->nodes) nodes.nodes.push_back(node.name);
  nodes.action = NodeAction::undrain;
  ask(root, nodes, {});
  UpdateJobs release;
  release.filter.states = {"PENDING"};
  release.action = JobAction::release;
  ask(root, release, {});
}

}  // namespace sluice::sim
