// fault_disk.cpp: see fault_disk.h.
#include "tests/sim/fault_disk.h"

#include <algorithm>

namespace sluice::sim {
namespace {

constexpr std::size_t sector_bytes = 512;

struct Change {
  std::uint64_t offset = 0;
  std::string bytes;
  std::optional<std::uint64_t> new_size;  // a truncation: offset and bytes mean nothing
};

using Random = std::mt19937_64;

void put(std::string& content, std::uint64_t offset, std::string_view bytes) {
  if (content.size() < offset + bytes.size()) content.resize(offset + bytes.size());
  content.replace(offset, bytes.size(), bytes);
}

void apply(std::string& content, const Change& change) {
  if (change.new_size) content.resize(*change.new_size);
  else put(content, change.offset, change.bytes);
}

// Each part that lies in one sector arrives or does not.
void apply_torn(std::string& content, const Change& change, Random& random) {
  std::string_view bytes = change.bytes;
  std::uint64_t offset = change.offset;
  while (!bytes.empty()) {
    const std::size_t part = std::min(bytes.size(), sector_bytes - offset % sector_bytes);
    if (random() % 2 == 0) put(content, offset, bytes.substr(0, part));
    bytes.remove_prefix(part);
    offset += part;
  }
}

bool has_truncation(const std::vector<Change>& changes) {
  return std::any_of(changes.begin(), changes.end(),
                     [](const Change& change) { return change.new_size.has_value(); });
}

// Losses come in kinds, because a uniform mixture hides the extremes: nothing arrived, all arrived,
// a beginning, anything.
void lose_some(std::string& content, std::vector<Change> changes, Random& random) {
  const std::uint64_t kind = random() % 4;
  if (kind == 0) return;
  if (kind == 1) changes.resize(random() % (changes.size() + 1));
  if (kind == 2 && !has_truncation(changes)) std::shuffle(changes.begin(), changes.end(), random);
  for (const Change& change : changes) {
    const std::uint64_t fate = kind == 1 ? 0 : random() % 3;
    if (fate == 0) apply(content, change);
    if (fate == 1 && !change.new_size) apply_torn(content, change, random);
  }
}

}  // namespace

class FaultDisk::File {
 public:
  explicit File(std::uint64_t made_in) : epoch(made_in) {}

  std::string content;  // as programs see it
  std::string synced;   // as it is on the disk for certain
  std::vector<Change> unsynced;
  std::uint64_t epoch;
};

bool FaultDisk::is_dead(const File& file) const {
  return file.epoch != epoch_ || operations_left_ == 0;
}

bool FaultDisk::spend_operation(const File* file) {
  if ((file && is_dead(*file)) || operations_left_ == 0) return false;
  if (operations_left_) --*operations_left_;
  ++operations_;
  return operations_left_ != 0;
}

FaultDisk::Handle FaultDisk::open(const std::string& name, bool create) {
  const std::lock_guard guard(mutex_);
  if (operations_left_ == 0) return nullptr;
  if (const auto found = names_.find(name); found != names_.end()) return found->second;
  if (!create || !spend_operation(nullptr)) return nullptr;
  const Handle made = std::make_shared<File>(epoch_);
  names_[name] = made;
  name_changes_.push_back({{name, made}});
  return made;
}

FaultDisk::Handle FaultDisk::open_unnamed() {
  const std::lock_guard guard(mutex_);
  return std::make_shared<File>(epoch_);
}

bool FaultDisk::exists(const std::string& name) {
  const std::lock_guard guard(mutex_);
  return names_.contains(name);
}

DiskStatus FaultDisk::read(File& file, std::uint64_t offset, std::size_t size,
                           std::string& bytes) {
  const std::lock_guard guard(mutex_);
  if (is_dead(file)) return DiskStatus::power_lost;
  bytes = offset < file.content.size() ? file.content.substr(offset, size) : "";
  return DiskStatus::ok;
}

DiskStatus FaultDisk::write(File& file, std::uint64_t offset, std::string_view bytes) {
  const std::lock_guard guard(mutex_);
  if (is_dead(file)) return DiskStatus::power_lost;
  put(file.content, offset, bytes);
  // A write during which the power goes may be on the disk in part.
  file.unsynced.push_back({offset, std::string(bytes), std::nullopt});
  return spend_operation(&file) ? DiskStatus::ok : DiskStatus::power_lost;
}

DiskStatus FaultDisk::truncate(File& file, std::uint64_t size) {
  const std::lock_guard guard(mutex_);
  if (!spend_operation(&file)) return DiskStatus::power_lost;
  file.content.resize(size);
  file.unsynced.push_back({0, "", size});
  return DiskStatus::ok;
}

DiskStatus FaultDisk::size(File& file, std::uint64_t& size) {
  const std::lock_guard guard(mutex_);
  if (is_dead(file)) return DiskStatus::power_lost;
  size = file.content.size();
  return DiskStatus::ok;
}

DiskStatus FaultDisk::sync(File& file) {
  const std::lock_guard guard(mutex_);
  if (!spend_operation(&file)) return DiskStatus::power_lost;
  for (const Change& change : file.unsynced) apply(file.synced, change);
  file.unsynced.clear();
  return DiskStatus::ok;
}

DiskStatus FaultDisk::remove(const std::string& name) {
  const std::lock_guard guard(mutex_);
  if (!spend_operation(nullptr)) return DiskStatus::power_lost;
  if (names_.erase(name) == 0) return DiskStatus::no_such_file;
  name_changes_.push_back({{name, nullptr}});
  return DiskStatus::ok;
}

DiskStatus FaultDisk::rename(const std::string& from, const std::string& to) {
  const std::lock_guard guard(mutex_);
  if (!spend_operation(nullptr)) return DiskStatus::power_lost;
  const auto found = names_.find(from);
  if (found == names_.end()) return DiskStatus::no_such_file;
  const Handle file = found->second;
  names_.erase(found);
  names_[to] = file;
  name_changes_.push_back({{from, nullptr}, {to, file}});
  return DiskStatus::ok;
}

DiskStatus FaultDisk::sync_folder() {
  const std::lock_guard guard(mutex_);
  if (!spend_operation(nullptr)) return DiskStatus::power_lost;
  synced_names_ = names_;
  name_changes_.clear();
  return DiskStatus::ok;
}

bool FaultDisk::is_off() {
  const std::lock_guard lock(mutex_);
  return operations_left_ == 0;
}

void FaultDisk::cut_power_at(std::uint64_t operation) {
  const std::lock_guard guard(mutex_);
  operations_left_ = operation;
}

void FaultDisk::power_loss(std::uint64_t seed) {
  const std::lock_guard guard(mutex_);
  Random random(seed);
  ++epoch_;
  operations_left_.reset();
  // A journalling file system keeps the order of names, others may not.
  const bool is_ordered = random() % 2 == 0;
  const std::size_t arrived = random() % (name_changes_.size() + 1);
  for (std::size_t i = 0; i < name_changes_.size(); ++i) {
    if (is_ordered ? i >= arrived : random() % 2 == 0) continue;
    for (const NameChange& change : name_changes_[i]) {
      if (change.file) synced_names_[change.name] = change.file;
      else synced_names_.erase(change.name);
    }
  }
  name_changes_.clear();
  names_.clear();
  for (auto& [name, file] : synced_names_) {
    // A fresh object: handles from before the loss must not reach it.
    auto found = std::make_shared<File>(epoch_);
    found->synced = file->synced;
    lose_some(found->synced, file->unsynced, random);
    found->content = found->synced;
    file = found;
    names_[name] = found;
  }
}

std::uint64_t FaultDisk::operations() {
  const std::lock_guard guard(mutex_);
  return operations_;
}

}  // namespace sluice::sim
