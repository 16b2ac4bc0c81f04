// lease_page.cpp: a mapped file with one atomic number.
#include "agent/exec/lease_page.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <atomic>
#include <utility>

#include "agent/exec/file.h"

namespace sluice::agent {
namespace {
constexpr std::size_t page_bytes = 4096;
}

Result<LeasePage> LeasePage::open(const std::string& path) {
  const File file{::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file) return system_error("open", path);
  struct stat status {};
  if (fstat(file.fd(), &status) != 0) return system_error("stat", path);
  const bool is_new = status.st_size < static_cast<off_t>(page_bytes);
  if (is_new && ftruncate(file.fd(), page_bytes) != 0) return system_error("extend", path);
  void* page = mmap(nullptr, page_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.fd(), 0);
  if (page == MAP_FAILED) return system_error("map", path);
  LeasePage lease{static_cast<std::int64_t*>(page)};
  if (is_new) lease.set(SteadyTime::max());
  return lease;
}

LeasePage::LeasePage(LeasePage&& other) noexcept
    : until_us_(std::exchange(other.until_us_, nullptr)) {}

LeasePage::~LeasePage() {
  if (until_us_) munmap(until_us_, page_bytes);
}

SteadyTime LeasePage::until() const {
  return steady_from_us(std::atomic_ref{*until_us_}.load());
}

void LeasePage::set(SteadyTime until) { std::atomic_ref{*until_us_}.store(to_us(until)); }

}  // namespace sluice::agent
