// store_support.h: makes records and batches for tests of the store, and a model of what the store
// should hold after them.
#pragma once

#include <sys/stat.h>
#include <unistd.h>
#include <algorithm>
#include <catch2/catch.hpp>
#include <filesystem>
#include <fstream>
#include <map>
#include <random>
#include <set>
#include <sstream>
#include <string>

#include "daemon/store/sqlite_store.h"

namespace sluice::store_test {

// A folder that goes with the test.
class ScratchFolder {
 public:
  ScratchFolder() {
    std::string pattern = std::filesystem::temp_directory_path() / "sluice-store-XXXXXX";
    path_ = ::mkdtemp(pattern.data());
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

inline JobSpec make_spec(const std::string& name, std::uint32_t uid) {
  JobSpec spec;
  spec.name = name;
  spec.uid = uid;
  spec.user = "user" + std::to_string(uid);
  spec.batch.script_id = std::string(64, 'a');
  spec.batch.work_dir = "/home/" + spec.user;
  return spec;
}

inline StoredSpec stored(std::uint64_t id, JobSpec spec) {
  return {SpecId{id}, std::make_shared<const JobSpec>(std::move(spec))};
}

inline JobRecord make_job(std::uint32_t id, std::uint64_t spec, std::int64_t submitted_s = 1000) {
  JobRecord job;
  job.id = JobId{id};
  job.spec = SpecId{spec};
  job.partition = "main";
  job.priority = 100 + id;
  job.times.submitted = wall_from_us(submitted_s * 1'000'000);
  return job;
}

inline JobRecord started(JobRecord job, std::int64_t at_s, const std::string& node = "n1") {
  job.state = JobState::running;
  job.times.started = wall_from_us(at_s * 1'000'000);
  job.allocation.shares = {{node, 1, 1, 100, {}}};
  return job;
}

inline JobRecord ended(JobRecord job, std::int64_t at_s, Outcome outcome = Outcome::completed) {
  job.state = JobState::ended;
  job.times.ended = wall_from_us(at_s * 1'000'000);
  job.end = JobEnd{outcome, {}, {}};
  return job;
}

inline JobRecordPtr shared(JobRecord job) {
  return std::make_shared<const JobRecord>(std::move(job));
}

// --- stores that must work

inline StoreOptions fast_options(const ScratchFolder& folder) {
  return {.path = folder.path() + "/state.db", .synchronous_full = false};
}

inline std::unique_ptr<Store> must_open(const StoreOptions& options) {
  Result<std::unique_ptr<Store>> store = open_store(options);
  if (!store.ok()) FAIL(to_text(store.error()));
  return std::move(store).value();
}

inline void must_commit(Store& store, const StoreBatch& batch) {
  const Result<void> done = store.commit(batch);
  if (!done.ok()) FAIL(to_text(done.error()));
}

inline LoadedState must_load(Store& store) {
  Result<LoadedState> state = store.load_all();
  if (!state.ok()) FAIL(to_text(state.error()));
  return std::move(state).value();
}

inline std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

inline mode_t mode_of(const std::string& path) {
  struct stat found {};
  return ::stat(path.c_str(), &found) == 0 ? found.st_mode & 07777 : 0;
}

inline StoreBatch one_submit() {
  StoreBatch batch;
  batch.specs = {stored(1, make_spec("first", 1000))};
  batch.jobs = {shared(make_job(1, 1))};
  return batch;
}

// --- what they must hold

// What load_all() must give after the batches that were applied.
class Model {
 public:
  void apply(const StoreBatch& batch) {
    for (const StoredSpec& spec : batch.specs) specs_[spec.id] = *spec.spec;
    for (const JobRecordPtr& job : batch.jobs) {
      live_[job->id] = *job;
      highest_job_ = std::max(highest_job_, job->id);
    }
    for (const SubmitKey& key : batch.keys) keys_[key.job] = key.key;
    for (const NodeRecordPtr& node : batch.nodes) {
      if (!nodes_.contains(node->name)) node_order_.push_back(node->name);
      nodes_[node->name] = *node;
    }
    for (const Account& account : batch.accounts) book_.accounts[account.name] = account;
    for (const AccountUser& user : batch.users) book_.users[user.name] = user;
    for (const Association& row : batch.associations) book_.associations[row.id] = row;
    for (const Qos& qos : batch.qos) book_.qos[qos.id] = qos;
    for (const std::string& name : batch.reservations_removed) reservations_.erase(name);
    for (const Reservation& one : batch.reservations) reservations_[one.name] = one;
    for (const JobId job : batch.retired) {
      live_.erase(job);
      keys_.erase(job);
    }
  }

  bool equals(const LoadedState& state) const {
    return jobs_equal(state) && specs_equal(state) && rest_equal(state);
  }
  const std::map<JobId, JobRecord>& live() const { return live_; }

 private:
  bool jobs_equal(const LoadedState& state) const {
    return state.highest_job == highest_job_ &&
           std::equal(state.jobs.begin(), state.jobs.end(), live_.begin(), live_.end(),
                      [](const JobRecordPtr& got, const auto& want) { return *got == want.second; });
  }
  bool specs_equal(const LoadedState& state) const {
    std::map<SpecId, JobSpec> wanted;
    for (const auto& [id, job] : live_) wanted[job.spec] = specs_.at(job.spec);
    return std::equal(state.specs.begin(), state.specs.end(), wanted.begin(), wanted.end(),
                      [](const StoredSpec& got, const auto& want) {
                        return got.id == want.first && *got.spec == want.second;
                      }) &&
           state.highest_spec == (specs_.empty() ? SpecId{} : specs_.rbegin()->first);
  }
  bool rest_equal(const LoadedState& state) const {
    return std::equal(state.keys.begin(), state.keys.end(), keys_.begin(), keys_.end(),
                      [](const SubmitKey& got, const auto& want) {
                        return got.job == want.first && got.key == want.second;
                      }) &&
           std::equal(state.nodes.begin(), state.nodes.end(), node_order_.begin(),
                      node_order_.end(), [&](const NodeRecordPtr& got, const std::string& name) {
                        return *got == nodes_.at(name);
                      }) &&
           state.accounts == book_ &&
           std::equal(state.reservations.begin(), state.reservations.end(), reservations_.begin(),
                      reservations_.end(),
                      [](const Reservation& got, const auto& want) { return got == want.second; });
  }

  std::map<JobId, JobRecord> live_;
  std::map<SpecId, JobSpec> specs_;
  std::map<JobId, std::string> keys_;
  std::map<std::string, NodeRecord> nodes_;
  std::vector<std::string> node_order_;
  AccountBook book_;
  std::map<std::string, Reservation> reservations_;
  JobId highest_job_;
};

// Random but plausible batches: submits, array tasks, changes of state, requeues, retirements, nodes.
class BatchMaker {
 public:
  explicit BatchMaker(std::uint64_t seed) : random_(seed) {}

  StoreBatch next(const Model& model) {
    StoreBatch batch;
    const std::size_t submits = roll(4);
    for (std::size_t i = 0; i < submits; ++i) add_submit(batch);
    for (const auto& [id, job] : model.live()) {
      if (roll(4) == 0) add_change(batch, job);
      else if (job.state == JobState::ended && roll(3) == 0) batch.retired.push_back(id);
    }
    if (roll(5) == 0) add_node(batch);
    if (roll(3) == 0) add_accounts(batch);
    if (roll(3) == 0) add_reservation(batch);
    batch.audit.push_back({wall_from_us(5), "job_submitted", JobId{next_job_}, "", 7, "a 'text'"});
    return batch;
  }

 private:
  std::size_t roll(std::size_t sides) { return random_() % sides; }

  void add_submit(StoreBatch& batch) {
    if (next_spec_ == 1 || roll(2) == 0) {
      batch.specs.push_back(stored(next_spec_, make_spec("job\xff'" + std::to_string(next_spec_),
                                                         1000 + next_job_ % 3)));
      ++next_spec_;
      auto script = std::make_shared<const std::string>(std::string(roll(9000), '#'));
      batch.blobs.push_back({std::to_string(script->size()), script});
    }
    JobRecord job = make_job(next_job_++, next_spec_ - 1);
    if (roll(3) == 0) {
      job.array = ArrayPlace{job.id, std::nullopt, {}};
      job.array->waiting.ranges = {{0, static_cast<std::uint32_t>(roll(100000)), 1}};
    }
    batch.keys.push_back({std::string("\0\xff", 2) + std::to_string(job.id.value), job.id});
    batch.jobs.push_back(shared(std::move(job)));
  }

  void add_change(StoreBatch& batch, JobRecord job) {
    if (job.state == JobState::pending) job = started(job, 2000);
    else if (job.state == JobState::running) job = ended(job, 3000, Outcome::failed);
    else {
      batch.runs.push_back({{job.id, job.run}, job.times, job.allocation, *job.end, job.usage});
      job.state = JobState::pending;
      job.end.reset();
      job.times.ended.reset();
      ++job.run.value;
    }
    if (job.array && !job.array->task && roll(3) == 0) job.array->task = 5;
    batch.jobs.push_back(shared(std::move(job)));
  }

  void add_node(StoreBatch& batch) {
    NodeRecord node;
    node.name = "node" + std::to_string(roll(20));
    node.weight = static_cast<std::uint32_t>(random_());
    batch.nodes.push_back(std::make_shared<const NodeRecord>(std::move(node)));
  }

  // Of each table a new row or one that replaces another.
  void add_accounts(StoreBatch& batch) {
    const auto number = static_cast<std::uint32_t>(roll(9)) + 1;
    const std::string name = "it's; DROP TABLE qos --" + std::to_string(number);
    batch.accounts.push_back({.name = name, .description = std::to_string(random_()), .organization = "o",
                              .coordinators = {"walter"}, .deleted = roll(2) == 0});
    batch.users.push_back({.name = name, .default_account = name, .default_wckey = {},
                           .admin_level = AdminLevel::Operator, .deleted = roll(2) == 0});
    Association association;
    association.id = AssociationId{number};
    association.account = name;
    association.limits.grp_tres = {{"cpu", random_()}};
    batch.associations.push_back(association);
    Qos qos;
    qos.id = QosId{number};
    qos.name = name;
    qos.flags = {QosFlag::DenyOnLimit};
    batch.qos.push_back(qos);
  }

  void add_reservation(StoreBatch& batch) {
    const std::string name = "r'" + std::to_string(roll(4));
    if (roll(2) == 0) batch.reservations_removed.push_back(name);
    if (roll(3) == 0) return;
    Reservation reservation;
    reservation.name = name;
    reservation.cores = {static_cast<std::uint32_t>(random_())};
    batch.reservations.push_back(reservation);
  }

  std::mt19937_64 random_;
  std::uint32_t next_job_ = 1;
  std::uint64_t next_spec_ = 1;
};

}  // namespace sluice::store_test
