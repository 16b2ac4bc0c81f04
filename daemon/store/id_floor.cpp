// id_floor.cpp: see id_floor.h.
#include "daemon/store/id_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/base/file.h"

namespace sluice {
namespace {

constexpr std::string_view file_head = "sluice id floor 1\n";

class DurableFile : public DurableValue {
 public:
  explicit DurableFile(std::string path) : path_(std::move(path)) {}
  Result<std::optional<std::string>> read() override { return read_file(path_, 4096); }
  Result<void> replace(const std::string& bytes) override { return replace_file(path_, bytes); }

 private:
  const std::string path_;
};

}  // namespace

Result<IdBlock> next_block(JobId floor, JobId lowest, std::uint32_t count) {
  const std::uint32_t first = std::max({floor.value, lowest.value, 1U});
  if (first >= job_id_end)
    return Error{ErrorCode::limit_exceeded,
                 fmt::format("no job id is left below {}", job_id_end)};
  const std::uint32_t end = first + std::min(std::max(count, 1U), job_id_end - first);
  return IdBlock{JobId{first}, JobId{end}};
}

std::string floor_to_text(JobId floor) { return fmt::format("{}{}\n", file_head, floor.value); }

Result<JobId> floor_from_text(std::string_view text) {
  const auto refusal = [&] {
    return Error{ErrorCode::io_error, fmt::format("not an id floor: \"{}\"", text.substr(0, 40))};
  };
  if (!text.starts_with(file_head) || !text.ends_with('\n')) return refusal();
  const std::string_view digits = text.substr(file_head.size(), text.size() - file_head.size() - 1);
  std::uint32_t value = 0;
  const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (code != std::errc{} || end != digits.data() + digits.size() || value > job_id_end)
    return refusal();
  return JobId{value};
}

std::unique_ptr<DurableValue> make_durable_file(std::string path) {
  return std::make_unique<DurableFile>(std::move(path));
}

Result<IdFloor> IdFloor::open(std::unique_ptr<DurableValue> file, JobId highest) {
  JobId floor{highest.value + 1};
  const std::optional<std::string> text = TRY(file->read());
  if (text) floor = std::max(floor, TRY(floor_from_text(*text)));
  return IdFloor(std::move(file), floor);
}

Result<IdBlock> IdFloor::reserve_block(JobId lowest, std::uint32_t count) {
  const IdBlock block = TRY(next_block(floor_, lowest, count));
  TRY(file_->replace(floor_to_text(block.end)));
  floor_ = block.end;
  return block;
}

}  // namespace sluice
