// machine_limits.cpp: what this machine can do at all: `machine_limits WHAT [N]` prints one line of
// key=value. Every figure of Sluice is shown beside these, measured in the same minute.
//   spawn      start /bin/true and wait, one at a time        spawn2     the same, two at a time
//   fdatasync  append 4 KiB and sync                          loopback   128 bytes there and back
#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/tcp.h>
#include <spawn.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <cstring>
#include <thread>

#include "tests/bench/timing.h"

extern char** environ;

using namespace sluice::bench;

namespace {

[[noreturn]] void give_up(const char* what) {
  std::perror(what);
  std::exit(1);
}

pid_t spawn_true() {
  char name[] = "/bin/true";
  char* argv[] = {name, nullptr};
  pid_t pid = 0;
  if (posix_spawn(&pid, name, nullptr, nullptr, argv, environ) != 0) give_up(name);
  return pid;
}

std::vector<double> spawn_one_at_a_time(long count) {
  std::vector<double> seconds;
  for (long i = 0; i < count; ++i) {
    const double from = now_s();
    waitpid(spawn_true(), nullptr, 0);
    seconds.push_back(now_s() - from);
  }
  return seconds;
}

std::vector<double> spawn_two_at_a_time(long count) {
  std::vector<double> seconds;
  double last = now_s();
  spawn_true();
  for (long i = 1; i <= count; ++i) {
    if (i < count) spawn_true();
    wait(nullptr);
    const double now = now_s();
    seconds.push_back(now - last);
    last = now;
  }
  return seconds;
}

std::vector<double> append_and_sync(long count) {
  char path[] = "sync.XXXXXX";
  const int file = mkostemp(path, O_APPEND);
  if (file < 0) give_up(path);
  unlink(path);
  char block[4096];
  std::memset(block, 'x', sizeof block);
  std::vector<double> seconds;
  for (long i = 0; i < count; ++i) {
    const double from = now_s();
    if (write(file, block, sizeof block) != sizeof block || fdatasync(file) != 0) give_up(path);
    seconds.push_back(now_s() - from);
  }
  close(file);
  return seconds;
}

constexpr std::size_t message_bytes = 128;

bool read_message(int socket, char* message) {
  return recv(socket, message, message_bytes, MSG_WAITALL) == static_cast<ssize_t>(message_bytes);
}

void set_no_delay(int socket) {
  const int one = 1;
  setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &one, sizeof one);
}

void answer(int listener) {
  const int socket = accept(listener, nullptr, nullptr);
  set_no_delay(socket);
  char message[message_bytes];
  while (read_message(socket, message))
    if (write(socket, message, sizeof message) < 0) break;
  close(socket);
}

std::vector<double> round_trips(long count) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  auto* generic = reinterpret_cast<sockaddr*>(&address);
  const int listener = socket(AF_INET, SOCK_STREAM, 0);
  if (bind(listener, generic, size) != 0 || listen(listener, 1) != 0) give_up("listen");
  getsockname(listener, generic, &size);
  std::thread server(answer, listener);
  const int client = socket(AF_INET, SOCK_STREAM, 0);
  if (connect(client, generic, size) != 0) give_up("connect");
  set_no_delay(client);
  char message[message_bytes] = {};
  std::vector<double> seconds;
  for (long i = 0; i < count; ++i) {
    const double from = now_s();
    if (write(client, message, sizeof message) < 0 || !read_message(client, message))
      give_up("loopback");
    seconds.push_back(now_s() - from);
  }
  close(client);
  server.join();
  close(listener);
  return seconds;
}

struct Limit {
  const char* name;
  std::vector<double> (*measure)(long count);
  long count;
};

constexpr Limit limits[] = {
    {"spawn", spawn_one_at_a_time, 500},
    {"spawn2", spawn_two_at_a_time, 1000},
    {"fdatasync", append_and_sync, 500},
    {"loopback", round_trips, 10000},
};

}  // namespace

int main(int argc, char** argv) {
  for (const Limit& limit : limits) {
    if (argc < 2 || std::strcmp(argv[1], limit.name) != 0) continue;
    const double from = now_s();
    const std::vector<double> seconds = limit.measure(argc > 2 ? std::atol(argv[2]) : limit.count);
    std::printf("what=%s ", limit.name);
    print_figures(seconds, now_s() - from);
    std::puts("");
    return 0;
  }
  std::fputs("usage: machine_limits spawn|spawn2|fdatasync|loopback [N]\n", stderr);
  return 2;
}
