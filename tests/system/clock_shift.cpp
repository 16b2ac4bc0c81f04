// clock_shift.cpp: preloaded into the processes of a test's cluster, it shifts their wall clock, as when
// an administrator or a time server sets it. The shifts are numbers of seconds (8 bytes of this machine)
// in files of the folder $SLUICE_CLOCK_SHIFT, which may change at any time: `all`, and one named as the
// program, which is added to it. Statically linked programs (the shepherd) do not see it.
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <string>

namespace {

using Shift = const std::atomic<std::int64_t>;

Shift* map_shift(const char* name) {
  static Shift none{0};
  const char* folder = std::getenv("SLUICE_CLOCK_SHIFT");
  if (!folder) return &none;
  const int file = open((std::string(folder) + "/" + name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return &none;
  void* mapped = mmap(nullptr, sizeof(std::int64_t), PROT_READ, MAP_SHARED, file, 0);
  close(file);
  return mapped == MAP_FAILED ? &none : static_cast<Shift*>(mapped);
}

std::int64_t shift_s() {
  static Shift* const of_all = map_shift("all");
  static Shift* const of_program = map_shift(program_invocation_short_name);
  return of_all->load() + of_program->load();
}

template <class Function>
Function next(const char* name) {
  return reinterpret_cast<Function>(dlsym(RTLD_NEXT, name));
}

}  // namespace

extern "C" int clock_gettime(clockid_t clock, timespec* time) noexcept {
  static const auto real = next<int (*)(clockid_t, timespec*)>("clock_gettime");
  const int failed = real(clock, time);
  if (failed == 0 && (clock == CLOCK_REALTIME || clock == CLOCK_REALTIME_COARSE))
    time->tv_sec += shift_s();
  return failed;
}

extern "C" int gettimeofday(timeval* time, void* zone) noexcept {
  static const auto real = next<int (*)(timeval*, void*)>("gettimeofday");
  const int failed = real(time, zone);
  if (failed == 0) time->tv_sec += shift_s();
  return failed;
}

extern "C" time_t time(time_t* into) noexcept {
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  if (into) *into = now.tv_sec;
  return now.tv_sec;
}
