// run_file.cpp: offsets, checksums and the lock of a run's file.
#include "agent/exec/run_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "common/wire/codec.h"

namespace sluice::agent {
namespace {

constexpr char magic[8] = {'S', 'L', 'U', 'R', 'U', 'N', '1', '\n'};
constexpr off_t mark_offset = 64;
constexpr off_t limit_offset = 256;
constexpr off_t kill_offset = 512;
constexpr off_t exit_offset = 2048;
constexpr off_t order_offset = 4096;
// An order carries a script's environment at most; more is not an order.
constexpr std::uint64_t order_bytes_max = 64ULL << 20;

struct AreaHead {
  std::uint32_t bytes = 0;
  std::uint32_t checksum = 0;
};

std::uint32_t checksum_of(std::string_view bytes) {
  std::uint64_t hash = 0x9e3779b97f4a7c15ULL ^ bytes.size();
  while (bytes.size() >= 8) {
    std::uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    hash = (hash ^ word) * 0xff51afd7ed558ccdULL;
    hash ^= hash >> 32;
    bytes.remove_prefix(8);
  }
  for (const char c : bytes) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3ULL;
  // Never 0: an area of zeros is an empty one.
  return static_cast<std::uint32_t>(hash ^ (hash >> 32)) | 1U;
}

std::string area_bytes(std::string_view content) {
  const AreaHead head{static_cast<std::uint32_t>(content.size()), checksum_of(content)};
  std::string bytes(sizeof head, '\0');
  std::memcpy(bytes.data(), &head, sizeof head);
  bytes += content;
  return bytes;
}

std::optional<std::string> read_area(int fd, off_t offset, std::uint64_t bytes_max) {
  AreaHead head;
  if (pread(fd, &head, sizeof head, offset) != sizeof head) return std::nullopt;
  if (head.checksum == 0 || head.bytes > bytes_max) return std::nullopt;
  std::string content(head.bytes, '\0');
  std::size_t have = 0;
  while (have < content.size()) {
    const ssize_t size =
        pread(fd, content.data() + have, content.size() - have,
              offset + static_cast<off_t>(sizeof head) + static_cast<off_t>(have));
    if (size < 0 && errno == EINTR) continue;
    if (size <= 0) return std::nullopt;
    have += static_cast<std::size_t>(size);
  }
  if (checksum_of(content) != head.checksum) return std::nullopt;
  return content;
}

// The record in the area from `offset` to `end`; none: there is none yet.
template <class Record>
std::optional<Record> read_record(int fd, off_t offset, off_t end) {
  const auto bytes = read_area(fd, offset, static_cast<std::uint64_t>(end - offset));
  if (!bytes) return std::nullopt;
  auto record = from_bytes<Record>(*bytes);
  if (!record) return std::nullopt;
  return std::move(*record);
}

Result<void> write_at(int fd, off_t offset, std::string_view bytes) {
  if (pwrite(fd, bytes.data(), bytes.size(), offset) != static_cast<ssize_t>(bytes.size()))
    return system_error("write", "a record of a run in the spool");
  return {};
}

void cut_text(std::string& text) {
  if (text.size() > cause_text_bytes_max) text.resize(cause_text_bytes_max);
}

}  // namespace

Result<RunFile> RunFile::create(const std::string& path, const SpooledRun& run) {
  File file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file) return system_error("create", path);
  const std::string order = area_bytes(to_bytes(run));
  std::string head(static_cast<std::size_t>(order_offset), '\0');
  std::memcpy(head.data(), magic, sizeof magic);
  if (!write_all(file.fd(), head) || !write_all(file.fd(), order))
    return system_error("write", path);
  return RunFile{std::move(file)};
}

Result<RunFile> RunFile::open(const std::string& path) {
  File file{::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW)};
  if (!file) return system_error("open", path);
  return RunFile{std::move(file)};
}

Result<SpooledRun> RunFile::order() const {
  char start[sizeof magic] = {};
  if (pread(file_.fd(), start, sizeof start, 0) != sizeof start ||
      std::memcmp(start, magic, sizeof magic) != 0)
    return Error{ErrorCode::protocol_error, "not the file of a run"};
  const auto bytes = read_area(file_.fd(), order_offset, order_bytes_max);
  if (!bytes) return Error{ErrorCode::protocol_error, "the order was not written whole"};
  return from_bytes<SpooledRun>(*bytes);
}

ShepherdMark RunFile::mark() const {
  ShepherdMark mark;
  if (pread(file_.fd(), &mark, sizeof mark, mark_offset) != sizeof mark) return {};
  return mark;
}

std::optional<SetTimeLimit> RunFile::time_limit() const {
  return read_record<SetTimeLimit>(file_.fd(), limit_offset, kill_offset);
}

std::optional<KillRun> RunFile::kill_order(RunId id) const {
  auto order = read_record<KillRun>(file_.fd(), kill_offset, exit_offset);
  return order && order->id == id ? std::move(order) : std::nullopt;
}

std::optional<ExitRecord> RunFile::exit() const {
  return read_record<ExitRecord>(file_.fd(), exit_offset, order_offset);
}

Result<void> RunFile::write_mark(const ShepherdMark& mark) {
  return write_at(file_.fd(), mark_offset,
                  {reinterpret_cast<const char*>(&mark), sizeof mark});
}

Result<void> RunFile::write_time_limit(const SetTimeLimit& order) {
  return write_at(file_.fd(), limit_offset, area_bytes(to_bytes(order)));
}

Result<void> RunFile::write_kill_order(KillRun order) {
  cut_text(order.cause.text);
  return write_at(file_.fd(), kill_offset, area_bytes(to_bytes(order)));
}

Result<void> RunFile::write_exit(ExitRecord record) {
  cut_text(record.cause.text);
  const std::string bytes = area_bytes(to_bytes(record));
  ASSERT(bytes.size() <= static_cast<std::size_t>(order_offset - exit_offset));
  return write_at(file_.fd(), exit_offset, bytes);
}

bool RunFile::try_lock() {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return fcntl(file_.fd(), F_SETLK, &lock) == 0;
}

std::optional<pid_t> RunFile::holder() const {
  struct flock lock {};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  if (fcntl(file_.fd(), F_GETLK, &lock) != 0 || lock.l_type == F_UNLCK) return std::nullopt;
  return lock.l_pid;
}

bool RunFile::sync() const { return fdatasync(file_.fd()) == 0; }

}  // namespace sluice::agent
