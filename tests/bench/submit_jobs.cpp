// submit_jobs.cpp: submits many jobs by one connection and prints one line of how long it took:
//   submit_jobs [-n JOBS] [-w IN_FLIGHT] [-H] [-t MINUTES]
// Every job has a name and a script of its own, so that nothing is shared but the environment. The
// cluster is that of SLUICE_CONF. A latency counts from the last byte sent to the answer, which is
// given after the commit.
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstdlib>
#include <deque>

#include "common/options/config_file.h"
#include "common/wire/codec.h"
#include "common/wire/frame.h"
#include "common/wire/messages.h"
#include "tests/bench/timing.h"

using namespace sluice;
using namespace sluice::bench;

namespace {

struct Order {
  long jobs = 1000;
  std::size_t in_flight = 1;
  bool hold = false;
  std::uint32_t minutes = 10;
};

[[noreturn]] void give_up(const std::string& why) {
  std::fprintf(stderr, "submit_jobs: %s\n", why.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) give_up(to_text(result.error()));
  return std::move(result).value();
}

int connect_to_controller() {
  const std::string path = must(find_and_read_config()).config.paths.controller_socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) give_up(path);
  return fd;
}

SubmitJob make_job(const Order& order, long number) {
  SubmitJob job;
  char key[17];
  std::snprintf(key, sizeof key, "%08lx%08lx", static_cast<long>(getpid()), number);
  job.key = key;
  job.spec.name = "bench-" + std::to_string(number);
  job.spec.stdio_files.output = "/dev/null";
  job.spec.start.hold = order.hold;
  job.spec.start.time_limit = TimeLimit{.unlimited = false, .minutes = order.minutes};
  job.spec.batch.work_dir = "/tmp";
  job.spec.batch.submit_dir = "/tmp";
  job.script = "#!/bin/sh\n# job " + std::to_string(number) + "\ntrue\n";
  job.environment = std::string("PATH=/usr/bin:/bin\0HOME=/tmp\0", 28);
  return job;
}

void send_all(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t sent = send(fd, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("the controller closed the connection");
    bytes.remove_prefix(static_cast<std::size_t>(sent));
  }
}

std::string receive_exactly(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  if (size > 0 && recv(fd, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size))
    give_up("the controller closed the connection");
  return bytes;
}

void send_job(int fd, const Order& order, long number) {
  const std::string payload = to_bytes(make_job(order, number));
  send_all(fd, to_bytes(FrameHeader{static_cast<std::uint32_t>(payload.size()),
                                    static_cast<std::uint16_t>(SubmitJob::type),
                                    static_cast<std::uint32_t>(number + 1)}) +
                   payload);
}

// False: the job was refused.
bool receive_answer(int fd) {
  const FrameHeader header =
      must(parse_frame_header(receive_exactly(fd, frame_header_bytes), frame_payload_bytes_max));
  const std::string payload = receive_exactly(fd, header.payload_bytes);
  if (header.type == static_cast<std::uint16_t>(SubmitReply::type)) return true;
  const Result<ErrorReply> refusal = from_bytes<ErrorReply>(payload);
  if (refusal.ok()) std::fprintf(stderr, "refused: %s\n", refusal->detail.c_str());
  return false;
}

Order read_order(int argc, char** argv) {
  Order order;
  for (int option; (option = getopt(argc, argv, "n:w:Ht:")) != -1;) {
    if (option == 'n') order.jobs = std::atol(optarg);
    else if (option == 'w') order.in_flight = static_cast<std::size_t>(std::atol(optarg));
    else if (option == 'H') order.hold = true;
    else if (option == 't') order.minutes = static_cast<std::uint32_t>(std::atol(optarg));
    else std::exit(2);
  }
  return order;
}

}  // namespace

int main(int argc, char** argv) {
  const Order order = read_order(argc, argv);
  const int fd = connect_to_controller();
  std::vector<double> seconds;
  std::deque<double> sent_at;  // answers of one connection come in the order of the requests
  long sent = 0, failed = 0;
  const double from = now_s();
  while (static_cast<long>(seconds.size()) < order.jobs) {
    while (sent < order.jobs && sent_at.size() < order.in_flight) {
      send_job(fd, order, sent++);
      sent_at.push_back(now_s());
    }
    failed += receive_answer(fd) ? 0 : 1;
    seconds.push_back(now_s() - sent_at.front());
    sent_at.pop_front();
  }
  print_figures(seconds, now_s() - from);
  std::printf(" failed=%ld\n", failed);
  return failed == 0 ? 0 : 1;
}
