// clock.cpp: CLOCK_REALTIME and CLOCK_BOOTTIME (which goes on while the machine sleeps).
#include "common/base/clock.h"

#include <fcntl.h>
#include <unistd.h>

#include <ctime>

namespace sluice {
namespace {
Duration read_clock(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return std::chrono::seconds{time.tv_sec} + Duration{time.tv_nsec / 1000};
}
}  // namespace

Now read_clocks() {
  return Now{WallTime{read_clock(CLOCK_REALTIME)}, SteadyTime{read_clock(CLOCK_BOOTTIME)}};
}

std::string read_boot_id() {
  char text[64] = {};
  int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);
  if (fd < 0) return "unknown";
  ssize_t size = read(fd, text, sizeof text - 1);
  close(fd);
  std::string id(text, size > 0 ? static_cast<std::size_t>(size) : 0);
  while (!id.empty() && id.back() == '\n') id.pop_back();
  return id;
}
}  // namespace sluice
