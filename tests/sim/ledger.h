// ledger.h: what the world outside the controller saw: answers that clients got, scripts that ran where.
// Holds the controller's state against it. A broken promise is thrown as Violation.
#pragma once

#include <cstdint>
#include <map>
#include <set>
#include <string>

#include "common/model/run.h"

namespace sluice {
class State;
class HistoryReader;
struct JobRecord;
}  // namespace sluice

namespace sluice::sim {

struct Violation {
  std::string text;
};

class Ledger {
 public:
  // A client was told `job` for this key.
  void on_accepted(const std::string& key, JobId job, std::uint64_t tasks);
  // A part of a run: the script's first instruction, its last, and how it ended by itself.
  void on_part_alive(const RunId& id, const std::string& node, PartRole role);
  void on_part_gone(const RunId& id, const std::string& node);
  void on_part_paused(const RunId& id, const std::string& node) { on_part_gone(id, node); }
  void on_part_goes_on(const RunId& id, const std::string& node, PartRole role);
  void on_script_ended(const RunId& id, const ExitStatus& status) { ends_[id] = status; }

  // After every step of the controller; cheap.
  void check_state(const State& state);
  // Nothing that was accepted is missing from memory and history together.
  void check_nothing_lost(const State& state, HistoryReader& history) const;
  // When all is quiet: every job ended, with a cause or an exit that was seen, every run is accounted
  // for, every task of every array exists once.
  void check_ends(const State& state, HistoryReader& history) const;

  const std::map<JobId, std::string>& accepted() const { return key_of_job_; }
  bool anything_alive() const { return !alive_.empty(); }

 private:
  struct Alive {
    RunNumber run;
    std::map<std::string, PartRole> nodes;
  };
  void check_end(const JobRecord& record) const;

  std::map<std::string, JobId> job_of_key_;
  std::map<JobId, std::string> key_of_job_;
  std::map<JobId, std::uint64_t> tasks_of_array_;
  std::set<JobId> seen_ended_;
  std::map<JobId, Alive> alive_;
  std::set<std::pair<RunId, std::string>> started_;
  std::map<RunId, ExitStatus> ends_;
};

}  // namespace sluice::sim
