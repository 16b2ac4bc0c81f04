// id_floor.h: job ids are given out only from blocks that were reserved on disk first, in a small
// synced file beside the state file. So no id is ever given twice, also when the state file is
// restored from a backup or the last commits were lost with an answer already on its way.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/ids.h"
#include "common/base/result.h"
#include "common/model/rows.h"

namespace sluice {

// What the file says.
struct FloorRecord {
  JobId floor{1};                   // the lowest id that was never reserved
  std::vector<IdBlock> unrecorded;  // LoadedState::unrecorded; ascending, apart from each other
  bool is_restored = false;         // LoadedState::is_restored

  bool operator==(const FloorRecord&) const = default;
};

// Pure: the next block of up to `count` ids at or above both. Shorter near the end of ids.
// Errors: limit_exceeded when no id is left below 2^31.
Result<IdBlock> next_block(JobId floor, JobId lowest, std::uint32_t count);

// Pure: text of the file and back. Errors: io_error when it is not such a text.
std::string floor_to_text(const FloorRecord& record);
Result<FloorRecord> floor_from_text(std::string_view text);

// Pure: the record when a state file with jobs up to `highest_before` (nullopt: it cannot be read)
// gives way to one with jobs up to `highest_restored`. The floor never falls, and what lies between
// is unrecorded from now on.
FloorRecord floor_after_restore(const FloorRecord& before, std::optional<JobId> highest_before,
                                JobId highest_restored);

// A small value on disk that is replaced as a whole.
class DurableValue {
 public:
  virtual ~DurableValue() = default;
  virtual Result<std::optional<std::string>> read() = 0;  // nullopt: never written
  virtual Result<void> replace(const std::string& bytes) = 0;
};

// The value as a file (replace_file).
std::unique_ptr<DurableValue> make_durable_file(std::string path);

class IdFloor {
 public:
  // `highest` is the highest job of the state file. An unreadable file is an error: guessing could
  // give an id twice.
  static Result<IdFloor> open(std::unique_ptr<DurableValue> file, JobId highest);

  // The lowest id that was never reserved.
  JobId floor() const { return record_.floor; }
  const std::vector<IdBlock>& unrecorded() const { return record_.unrecorded; }
  bool is_restored() const { return record_.is_restored; }
  // The restore is over: the next start is one like any other. Errors: io_error.
  Result<void> forget_restore();
  // Durable when it returns. `lowest`: no id below it is wanted (FirstJobId, ids that agents report
  // plus one). Errors: limit_exceeded, io_error.
  Result<IdBlock> reserve_block(JobId lowest, std::uint32_t count);

 private:
  IdFloor(std::unique_ptr<DurableValue> file, FloorRecord record)
      : file_(std::move(file)), record_(std::move(record)) {}

  Result<void> replace(FloorRecord record);

  std::unique_ptr<DurableValue> file_;
  FloorRecord record_;
};

}  // namespace sluice
