// poll_jobs.cpp: asks for the queue by many connections, each again as soon as it is answered,
// until its standard input ends; then prints how many answers there were:
//   poll_jobs [-c CONNECTIONS] -j JOB
// Every second connection asks for everything as squeue does, the others for the one job. It says
// "polling" once every connection was answered. The cluster is that of SLUICE_CONF.
#include <poll.h>
#include <unistd.h>

#include <cstdlib>
#include <string>
#include <vector>

#include "common/wire/message_codec.h"
#include "tests/bench/connection.h"
#include "tests/bench/timing.h"

using namespace sluice;
using namespace sluice::bench;

namespace {

// All of a JobsReply that a poller looks at: decoding rows would only slow it down.
struct LastWord {
  bool more = false;
};
BOOST_DESCRIBE_STRUCT(LastWord, (), (more))

struct Order {
  std::size_t connections = 50;
  std::uint32_t job = 0;
};

Order read_order(int argc, char** argv) {
  Order order;
  for (int option; (option = getopt(argc, argv, "c:j:")) != -1;) {
    if (option == 'c') order.connections = static_cast<std::size_t>(std::atol(optarg));
    else if (option == 'j') order.job = static_cast<std::uint32_t>(std::atol(optarg));
    else std::exit(2);
  }
  return order;
}

class Poller {
 public:
  Poller(bool asks_for_all, std::uint32_t job) {
    query_.groups = {"names", "times", "allocation", "wait", "asked"};
    query_.filter.states = {"PENDING", "RUNNING", "COMPLETING"};
    if (!asks_for_all) query_.filter.jobs = {{JobId{job}, {}}};
    ask();
  }
  int fd() const { return fd_; }
  long answers() const { return answers_; }

  // Of what has arrived: a frame, which may be part of a longer answer.
  void take_frame() {
    const Frame frame = receive_frame(fd_);
    if (frame.type != JobsReply::type) give_up("refused");
    if (must(from_bytes<LastWord>(frame.payload)).more) return;
    ++answers_;
    ask();
  }

 private:
  void ask() { send_frame(fd_, QueryJobs::type, ++asked_, to_bytes(query_)); }

  QueryJobs query_;
  int fd_ = connect_to_controller();
  std::uint32_t asked_ = 0;
  long answers_ = 0;
};

}  // namespace

int main(int argc, char** argv) {
  const Order order = read_order(argc, argv);
  std::vector<Poller> pollers;
  std::vector<pollfd> waited = {{STDIN_FILENO, POLLIN, 0}};
  for (std::size_t i = 0; i < order.connections; ++i) {
    pollers.emplace_back(i % 2 == 0, order.job);
    waited.push_back({pollers.back().fd(), POLLIN, 0});
  }
  const auto all = [&] {
    long answers = 0;
    for (const Poller& poller : pollers) answers += poller.answers();
    return answers;
  };
  std::size_t silent = pollers.size();
  long answers_then = 0;
  double from = 0;
  while (waited[0].revents == 0) {
    if (poll(waited.data(), waited.size(), -1) < 0) give_up("poll");
    for (std::size_t i = 0; i < pollers.size(); ++i) {
      if (waited[i + 1].revents == 0) continue;
      const long before = pollers[i].answers();
      pollers[i].take_frame();
      if (before > 0 || pollers[i].answers() == 0 || --silent > 0) continue;
      std::printf("polling\n");
      std::fflush(stdout);
      answers_then = all();
      from = now_s();
    }
  }
  const double seconds = now_s() - from;
  std::printf("answers_per_s=%.1f\n", static_cast<double>(all() - answers_then) / seconds);
}
