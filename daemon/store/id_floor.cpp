// id_floor.cpp: see id_floor.h.
#include "daemon/store/id_floor.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "common/base/file.h"

namespace sluice {
namespace {

constexpr std::string_view file_head = "sluice id floor 1\n";
constexpr std::size_t file_bytes_max = 1 << 16;
constexpr std::string_view block_word = "unrecorded ";
constexpr std::string_view restored_line = "restored\n";

// Digits up to `end`, which is taken too.
bool take_id(std::string_view& text, char end, JobId& id) {
  const auto [rest, code] = std::from_chars(text.data(), text.data() + text.size(), id.value);
  const auto digits = static_cast<std::size_t>(rest - text.data());
  if (code != std::errc{} || id.value > job_id_end || digits == text.size()) return false;
  if (text[digits] != end) return false;
  text.remove_prefix(digits + 1);
  return true;
}

// Ascending blocks, those that touch made one.
std::vector<IdBlock> joined(const std::vector<IdBlock>& blocks) {
  std::vector<IdBlock> apart;
  for (const IdBlock& block : blocks) {
    if (apart.empty() || apart.back().end < block.first) apart.push_back(block);
    else apart.back().end = std::max(apart.back().end, block.end);
  }
  return apart;
}

class DurableFile : public DurableValue {
 public:
  explicit DurableFile(std::string path) : path_(std::move(path)) {}
  Result<std::optional<std::string>> read() override { return read_file(path_, file_bytes_max); }
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

std::string floor_to_text(const FloorRecord& record) {
  std::string text = fmt::format("{}{}\n", file_head, record.floor.value);
  if (record.is_restored) text += restored_line;
  for (const IdBlock& block : record.unrecorded)
    text += fmt::format("{}{} {}\n", block_word, block.first.value, block.end.value);
  return text;
}

Result<FloorRecord> floor_from_text(std::string_view text) {
  const Error refusal{ErrorCode::io_error,
                      fmt::format("not an id floor: \"{}\"", text.substr(0, 40))};
  if (!text.starts_with(file_head)) return refusal;
  text.remove_prefix(file_head.size());
  FloorRecord record;
  if (!take_id(text, '\n', record.floor)) return refusal;
  record.is_restored = text.starts_with(restored_line);
  if (record.is_restored) text.remove_prefix(restored_line.size());
  while (!text.empty()) {
    if (!text.starts_with(block_word)) return refusal;
    text.remove_prefix(block_word.size());
    IdBlock block;
    if (!take_id(text, ' ', block.first) || !take_id(text, '\n', block.end)) return refusal;
    record.unrecorded.push_back(block);
  }
  return record;
}

FloorRecord floor_after_restore(const FloorRecord& before, std::optional<JobId> highest_before,
                                JobId highest_restored) {
  FloorRecord after = before;
  after.is_restored = true;
  const JobId first{highest_restored.value + 1};
  after.floor = std::max(after.floor, first);
  if (highest_before) after.floor = std::max(after.floor, JobId{highest_before->value + 1});
  if (first < after.floor) after.unrecorded.push_back({first, after.floor});
  std::sort(after.unrecorded.begin(), after.unrecorded.end(),
            [](const IdBlock& left, const IdBlock& right) { return left.first < right.first; });
  after.unrecorded = joined(after.unrecorded);
  return after;
}

std::unique_ptr<DurableValue> make_durable_file(std::string path) {
  return std::make_unique<DurableFile>(std::move(path));
}

Result<IdFloor> IdFloor::open(std::unique_ptr<DurableValue> file, JobId highest) {
  FloorRecord record;
  const std::optional<std::string> text = TRY(file->read());
  if (text) record = TRY(floor_from_text(*text));
  record.floor = std::max(record.floor, JobId{highest.value + 1});
  return IdFloor(std::move(file), std::move(record));
}

Result<IdBlock> IdFloor::reserve_block(JobId lowest, std::uint32_t count) {
  const IdBlock block = TRY(next_block(record_.floor, lowest, count));
  FloorRecord raised = record_;
  raised.floor = block.end;
  TRY(replace(std::move(raised)));
  return block;
}

Result<void> IdFloor::forget_restore() {
  FloorRecord settled = record_;
  settled.is_restored = false;
  return replace(std::move(settled));
}

Result<void> IdFloor::replace(FloorRecord record) {
  TRY(file_->replace(floor_to_text(record)));
  record_ = std::move(record);
  return {};
}

}  // namespace sluice
