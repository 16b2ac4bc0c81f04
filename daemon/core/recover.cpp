// recover.cpp: memory from what the store held. Indices are derived, never loaded.
#include <algorithm>

#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"
#include "daemon/core/reservations.h"

namespace sluice {
namespace {

void restore_nodes(State& state, const LoadedState& loaded) {
  for (const NodeRecordPtr& stored : loaded.nodes) {
    if (!state.node_ids.contains(stored->name)) continue;  // no longer configured
    NodeRecord& record = state.edit_node(stored->name);
    const NodeShape configured = record.shape;
    const bool said = std::any_of(
        state.config->nodes.begin(), state.config->nodes.end(),
        [&](const NodeConfig& node) { return node.name == stored->name && !node.said.empty(); });
    const std::vector<std::string> features = record.features;
    const std::uint32_t weight = record.weight;
    record = *stored;
    if (said) record.shape = configured;
    record.features = features;
    record.weight = weight;
    state.refresh_node_view(state.node_id(stored->name));
  }
}

// A node that was up is expected back; until it is heard of it may run what it ran.
void expect_nodes(State& state, const Now& now) {
  for (const auto& [name, id] : state.node_ids) {
    NodeEntry& entry = state.edit_node_entry(name);
    entry.last_answer = now.steady;
    entry.last_grant = now.steady;
    entry.connection = 0;
  }
  state.fence_majority = false;
  state.fence_free_since = now.steady;
}

void index_job(State& state, const JobRecord& record) {
  if (record.array && record.array->task) {
    ArrayTasks& tasks = state.arrays[record.array->array_id];
    if (holds_resources(record.state)) ++tasks.running;
    if (record.state != JobState::ended) ++tasks.open;
    else if (record.end->outcome != Outcome::completed) ++tasks.bad;
    if (record.state == JobState::pending) tasks.pending.insert(*record.array->task);
  }
  if (record.state == JobState::pending) index_dependency(state, record.id);
}

// Holds what the run still holds: parts that are over gave theirs back.
void hold_open_parts(State& state, const JobRecord& record, const Now& now) {
  for (std::size_t i = 0; i < record.parts.size(); ++i) {
    const NodeShare& share = record.allocation.shares[i];
    if (record.parts[i].state == PartState::over || !state.node_ids.contains(share.node)) continue;
    if (record.parts[i].state == PartState::ordered)
      state.unacknowledged[{record.id, share.node}] = now.steady;
    state.hold_allocation(record, Allocation{{share}, record.allocation.exclusive}, now);
  }
}

// A begin time may have come meanwhile; then the first look at the clock changes the record.
void wait_on(State& state, const JobRecord& record, const Now& now) {
  if (record.reason == Reason::BeginTime)
    state.look_again_at.emplace(*record.times.begin, record.id);
  else if (!record.dependency.terms.empty())
    state.look_again_at.emplace(now.wall, record.id);  // what it waits for may have had news
  else settle_pending(state, record.id, now);
}

}  // namespace

void Core::recover(const LoadedState& loaded, JobId ids_from, const Now& now) {
  restore_nodes(state, loaded);
  state.accounts = std::make_shared<const AccountBook>(known_book(loaded.accounts));
  load_reservations(state, loaded.reservations, now);
  std::unordered_map<SpecId, JobSpecPtr> specs;
  for (const StoredSpec& stored : loaded.specs) {
    state.adopt_spec(stored);
    specs[stored.id] = stored.spec;
  }
  state.set_highest_spec(loaded.highest_spec);
  state.next_job.value = std::max({ids_from.value, loaded.highest_job.value + 1,
                                   state.config->first_job_id, 1U});
  state.unrecorded = loaded.unrecorded;
  state.unrecorded.push_back({JobId{loaded.highest_job.value + 1}, state.next_job});
  state.ids_end = state.next_job;  // nothing is reserved yet: ask_for_ids() follows
  for (const JobRecordPtr& job : loaded.jobs) state.add_job(*job, specs.at(job->spec));
  for (const SubmitKey& key : loaded.keys) {
    state.submit_keys[key.key] = key.job;
    state.key_of_job[key.job] = key.key;
  }
  for (const JobRecordPtr& job : loaded.jobs) index_job(state, *job);
  state.refresh_limits();
  const Duration age = std::chrono::seconds{state.config->timeouts.min_job_age_s};
  for (const JobRecordPtr& job : loaded.jobs) {
    if (holds_resources(job->state)) {
      hold_open_parts(state, *job, now);
      state.hold_licenses(*job, now);
    }
    if (job->state == JobState::running) schedule_limit_mails(state, job->id, now);
    if (job->state == JobState::ended) state.retire_at.emplace(now.steady + age, job->id);
    if (job->state == JobState::pending) wait_on(state, *job, now);
  }
  expect_nodes(state, now);
  state.usage.advance(state.config->priority, now.wall, true);
  state.set_ranking(make_ranking(state, now.wall));
  if (loaded.is_restored) state.starts_held_until = now.steady + loss_margin(*state.config);
  state.forget_dirty();
}

}  // namespace sluice
