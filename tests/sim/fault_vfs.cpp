// fault_vfs.cpp: the methods of a SQLite VFS over FaultDisk. Locks and the shared index of the log
// are of the process, not of the disk, as on a real machine: they are gone after a loss of power.
#include "tests/sim/fault_vfs.h"

#include <sqlite3.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <random>
#include <set>
#include <thread>
#include <utility>
#include <vector>

namespace sluice::sim {
namespace {

struct OpenFile;

// What the connections of one file share.
struct SharedState {
  struct Slot {
    std::set<const OpenFile*> readers;
    const OpenFile* writer = nullptr;
  };
  std::set<const OpenFile*> shared;
  const OpenFile* reserved = nullptr;  // also pending and exclusive
  bool is_pending = false;
  std::array<Slot, SQLITE_SHM_NLOCK> slots;
  std::vector<std::unique_ptr<std::byte[]>> regions;  // of the log's index
};

struct Environment {
  explicit Environment(FaultDisk& on) : disk(on) {}

  FaultDisk& disk;
  std::mutex mutex;
  std::map<FaultDisk::Handle, std::weak_ptr<SharedState>> states;
  std::mt19937_64 random{1};
};

struct OpenFile {
  sqlite3_file base{};  // first: SQLite sees only this
  Environment* environment = nullptr;
  FaultDisk::Handle handle;
  std::shared_ptr<SharedState> state;
  int lock = SQLITE_LOCK_NONE;
  bool sync_folder_too = false;  // a fresh journal or log: its name must last as well
};

OpenFile& open_file(sqlite3_file* file) { return *reinterpret_cast<OpenFile*>(file); }
Environment& environment_of(sqlite3_vfs* vfs) { return *static_cast<Environment*>(vfs->pAppData); }
int to_code(DiskStatus status, int failure) {
  return status == DiskStatus::ok ? SQLITE_OK : failure;
}

// --- file contents -----------------------------------------------------------------------------

int close_file(sqlite3_file* file) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  if (self.state) {
    self.state->shared.erase(&self);
    if (self.state->reserved == &self) self.state->reserved = nullptr;
    for (SharedState::Slot& slot : self.state->slots) {
      slot.readers.erase(&self);
      if (slot.writer == &self) slot.writer = nullptr;
    }
  }
  self.~OpenFile();
  return SQLITE_OK;
}

int read_file(sqlite3_file* file, void* out, int size, sqlite3_int64 offset) {
  OpenFile& self = open_file(file);
  std::string bytes;
  const auto wanted = static_cast<std::size_t>(size);
  const DiskStatus status = self.environment->disk.read(
      *self.handle, static_cast<std::uint64_t>(offset), wanted, bytes);
  if (status != DiskStatus::ok) return SQLITE_IOERR_READ;
  std::memcpy(out, bytes.data(), bytes.size());
  if (bytes.size() == wanted) return SQLITE_OK;
  std::memset(static_cast<char*>(out) + bytes.size(), 0, wanted - bytes.size());
  return SQLITE_IOERR_SHORT_READ;
}

int write_file(sqlite3_file* file, const void* bytes, int size, sqlite3_int64 offset) {
  OpenFile& self = open_file(file);
  const std::string_view view(static_cast<const char*>(bytes), static_cast<std::size_t>(size));
  return to_code(
      self.environment->disk.write(*self.handle, static_cast<std::uint64_t>(offset), view),
      SQLITE_IOERR_WRITE);
}

int truncate_file(sqlite3_file* file, sqlite3_int64 size) {
  OpenFile& self = open_file(file);
  return to_code(
      self.environment->disk.truncate(*self.handle, static_cast<std::uint64_t>(size)),
      SQLITE_IOERR_TRUNCATE);
}

int sync_file(sqlite3_file* file, int) {
  OpenFile& self = open_file(file);
  FaultDisk& disk = self.environment->disk;
  if (disk.sync(*self.handle) != DiskStatus::ok) return SQLITE_IOERR_FSYNC;
  if (!self.sync_folder_too) return SQLITE_OK;
  self.sync_folder_too = false;
  return to_code(disk.sync_folder(), SQLITE_IOERR_DIR_FSYNC);
}

int size_of_file(sqlite3_file* file, sqlite3_int64* size) {
  OpenFile& self = open_file(file);
  std::uint64_t found = 0;
  const DiskStatus status = self.environment->disk.size(*self.handle, found);
  *size = static_cast<sqlite3_int64>(found);
  return to_code(status, SQLITE_IOERR_FSTAT);
}

// --- locks -------------------------------------------------------------------------------------

int take_lock(SharedState& state, OpenFile& self, int level) {
  const bool is_held_by_another = state.reserved != nullptr && state.reserved != &self;
  if (level == SQLITE_LOCK_SHARED) {
    if (is_held_by_another && state.is_pending) return SQLITE_BUSY;
    state.shared.insert(&self);
    return SQLITE_OK;
  }
  if (is_held_by_another) return SQLITE_BUSY;
  state.reserved = &self;
  if (level == SQLITE_LOCK_RESERVED) return SQLITE_OK;
  state.is_pending = true;
  const bool has_other_readers = state.shared.size() > state.shared.count(&self);
  return has_other_readers && level == SQLITE_LOCK_EXCLUSIVE ? SQLITE_BUSY : SQLITE_OK;
}

int lock_file(sqlite3_file* file, int level) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  if (self.lock >= level) return SQLITE_OK;
  const int code = take_lock(*self.state, self, level);
  if (code == SQLITE_OK) self.lock = level;
  return code;
}

int unlock_file(sqlite3_file* file, int level) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  if (self.state->reserved == &self) {
    self.state->reserved = nullptr;
    self.state->is_pending = false;
  }
  if (level == SQLITE_LOCK_NONE) self.state->shared.erase(&self);
  self.lock = std::min(self.lock, level);
  return SQLITE_OK;
}

int check_reserved_lock(sqlite3_file* file, int* is_reserved) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  *is_reserved = self.state->reserved != nullptr ? 1 : 0;
  return SQLITE_OK;
}

// --- the log's index ---------------------------------------------------------------------------

int map_index(sqlite3_file* file, int region, int size, int extend, void volatile** out) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  auto& regions = self.state->regions;
  const auto wanted = static_cast<std::size_t>(region);
  *out = nullptr;
  if (wanted >= regions.size() && extend == 0) return SQLITE_OK;
  while (wanted >= regions.size())
    regions.push_back(std::make_unique<std::byte[]>(static_cast<std::size_t>(size)));
  *out = regions[wanted].get();
  return SQLITE_OK;
}

bool can_lock_slot(const SharedState::Slot& slot, const OpenFile& self, bool exclusive) {
  if (slot.writer != nullptr && slot.writer != &self) return false;
  return !exclusive || slot.readers.size() == slot.readers.count(&self);
}

void set_slot(SharedState::Slot& slot, const OpenFile& self, int flags) {
  const bool lock = (flags & SQLITE_SHM_LOCK) != 0;
  if ((flags & SQLITE_SHM_EXCLUSIVE) != 0) slot.writer = lock ? &self : nullptr;
  else if (lock) slot.readers.insert(&self);
  else slot.readers.erase(&self);
}

int lock_index(sqlite3_file* file, int offset, int count, int flags) {
  OpenFile& self = open_file(file);
  const std::lock_guard guard(self.environment->mutex);
  const bool exclusive = (flags & SQLITE_SHM_EXCLUSIVE) != 0;
  const auto first = self.state->slots.begin() + offset;
  if ((flags & SQLITE_SHM_LOCK) != 0)
    for (auto slot = first; slot != first + count; ++slot)
      if (!can_lock_slot(*slot, self, exclusive)) return SQLITE_BUSY;
  for (auto slot = first; slot != first + count; ++slot) set_slot(*slot, self, flags);
  return SQLITE_OK;
}

void index_barrier(sqlite3_file* file) {
  const std::lock_guard guard(open_file(file).environment->mutex);
}

int unmap_index(sqlite3_file*, int) { return SQLITE_OK; }

// --- the rest ----------------------------------------------------------------------------------

int file_control(sqlite3_file*, int, void*) { return SQLITE_NOTFOUND; }
int sector_size(sqlite3_file*) { return 512; }
int device_characteristics(sqlite3_file*) { return SQLITE_IOCAP_POWERSAFE_OVERWRITE; }

constexpr sqlite3_io_methods io_methods = [] {
  sqlite3_io_methods methods{};
  methods.iVersion = 2;
  methods.xClose = close_file;
  methods.xRead = read_file;
  methods.xWrite = write_file;
  methods.xTruncate = truncate_file;
  methods.xSync = sync_file;
  methods.xFileSize = size_of_file;
  methods.xLock = lock_file;
  methods.xUnlock = unlock_file;
  methods.xCheckReservedLock = check_reserved_lock;
  methods.xFileControl = file_control;
  methods.xSectorSize = sector_size;
  methods.xDeviceCharacteristics = device_characteristics;
  methods.xShmMap = map_index;
  methods.xShmLock = lock_index;
  methods.xShmBarrier = index_barrier;
  methods.xShmUnmap = unmap_index;
  return methods;
}();

std::shared_ptr<SharedState> shared_state(Environment& environment,
                                          const FaultDisk::Handle& handle) {
  std::weak_ptr<SharedState>& known = environment.states[handle];
  std::shared_ptr<SharedState> state = known.lock();
  if (!state) known = state = std::make_shared<SharedState>();
  return state;
}

int open_by_name(sqlite3_vfs* vfs, const char* name, sqlite3_file* file, int flags,
                 int* out_flags) {
  Environment& environment = environment_of(vfs);
  const bool create = (flags & SQLITE_OPEN_CREATE) != 0;
  const FaultDisk::Handle handle =
      name ? environment.disk.open(name, create) : environment.disk.open_unnamed();
  file->pMethods = nullptr;
  if (!handle) return SQLITE_CANTOPEN;
  const std::lock_guard guard(environment.mutex);
  OpenFile* self = new (file) OpenFile;
  self->base.pMethods = &io_methods;
  self->environment = &environment;
  self->handle = handle;
  self->state = shared_state(environment, handle);
  constexpr int journals =
      SQLITE_OPEN_MAIN_JOURNAL | SQLITE_OPEN_SUPER_JOURNAL | SQLITE_OPEN_WAL;
  self->sync_folder_too = create && (flags & journals) != 0;
  if (out_flags) *out_flags = flags;
  return SQLITE_OK;
}

int delete_by_name(sqlite3_vfs* vfs, const char* name, int sync_folder_too) {
  FaultDisk& disk = environment_of(vfs).disk;
  const DiskStatus status = disk.remove(name);
  if (status == DiskStatus::no_such_file) return SQLITE_IOERR_DELETE_NOENT;
  if (status != DiskStatus::ok) return SQLITE_IOERR_DELETE;
  return sync_folder_too != 0 ? to_code(disk.sync_folder(), SQLITE_IOERR_DIR_FSYNC) : SQLITE_OK;
}

int access_by_name(sqlite3_vfs* vfs, const char* name, int, int* is_there) {
  *is_there = environment_of(vfs).disk.exists(name) ? 1 : 0;
  return SQLITE_OK;
}

int full_path(sqlite3_vfs*, const char* name, int size, char* out) {
  sqlite3_snprintf(size, out, "%s", name);
  return SQLITE_OK;
}

// From a fixed seed: a run with the same operations gives the same bytes.
int random_bytes(sqlite3_vfs* vfs, int size, char* out) {
  Environment& environment = environment_of(vfs);
  const std::lock_guard guard(environment.mutex);
  for (int i = 0; i < size; ++i) out[i] = static_cast<char>(environment.random());
  return size;
}

// Called when another connection holds a lock: it needs the processor, not time.
int sleep_us(sqlite3_vfs*, int us) {
  std::this_thread::yield();
  return us;
}

int current_time(sqlite3_vfs*, sqlite3_int64* milliseconds) {
  *milliseconds = 212'000'000'000'000;
  return SQLITE_OK;
}

int last_error(sqlite3_vfs*, int, char*) { return 0; }

}  // namespace

struct FaultVfs::Registration {
  Registration(std::string its_name, FaultDisk& disk)
      : name(std::move(its_name)), environment(disk) {
    vfs.iVersion = 2;
    vfs.szOsFile = sizeof(OpenFile);
    vfs.mxPathname = 512;
    vfs.zName = name.c_str();
    vfs.pAppData = &environment;
    vfs.xOpen = open_by_name;
    vfs.xDelete = delete_by_name;
    vfs.xAccess = access_by_name;
    vfs.xFullPathname = full_path;
    vfs.xRandomness = random_bytes;
    vfs.xSleep = sleep_us;
    vfs.xGetLastError = last_error;
    vfs.xCurrentTimeInt64 = current_time;
  }

  std::string name;
  Environment environment;
  sqlite3_vfs vfs{};
};

FaultVfs::FaultVfs(std::string name, FaultDisk& disk)
    : registration_(std::make_unique<Registration>(std::move(name), disk)) {
  sqlite3_vfs_register(&registration_->vfs, 0);
}

FaultVfs::~FaultVfs() { sqlite3_vfs_unregister(&registration_->vfs); }

const std::string& FaultVfs::name() const { return registration_->name; }

namespace {

class DiskValue : public DurableValue {
 public:
  DiskValue(FaultDisk& disk, std::string name) : disk_(disk), name_(std::move(name)) {}

  Result<std::optional<std::string>> read() override {
    const FaultDisk::Handle file = disk_.open(name_, false);
    if (!file) return std::optional<std::string>{};
    std::string bytes;
    if (disk_.read(*file, 0, 4096, bytes) != DiskStatus::ok) return power_lost();
    return std::optional<std::string>{bytes};
  }

  Result<void> replace(const std::string& bytes) override {
    const std::string fresh = name_ + ".new";
    const FaultDisk::Handle file = disk_.open(fresh, true);
    if (!file || disk_.truncate(*file, 0) != DiskStatus::ok ||
        disk_.write(*file, 0, bytes) != DiskStatus::ok || disk_.sync(*file) != DiskStatus::ok ||
        disk_.rename(fresh, name_) != DiskStatus::ok || disk_.sync_folder() != DiskStatus::ok)
      return power_lost();
    return {};
  }

 private:
  Error power_lost() const { return Error{ErrorCode::io_error, name_ + ": the power is off"}; }

  FaultDisk& disk_;
  const std::string name_;
};

}  // namespace

std::unique_ptr<DurableValue> make_durable_value(FaultDisk& disk, std::string name) {
  return std::make_unique<DiskValue>(disk, std::move(name));
}

}  // namespace sluice::sim
