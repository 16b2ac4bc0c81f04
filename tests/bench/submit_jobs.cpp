// submit_jobs.cpp: submits many jobs by one connection and prints one line of how long it took:
//   submit_jobs [-n JOBS] [-w IN_FLIGHT] [-H] [-t MINUTES]
// Every job has a name and a script of its own, so that nothing is shared but the environment. The
// cluster is that of SLUICE_CONF. A latency counts from the last byte sent to the answer, which is
// given after the commit.
#include <unistd.h>

#include <fmt/format.h>

#include <cstdlib>
#include <deque>

#include "common/wire/message_codec.h"
#include "tests/bench/connection.h"
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

SubmitJob make_job(const Order& order, long number) {
  SubmitJob job;
  job.key = fmt::format("{:08x}{:08x}", getpid(), number);
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

void send_job(int fd, const Order& order, long number) {
  send_frame(fd, SubmitJob::type, static_cast<std::uint32_t>(number + 1),
             to_bytes(make_job(order, number)));
}

// False: the job was refused.
bool receive_answer(int fd) {
  const Frame frame = receive_frame(fd);
  if (frame.type == SubmitReply::type) return true;
  const Result<ErrorReply> refusal = from_bytes<ErrorReply>(frame.payload);
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
