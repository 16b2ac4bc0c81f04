// fault_vfs.h: SQLite on a FaultDisk, so that the real store meets losses of power. Log and locks of
// several connections in one process work as on a real file system.
#pragma once

#include <memory>
#include <string>

#include "daemon/store/id_floor.h"
#include "tests/sim/fault_disk.h"

namespace sluice::sim {

// Registers a VFS of the given name for as long as this object lives; all files of all connections
// opened through it lie on `disk`. `name` must be unlike that of every other VFS.
class FaultVfs {
 public:
  FaultVfs(std::string name, FaultDisk& disk);
  FaultVfs(const FaultVfs&) = delete;
  FaultVfs& operator=(const FaultVfs&) = delete;
  ~FaultVfs();

  const std::string& name() const;

 private:
  struct Registration;
  std::unique_ptr<Registration> registration_;
};

// A small value on the disk, replaced as a whole as replace_file() does: written beside it, synced,
// renamed, folder synced.
std::unique_ptr<DurableValue> make_durable_value(FaultDisk& disk, std::string name);

}  // namespace sluice::sim
