// fault_disk.h: a disk in memory that can lose power. What was written and not synced may then be
// lost, torn by sectors, or kept in another order; what was synced stays. Names are the same:
// creations, deletions and renames last only after the folder was synced. All from a seed.
// One folder; thread safe; no real I/O.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace sluice::sim {

enum class DiskStatus { ok, no_such_file, power_lost };

class FaultDisk {
 public:
  class File;
  // Belongs to the time between two losses of power; afterwards everything on it is power_lost.
  using Handle = std::shared_ptr<File>;

  // nullptr: not there and not to be made, or the power is off.
  Handle open(const std::string& name, bool create);
  // A file without a name: gone with its handle.
  Handle open_unnamed();
  bool exists(const std::string& name);

  // Short reads are the end of the file.
  DiskStatus read(File& file, std::uint64_t offset, std::size_t size, std::string& bytes);
  DiskStatus write(File& file, std::uint64_t offset, std::string_view bytes);
  DiskStatus truncate(File& file, std::uint64_t size);
  DiskStatus size(File& file, std::uint64_t& size);
  DiskStatus sync(File& file);
  DiskStatus remove(const std::string& name);
  DiskStatus rename(const std::string& from, const std::string& to);
  DiskStatus sync_folder();

  // The power goes during the n-th operation from now that changes something (1: the next one). That
  // operation and all later ones fail until power_loss() was called.
  void cut_power_at(std::uint64_t operation);
  // The power goes and comes back: decides by the seed what of the unsynced is on the disk. Handles
  // from before are dead.
  void power_loss(std::uint64_t seed);
  // The power went by cut_power_at() and did not come back.
  bool is_off();

  // Operations that changed something, since the disk was made.
  std::uint64_t operations();

 private:
  bool spend_operation(const File* file);
  bool is_dead(const File& file) const;

  struct NameChange {
    std::string name;
    Handle file;  // null: the name goes
  };

  std::mutex mutex_;
  std::map<std::string, Handle> names_;          // as programs see them
  std::map<std::string, Handle> synced_names_;   // as they are after a loss of power
  std::vector<std::vector<NameChange>> name_changes_;  // not yet synced; a rename is two at once
  std::uint64_t epoch_ = 0;
  std::uint64_t operations_ = 0;
  std::optional<std::uint64_t> operations_left_;
};

}  // namespace sluice::sim
