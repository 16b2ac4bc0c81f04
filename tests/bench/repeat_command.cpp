// repeat_command.cpp: runs a command many times and prints one line of how long it took:
//   repeat_command [-n TIMES] [-p AT_ONCE] [-w FILE] [-i IDS] [-e CODE] -- COMMAND...
// "{i}" in a word is the number of the run. With -w a run lasts until FILE exists (one at a time only),
// and cmd_p50_ms is the command alone. -i appends what the commands print to IDS. A run succeeded when
// it ended with CODE (0).
#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>

#include "tests/bench/timing.h"

extern char** environ;

using namespace sluice::bench;

namespace {

struct Order {
  long times = 100;
  std::size_t at_once = 1;
  int exit_code = 0;
  std::string wait_file;
  std::string ids_file;
  std::vector<std::string> command;
};

struct Run {
  pid_t pid = 0;  // 0: none
  int output = -1;
  double from_s = 0;
  long number = 0;
};

struct Tally {
  std::vector<double> seconds;          // of those that succeeded
  std::vector<double> command_seconds;  // with -w
  long failed = 0;
};

std::string numbered(std::string text, long number) {
  for (std::size_t at; (at = text.find("{i}")) != std::string::npos;)
    text.replace(at, 3, std::to_string(number));
  return text;
}

Run start(const Order& order, long number) {
  std::vector<std::string> words;
  for (const std::string& word : order.command) words.push_back(numbered(word, number));
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) std::exit(2);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
  Run run{.pid = 0, .output = ends[0], .from_s = now_s(), .number = number};
  const int error = posix_spawnp(&run.pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  close(ends[1]);
  if (error != 0) {
    std::fprintf(stderr, "%s cannot be started\n", argv[0]);
    std::exit(2);
  }
  return run;
}

void wait_for_file(const std::string& path) {
  const double give_up_at = now_s() + 60;
  while (access(path.c_str(), F_OK) != 0 && now_s() < give_up_at) usleep(200);
}

void finish(const Order& order, Run& run, Tally& tally) {
  close(run.output);
  int status = 0;
  waitpid(run.pid, &status, 0);
  run.pid = 0;
  if (!order.wait_file.empty()) {
    tally.command_seconds.push_back(now_s() - run.from_s);
    wait_for_file(numbered(order.wait_file, run.number));
  }
  if (WIFEXITED(status) && WEXITSTATUS(status) == order.exit_code)
    tally.seconds.push_back(now_s() - run.from_s);
  else
    ++tally.failed;
}

// True when the command closed its output, which it does by ending.
bool read_output(const Run& run, std::FILE* ids) {
  char buffer[4096];
  const ssize_t size = read(run.output, buffer, sizeof buffer);
  if (size <= 0) return true;
  if (ids) std::fwrite(buffer, 1, static_cast<std::size_t>(size), ids);
  return false;
}

Tally run_all(const Order& order) {
  Tally tally;
  std::FILE* ids = order.ids_file.empty() ? nullptr : std::fopen(order.ids_file.c_str(), "a");
  std::vector<Run> runs(order.at_once);
  long started = 0, ended = 0;
  while (ended < order.times) {
    std::vector<pollfd> watched;
    for (Run& run : runs) {
      if (run.pid == 0 && started < order.times) run = start(order, started++);
      watched.push_back({.fd = run.pid ? run.output : -1, .events = POLLIN, .revents = 0});
    }
    poll(watched.data(), watched.size(), -1);
    for (std::size_t i = 0; i < runs.size(); ++i) {
      if (watched[i].revents == 0 || !read_output(runs[i], ids)) continue;
      finish(order, runs[i], tally);
      ++ended;
    }
  }
  if (ids) std::fclose(ids);
  return tally;
}

double children_cpu_s() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

Order read_order(int argc, char** argv) {
  Order order;
  for (int option; (option = getopt(argc, argv, "+n:p:w:i:e:")) != -1;) {
    if (option == 'n') order.times = std::atol(optarg);
    else if (option == 'p') order.at_once = static_cast<std::size_t>(std::atol(optarg));
    else if (option == 'w') order.wait_file = optarg;
    else if (option == 'i') order.ids_file = optarg;
    else if (option == 'e') order.exit_code = std::atoi(optarg);
    else std::exit(2);
  }
  order.command.assign(argv + optind, argv + argc);
  return order;
}

}  // namespace

int main(int argc, char** argv) {
  const Order order = read_order(argc, argv);
  if (order.command.empty() || order.at_once == 0) {
    std::fputs("usage: repeat_command [-n TIMES] [-p AT_ONCE] [-w FILE] [-i IDS] [-e CODE] -- COMMAND...\n",
               stderr);
    return 2;
  }
  const double from = now_s();
  Tally tally = run_all(order);
  print_figures(tally.seconds, now_s() - from);
  std::printf(" failed=%ld client_cpu_ms=%.3f", tally.failed,
              children_cpu_s() * 1e3 / static_cast<double>(order.times));
  std::sort(tally.command_seconds.begin(), tally.command_seconds.end());
  if (!tally.command_seconds.empty())
    std::printf(" cmd_p50_ms=%.3f", quantile(tally.command_seconds, .5) * 1e3);
  std::puts("");
  return tally.failed == 0 ? 0 : 1;
}
