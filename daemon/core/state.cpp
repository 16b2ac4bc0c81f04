// state.cpp: tables, interning and rows for the store. No decisions are taken here.
#include "daemon/core/state.h"

#include <algorithm>
#include <tuple>

#include "common/wire/message_codec.h"
#include "daemon/core/dependency.h"
#include "daemon/core/handlers.h"
#include "daemon/core/priority.h"
#include "daemon/core/shapes.h"

namespace sluice {

State::State(std::shared_ptr<const ClusterConfig> initial) {
  set_config(std::move(initial));
  ranking = make_ranking(*this, {});
}

// --- tables ------------------------------------------------------------------------------------

const JobRecord& State::job(JobId id) const {
  const JobEntry* entry = jobs.find(id.value);
  ASSERT(entry != nullptr);
  return entry->record;
}

const JobSpec& State::spec(JobId id) const {
  const JobEntry* entry = jobs.find(id.value);
  ASSERT(entry != nullptr);
  return *entry->spec;
}

JobRecord& State::edit_job(JobId id) {
  dirty_jobs_.insert(id);
  JobEntry& entry = jobs.edit(id.value);
  if (entry.class_id != 0) classes.at(entry.class_id).is_stale = true;
  return entry.record;
}

void State::touch_queued(JobId id) {
  if (const JobEntry* entry = find_job(id); entry && entry->class_id != 0)
    classes.at(entry->class_id).is_stale = true;
}

bool State::is_unrecorded(JobId id) const {
  return std::any_of(unrecorded.begin(), unrecorded.end(),
                     [id](const IdBlock& block) { return block.first <= id && id < block.end; });
}

void State::add_job(JobRecord record, JobSpecPtr spec) {
  const JobId id = record.id;
  ASSERT(find_job(id) == nullptr);
  if (record.array && record.array->task)
    arrays[record.array->array_id].records[*record.array->task] = id;
  if (record.state != JobState::ended) by_name[twins_of(*spec)].open.insert(id);
  if (!jobs_of_user.find(spec->uid)) jobs_of_user.put(spec->uid, {});
  jobs_of_user.edit(spec->uid).insert(id.value);
  jobs.put(id.value, JobEntry{std::move(record), std::move(spec), 0});
  dirty_jobs_.insert(id);
}

void State::change_spec(JobId id, const StoredSpec& changed) {
  JobEntry& entry = jobs.edit(id.value);
  dirty_jobs_.insert(id);
  ASSERT(entry.spec->uid == changed.spec->uid);
  const std::string before = twins_of(*entry.spec);
  const std::string after = twins_of(*changed.spec);
  entry.record.spec = changed.id;
  entry.spec = changed.spec;
  if (before == after || entry.record.state == JobState::ended) return;
  by_name[after].open.insert(id);
  if (by_name[before].singletons.erase(id) > 0) by_name[after].singletons.insert(id);
  by_name[before].open.erase(id);
}

namespace {
JobRecordPtr share_record(const IdTable<JobEntry>& jobs, JobId id) {
  std::shared_ptr<const JobEntry> entry = jobs.share(id.value);
  const JobRecord* record = &entry->record;
  return {std::move(entry), record};
}
}  // namespace

void State::retire_job(JobId id) {
  const JobRecord& record = job(id);
  ASSERT(record.state == JobState::ended);
  if (record.array && record.array->task) {
    auto tasks = arrays.find(record.array->array_id);
    tasks->second.records.erase(*record.array->task);
    if (record.end->outcome != Outcome::completed) --tasks->second.bad;
    if (tasks->second.records.empty()) arrays.erase(tasks);
  }
  if (auto key = key_of_job.find(id); key != key_of_job.end()) {
    submit_keys.erase(key->second);
    key_of_job.erase(key);
  }
  // Its end may not be stored yet: a stalled disk can outlast MinJobAge.
  if (dirty_jobs_.erase(id) > 0) extra.jobs.push_back(share_record(jobs, id));
  const std::uint32_t uid = spec(id).uid;
  IdSet& of_user = jobs_of_user.edit(uid);
  of_user.erase(id.value);
  if (of_user.empty()) jobs_of_user.erase(uid);
  jobs.erase(id.value);
  extra.retired.push_back(id);
}

JobSteps& State::edit_steps(JobId id) {
  if (!steps.find(id.value)) steps.put(id.value, {});
  return steps.edit(id.value);
}

StepRecord& State::edit_step(const StepId& id) {
  dirty_steps_.insert(id);
  StepRecordPtr& record = edit_steps(id.job).open.at(id.step);
  auto changed = std::make_shared<StepRecord>(*record);  // readers may hold the former one
  record = changed;
  return *changed;
}

NodeId State::node_id(const std::string& name) const {
  auto at = node_ids.find(name);
  ASSERT(at != node_ids.end());
  return at->second;
}

const NodeEntry* State::find_node(const std::string& name) const {
  auto at = node_ids.find(name);
  return at == node_ids.end() ? nullptr : nodes.find(at->second.value);
}

NodeEntry& State::edit_node_entry(const std::string& name) {
  return nodes.edit(node_id(name).value);
}

NodeRecord& State::edit_node(const std::string& name) {
  const NodeId id = node_id(name);
  dirty_nodes_.insert(id);
  return nodes.edit(id.value).record;
}

void State::add_node(NodeRecord record) {
  ASSERT(!node_ids.contains(record.name));
  const NodeId id{static_cast<std::uint32_t>(node_ids.size()) + 1};
  node_ids[record.name] = id;
  NodeView view;
  view.name = record.name;
  node_views.put(id.value, std::move(view));
  NodeEntry entry;
  entry.record = std::move(record);
  nodes.put(id.value, std::move(entry));
  dirty_nodes_.insert(id);
  refresh_node_view(id);
}

// --- configuration -----------------------------------------------------------------------------

namespace {
NodeRecord make_record(const NodeConfig& node) {
  NodeRecord record;
  record.name = node.name;
  record.shape = node.shape;
  record.features = node.features;
  record.weight = node.weight;
  return record;
}
}  // namespace

namespace {
// Partitions with a node in common get the same number.
void number_pools(std::vector<PartitionView>& partitions) {
  std::unordered_map<NodeId, std::uint32_t> pool_of;
  for (std::uint32_t i = 0; i < partitions.size(); ++i) {
    partitions[i].pool = i + 1;
    for (const NodeId node : partitions[i].nodes) {
      const std::uint32_t known = pool_of.try_emplace(node, partitions[i].pool).first->second;
      const std::uint32_t joined = partitions[i].pool;
      if (known == joined) continue;
      for (PartitionView& partition : partitions)
        if (partition.pool == joined) partition.pool = known;
      for (auto& [id, pool] : pool_of)
        if (pool == joined) pool = known;
    }
  }
}
}  // namespace

void State::set_config(std::shared_ptr<const ClusterConfig> changed) {
  config = std::move(changed);
  for (const NodeConfig& node : config->nodes) {
    if (!node_ids.contains(node.name)) {
      add_node(make_record(node));
      continue;
    }
    NodeRecord& record = edit_node(node.name);
    // What the file says holds; what it does not say stays as the node registered it.
    if (!node.said.empty() || record.identity.boot_id.empty()) record.shape = node.shape;
    record.features = node.features;
    record.weight = node.weight;
    refresh_node_view(node_id(node.name));
  }
  auto views = std::make_shared<std::vector<PartitionView>>();
  for (const PartitionConfig& partition : config->partitions) {
    PartitionView view{.name = partition.name, .nodes = {}, .up = partition.up,
                       .exclusive = partition.exclusive};
    for (const std::string& node : partition.nodes)
      if (auto at = node_ids.find(node); at != node_ids.end()) view.nodes.push_back(at->second);
    std::stable_sort(view.nodes.begin(), view.nodes.end(), [&](NodeId a, NodeId b) {
      return nodes.find(a.value)->record.weight < nodes.find(b.value)->record.weight;
    });
    views->push_back(std::move(view));
  }
  number_pools(*views);
  partitions = std::move(views);
  refresh_limits();
  plan_wanted = true;
  ++version;
}

const PartitionConfig* State::find_partition(const std::string& name) const {
  for (const PartitionConfig& partition : config->partitions)
    if (partition.name == name) return &partition;
  return nullptr;
}

const PartitionConfig* State::default_partition() const {
  for (const PartitionConfig& partition : config->partitions)
    if (partition.is_default) return &partition;
  return nullptr;
}

// --- specs -------------------------------------------------------------------------------------

StoredSpec State::intern(const JobSpec& spec) {
  const std::string content = to_bytes(spec);
  const std::uint64_t hash = std::hash<std::string>{}(content);
  auto [begin, end] = specs_.equal_range(hash);
  for (auto at = begin; at != end;) {
    const JobSpecPtr known = at->second.spec.lock();
    if (known && *known == spec) {
      // Only a reader may still hold it, of a job that was purged with its spec.
      extra.specs.push_back({at->second.id, known});
      return extra.specs.back();
    }
    at = known ? std::next(at) : specs_.erase(at);
  }
  StoredSpec stored{SpecId{next_spec_++}, std::make_shared<const JobSpec>(spec)};
  specs_.emplace(hash, StoredSpecRef{stored.id, stored.spec});
  extra.specs.push_back(stored);
  return stored;
}

void State::adopt_spec(const StoredSpec& stored) {
  const std::string content = to_bytes(*stored.spec);
  specs_.emplace(std::hash<std::string>{}(content), StoredSpecRef{stored.id, stored.spec});
  set_highest_spec(stored.id);
}

void State::set_highest_spec(SpecId id) { next_spec_ = std::max(next_spec_, id.value + 1); }

// --- the planner's queue -----------------------------------------------------------------------

namespace {

std::string key_of(const JobShapes& shapes) {
  std::string key;
  for (const JobShape& shape : shapes) {
    const std::string bytes = to_bytes(shape);
    codec::put_varint(key, bytes.size());
    key += bytes;
  }
  return key;
}

// A class is made of the shapes and of whose limits they have.
std::string class_key(std::string key, const std::vector<ShapeLimits>& limits) {
  for (const ShapeLimits& shape : limits)
    for (const std::uint32_t id : {shape.subject.association.value, shape.subject.qos.value,
                                   shape.subject.partition_qos.value})
      codec::put_varint(key, id);
  return key;
}

}  // namespace

std::shared_ptr<const JobShapes> State::share_shapes(JobShapes shapes, const std::string& key) {
  if (shapes_by_key_.size() > 2 * classes.size() + 64)
    std::erase_if(shapes_by_key_, [](const auto& row) { return row.second.expired(); });
  std::weak_ptr<const JobShapes>& place = shapes_by_key_[key];
  std::shared_ptr<const JobShapes> known = place.lock();
  if (!known) place = known = std::make_shared<const JobShapes>(std::move(shapes));
  return known;
}

std::uint32_t State::class_of(const std::vector<PartitionChoice>& choices, const JobEntry& entry) {
  ClassShapes of = shapes_of(*this, *entry.spec, choices);
  JobShapes& shapes = of.shapes;
  std::vector<ShapeLimits> limits;
  for (const LimitSubject& subject : of.subjects) limits.push_back({subject, {}});
  std::string shapes_key = key_of(shapes);
  auto [at, is_new] = class_by_key_.try_emplace(class_key(shapes_key, limits), next_class_);
  if (!is_new) return at->second;
  ++next_class_;
  PendingClass& made = classes[at->second];
  made.shapes = share_shapes(std::move(shapes), shapes_key);
  made.limits = std::move(limits);
  for (std::size_t i = 0; i < made.limits.size(); ++i)
    made.limits[i].least = least_amounts_of((*made.shapes)[i]);
  return at->second;
}

namespace {
QueueGroup group_of(const JobRecord& record) {
  return {record.priority_asked, record.nice, record.association, record.qos};
}
}  // namespace

void State::enqueue(JobId id, const std::vector<PartitionChoice>& choices) {
  ASSERT(!choices.empty());
  dequeue(id);
  const JobEntry& entry = *find_job(id);
  ASSERT(entry.record.state == JobState::pending);
  const std::uint32_t class_id = class_of(choices, entry);
  PendingClass& pending = classes[class_id];
  pending.groups[group_of(entry.record)].emplace(queued_since(*ranking, entry.record), id);
  pending.is_stale = true;
  jobs.edit(id.value).class_id = class_id;
  plan_wanted = true;
  ++version;
}

void State::dequeue(JobId id) {
  const JobEntry* entry = find_job(id);
  if (!entry || entry->class_id == 0) return;
  const std::uint32_t class_id = entry->class_id;
  auto at = classes.find(class_id);
  ASSERT(at != classes.end());
  auto group = at->second.groups.find(group_of(entry->record));
  ASSERT(group != at->second.groups.end());
  const std::size_t erased = group->second.erase({queued_since(*ranking, entry->record), id});
  ASSERT(erased == 1);
  if (group->second.empty()) at->second.groups.erase(group);
  at->second.is_stale = true;
  if (at->second.groups.empty()) {
    class_by_key_.erase(class_key(key_of(*at->second.shapes), at->second.limits));
    classes.erase(at);
    waits.erase(class_id);
  }
  jobs.edit(id.value).class_id = 0;
  ++version;
}

void State::set_ranking(std::shared_ptr<const Ranking> changed) {
  const bool goes_otherwise = !queues_alike(*ranking, *changed);
  ranking = std::move(changed);
  for (auto& [class_id, pending] : classes) {
    pending.is_outranked = true;
    if (!goes_otherwise) continue;
    for (auto& [group, places] : pending.groups) {
      std::set<std::pair<WallTime, JobId>> moved;
      for (const auto& [since, id] : places) moved.emplace(queued_since(*ranking, job(id)), id);
      places = std::move(moved);
    }
  }
  if (classes.empty()) return;
  plan_wanted = true;
  ++version;
}

std::uint32_t State::tasks_startable(const JobRecord& record) const {
  if (!record.array) return 1;
  std::uint64_t count = record.array->task ? 1 : record.array->waiting.size();
  if (record.array->max_running > 0) {
    auto tasks = arrays.find(record.array->array_id);
    const std::uint32_t running = tasks == arrays.end() ? 0 : tasks->second.running;
    count = std::min<std::uint64_t>(
        count, record.array->max_running > running ? record.array->max_running - running : 0);
  }
  return static_cast<std::uint32_t>(count);
}

namespace {

// The jobs of a class by priority; equal ones by age, then id.
class InOrder {
 public:
  InOrder(const State& state, const PendingClass& pending) : state_(state) {
    for (const auto& [group, places] : pending.groups)
      push({GroupPriority(*state.ranking, state.job(places.begin()->second)), places.begin(),
            places.end(), 0});
  }
  bool empty() const { return cursors_.empty(); }
  // The first of those that are left, with its priority.
  std::pair<JobId, std::uint64_t> take() {
    std::pop_heap(cursors_.begin(), cursors_.end(), goes_later);
    Cursor cursor = std::move(cursors_.back());
    cursors_.pop_back();
    const std::pair<JobId, std::uint64_t> first{cursor.at->second, cursor.priority};
    if (++cursor.at != cursor.end) push(std::move(cursor));
    return first;
  }

 private:
  using Place = std::set<std::pair<WallTime, JobId>>::const_iterator;
  struct Cursor {
    GroupPriority priority_of;
    Place at;
    Place end;
    std::uint64_t priority;
  };
  static bool goes_later(const Cursor& a, const Cursor& b) {
    return std::tuple(~a.priority, *a.at) > std::tuple(~b.priority, *b.at);
  }
  void push(Cursor cursor) {
    cursor.priority = cursor.priority_of.of(state_.job(cursor.at->second));
    cursors_.push_back(std::move(cursor));
    std::push_heap(cursors_.begin(), cursors_.end(), goes_later);
  }

  const State& state_;
  std::vector<Cursor> cursors_;
};

}  // namespace

void State::sort_heads(PendingClass& pending) const {
  constexpr std::size_t heads_max = 1024;  // of one class; the plan says when there are more
  const std::uint32_t tier = tier_of(*config, pending.shapes->front().partition);
  std::vector<PendingJob> heads;
  pending.cut = false;
  for (InOrder jobs_left(*this, pending); !jobs_left.empty();) {
    pending.cut = heads.size() == heads_max;
    if (pending.cut) break;
    const auto [id, priority] = jobs_left.take();
    const JobRecord& record = job(id);
    if (const std::uint32_t copies = tasks_startable(record); copies > 0)
      heads.push_back({id, in_line(tier, priority), copies, record.times.submitted});
  }
  pending.heads = SharedList<PendingJob>(std::move(heads));
  pending.is_stale = false;
  pending.is_outranked = false;
}

// Of a class that changed. When priorities are others all have changed: then some with each view,
// the rest as they were before.
void State::refresh_heads() {
  constexpr std::size_t jobs_max = 8192;
  std::size_t sorted = 0;
  bool is_behind = false;
  for (auto& [class_id, pending] : classes) {
    if (!pending.is_stale && (!pending.is_outranked || sorted >= jobs_max)) {
      is_behind = is_behind || pending.is_outranked;
      continue;
    }
    sort_heads(pending);
    sorted += pending.heads.size();
  }
  if (!is_behind) return;
  plan_wanted = true;
  ++version;
}

namespace {

// The first of them, of which so many may start.
SharedList<PendingJob> first_of(const SharedList<PendingJob>& heads, std::uint64_t room) {
  std::vector<PendingJob> first;
  for (PendingJob head : heads) {
    if (room == 0) break;
    head.copies = static_cast<std::uint32_t>(std::min<std::uint64_t>(head.copies, room));
    room -= head.copies;
    first.push_back(head);
  }
  return first;
}

}  // namespace

View State::make_view(const Now& now) {
  refresh_heads();
  View view{.version = version, .now = now.wall, .rules = config->planning, .nodes = node_views,
            .holds = holds, .partitions = partitions, .licenses = config->licenses,
            .licenses_used = licenses_used, .license_holds = {}, .classes = {},
            .promises = promises, .reservations = reservation_views};
  for (const auto& [id, hold] : license_holds) view.license_holds.push_back(hold);
  view.classes.reserve(classes.size());
  for (const auto& [class_id, pending] : classes) {
    ClassView of{.class_id = class_id, .shapes = pending.shapes, .heads = pending.heads,
                 .cut = pending.cut};
    // What limits let nobody start shall neither be started nor be booked.
    const std::vector<std::uint64_t> rooms = startable_by_limits(*this, pending);
    if (!rooms.empty()) {
      const std::uint64_t most = *std::max_element(rooms.begin(), rooms.end());
      if (most < no_limit_near) of.heads = first_of(of.heads, most);
      if (*std::min_element(rooms.begin(), rooms.end()) == 0)
        for (const std::uint64_t room : rooms) of.shut.push_back(room == 0);
    }
    if (!of.heads.empty()) view.classes.push_back(std::move(of));
  }
  return view;
}

// --- rows for the store ------------------------------------------------------------------------

bool State::has_dirty_rows() const {
  return !dirty_jobs_.empty() || !dirty_nodes_.empty() || !dirty_steps_.empty() || !extra.empty();
}

void State::forget_dirty() {
  dirty_jobs_.clear();
  dirty_steps_.clear();
  dirty_nodes_.clear();
  extra = {};
}

StoreBatch State::take_batch() {
  StoreBatch batch = std::exchange(extra, {});
  batch.jobs.reserve(batch.jobs.size() + dirty_jobs_.size());
  for (JobId id : dirty_jobs_) batch.jobs.push_back(share_record(jobs, id));
  for (NodeId id : dirty_nodes_) {
    std::shared_ptr<const NodeEntry> entry = nodes.share(id.value);
    const NodeRecord* record = &entry->record;
    batch.nodes.emplace_back(std::move(entry), record);
  }
  for (const StepId& id : dirty_steps_) {
    JobSteps& of_job = edit_steps(id.job);
    const auto at = of_job.open.find(id.step);
    batch.steps.push_back(at->second);
    if (at->second->state == StepState::ended) of_job.open.erase(at);
  }
  dirty_jobs_.clear();
  dirty_nodes_.clear();
  dirty_steps_.clear();
  return batch;
}

Snapshot State::snapshot() const {
  return {snapshot_number, jobs,   nodes,    node_views,   waits,    promises, jobs_of_user,
          licenses_used,   config, accounts, reservations, ranking, next_job, totals, steps};
}

}  // namespace sluice
