// shepherd_test.cpp: what a job does, and what its exit record says.
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <catch2/catch.hpp>
#include <filesystem>

#include "agent/exec/file.h"
#include "agent/exec/lease_page.h"
#include "agent/exec/notify.h"
#include "common/base/clock.h"
#include "tests/agent/shepherd_bench.h"

using namespace sluice;
using namespace sluice::agent;

namespace {
std::string bash(const std::string& body) { return "#!/bin/bash\n" + body + "\n"; }
bool has(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}
bool is_root_or_says_skipped() {
  if (!ShepherdBench::is_root()) WARN("skipped: needs root");
  return ShepherdBench::is_root();
}
}  // namespace

TEST_CASE("exit codes and signals are told as they were", "[shepherd]") {
  struct Row {
    const char* body;
    ExitStatus status;
  };
  const Row rows[] = {{"exit 0", {0, 0}},           {"exit 1", {1, 0}},
                      {"exit 126", {126, 0}},       {"exit 127", {127, 0}},
                      {"exit 128", {128, 0}},       {"exit 129", {129, 0}},
                      {"exit 137", {137, 0}},       {"exit 143", {143, 0}},
                      {"exit 255", {255, 0}},       {"exit 256", {0, 0}},
                      {"kill -9 $$", {0, 9}},       {"kill -TERM $$", {0, 15}},
                      {"kill -SEGV $$", {0, 11}},   {"kill -34 $$", {0, 34}},
                      {"bash -c 'kill -9 $$'; exit $?", {137, 0}}};
  for (const Row& row : rows) {
    ShepherdBench bench;
    const ExitRecord record = bench.run(bash(row.body));
    INFO(row.body);
    REQUIRE(record.status == row.status);
    REQUIRE(record.script_started);
    REQUIRE(record.cause == Cause{});
    REQUIRE_FALSE(record.node_fault);
  }
}

TEST_CASE("a job sees its own environment, arguments, directory and no file of ours",
          "[shepherd]") {
  ShepherdBench bench;
  bench.order.order.arguments = {"one", "two words"};
  bench.order.order.job_environment = {"SLURM_JOB_ID=1", "A=of the controller"};
  bench.run(bash("echo \"$A|$SLURM_JOB_ID|$HOME|$TMPDIR|$HOSTNAME|$#|$2|$PWD|$(basename $0)\"\n"
                 "[ $SLURM_TASK_PID = $$ ] && echo task pid; ls /proc/self/fd | wc -l; umask"));
  REQUIRE(has(bench.output(), "of the controller|1|" + bench.order.user.home + "|/tmp|host1|2|" +
                                  "two words|" + bench.order.order.work_dir + "|slurm_script\n"));
  REQUIRE(has(bench.output(), "task pid\n4\n0022\n"));  // 0, 1, 2 and the folder being read
}

TEST_CASE("closing all of stdio does not end a job; stdin is empty", "[shepherd]") {
  ShepherdBench closing;
  const ExitRecord record = closing.run(bash("exec 0<&- 1>&- 2>&-\nsleep 0.3\nexit 0"));
  REQUIRE(record.status == ExitStatus{});
  REQUIRE(record.elapsed >= std::chrono::milliseconds{300});
  ShepherdBench reading;
  reading.run(bash("read -t 5 line; echo \"read rc=$? eof\"; cat | wc -c"));
  REQUIRE(reading.output() == "read rc=1 eof\n0\n");
}

TEST_CASE("nothing of a job outlives it, however it hides", "[shepherd]") {
  ShepherdBench bench;
  const std::string mark = "ESCAPE" + std::to_string(getpid());
  const ExitRecord record = bench.run(bash(
      "( setsid bash -c 'exec -a " + mark + "_setsid sleep 600' & )\n"
      "nohup bash -c 'exec -a " + mark + "_nohup sleep 600' >/dev/null 2>&1 &\n"
      "( trap '' TERM HUP INT; ( setsid bash -c 'exec -a " + mark + "_trap sleep 600' & ) ) & disown\n"
      "until [ $(pgrep -f " + mark + "_ | wc -l) -ge 3 ]; do :; done; echo done; exit 0"));
  REQUIRE(record.status == ExitStatus{});
  REQUIRE(bench.output() == "done\n");
  REQUIRE_FALSE(process_exists_with(mark + "_"));
}

TEST_CASE("the time limit is the cause, however the script dies", "[shepherd]") {
  struct Row {
    const char* body;
    ExitStatus status;
  };
  const Row rows[] = {{"sleep 600", {0, 15}},
                      {"trap 'echo saved; exit 0' TERM; sleep 600 & wait", {0, 0}},
                      {"trap '' TERM; sleep 600; sleep 600", {0, 9}}};
  for (const Row& row : rows) {
    ShepherdBench bench;
    bench.order.order.time_limit_s = 1;
    bench.order.kill_wait_s = 1;
    const ExitRecord record = bench.run(bash(row.body));
    INFO(row.body);
    REQUIRE(record.cause.kind == CauseKind::time_limit);
    REQUIRE(record.status == row.status);
    REQUIRE(record.elapsed >= std::chrono::seconds{1});
    REQUIRE(has(bench.output(), "slurmstepd-n1: error: *** JOB 1 ON n1 CANCELLED AT 2"));
    REQUIRE(has(bench.output(), " DUE TO TIME LIMIT ***\n"));
  }
}

TEST_CASE("a time limit that changes holds at once", "[shepherd]") {
  ShepherdBench lowered;
  lowered.order.order.time_limit_s = 3600;
  lowered.start(bash("echo up; exec sleep 600"));
  lowered.wait_for_output("up");
  lowered.order_time_limit(1);
  const ExitRecord record = lowered.wait();
  REQUIRE(record.cause.kind == CauseKind::time_limit);
  REQUIRE(has(record.cause.text, "time limit of 1 s"));

  ShepherdBench lifted;
  lifted.order.order.time_limit_s = 2;
  lifted.start(bash("echo up; sleep 2.5; exit 4"));
  lifted.wait_for_output("up");
  lifted.order_time_limit(std::nullopt);
  REQUIRE(lifted.wait().status == ExitStatus{4, 0});
}

TEST_CASE("a kill order ends a job that ignores every polite signal", "[shepherd]") {
  ShepherdBench bench;
  bench.start(bash("trap '' TERM INT HUP QUIT USR1 USR2 PIPE CONT\n"
                   "echo up; while :; do sleep 1000 & wait $!; done"));
  bench.wait_for_output("up");
  bench.order_kill({CauseKind::cancelled, 1000, "by user"}, 1);
  const ExitRecord record = bench.wait();
  REQUIRE(record.status == ExitStatus{0, 9});
  REQUIRE(record.cause == Cause{CauseKind::cancelled, 1000, "by user"});
}

TEST_CASE("a kill order that lies there before the shepherd starts is obeyed", "[shepherd]") {
  ShepherdBench bench;
  bench.start(bash("sleep 600"));
  bench.order_kill({CauseKind::cancelled, 0, ""}, 0);
  REQUIRE(bench.wait().cause.kind == CauseKind::cancelled);
}

TEST_CASE("a signal reaches the script's shell, what it started, or both", "[shepherd]") {
  ShepherdBench bench;
  bench.start(bash("for s in USR1 USR2 CONT; do trap \"echo shell got $s\" $s; done\n"
                   "bash -c 'for s in USR1 USR2 CONT; do trap \"echo child got $s\" $s; done\n"
                   "echo up; while :; do sleep 0.01; done' &\n"
                   "while :; do wait; done"));
  bench.wait_for_output("up");
  bench.order_signal(signal_order_value(SIGUSR1, SignalReach::script));
  bench.wait_for_output("shell got USR1");
  bench.order_signal(signal_order_value(SIGUSR2, SignalReach::children));
  bench.wait_for_output("child got USR2");
  bench.order_signal(signal_order_value(SIGCONT, SignalReach::all));
  bench.wait_for_output("shell got CONT");
  bench.wait_for_output("child got CONT");
  REQUIRE_FALSE(has(bench.output(), "child got USR1"));
  REQUIRE_FALSE(has(bench.output(), "shell got USR2"));
  bench.order_kill({CauseKind::cancelled, 0, ""}, 0);
  bench.wait();
}

TEST_CASE("a lapsed lease ends a leased job at once", "[shepherd]") {
  ShepherdBench bench;
  auto lease = LeasePage::open(bench.spool + "/lease").value();
  lease.set(read_clocks().steady + std::chrono::seconds{20});
  bench.order.order.leased = true;
  bench.start(bash("trap '' TERM; echo up; sleep 600"));
  bench.wait_for_output("up");
  lease.set(read_clocks().steady + std::chrono::milliseconds{300});
  bench.order_signal(SIGCONT);  // any wake-up looks at the page again
  const ExitRecord record = bench.wait();
  REQUIRE(record.cause.kind == CauseKind::lease_lapsed);
  REQUIRE(record.status.signal == 9);
}

TEST_CASE("a job whose lease lapsed before its first instruction does not start", "[shepherd]") {
  ShepherdBench bench;
  auto lease = LeasePage::open(bench.spool + "/lease").value();
  lease.set(read_clocks().steady);
  bench.order.order.leased = true;
  const ExitRecord record = bench.run(bash("echo ran"));
  REQUIRE(record.cause.kind == CauseKind::lease_lapsed);
  REQUIRE_FALSE(record.script_started);
  REQUIRE_FALSE(record.node_fault);
  REQUIRE(bench.output() == "");
}

TEST_CASE("what fails before the script is the job's fault, with path and reason", "[shepherd]") {
  SECTION("no such directory") {
    ShepherdBench bench;
    bench.order.order.work_dir = "/no/such/dir";
    const ExitRecord record = bench.run(bash("echo ran"));
    REQUIRE(record.cause.kind == CauseKind::launch_failed);
    REQUIRE(has(record.cause.text, "cannot change to directory /no/such/dir on n1 as user"));
    REQUIRE(has(record.cause.text, "No such file or directory (ENOENT)"));
    REQUIRE_FALSE(record.script_started);
    REQUIRE_FALSE(record.node_fault);
    REQUIRE(bench.output().empty());
  }
  SECTION("an interpreter that is not there, or is none: with the exit code of a shell") {
    struct Row {
      const char* script;
      const char* told;
      std::uint32_t exit_code;
    };
    const Row rows[] = {{"#!/no/interpreter -x\n", "its interpreter /no/interpreter", 127},
                        {"#!/etc/passwd\n", "its interpreter /etc/passwd", 126},
                        {"#! /tmp\n", "its interpreter /tmp", 126},
                        {"#!\n", "cannot execute the script", 126}};
    for (const Row& row : rows) {
      ShepherdBench bench;
      const ExitRecord record = bench.run(row.script);
      INFO(row.script);
      REQUIRE(record.cause.kind == CauseKind::launch_failed);
      REQUIRE(has(record.cause.text, row.told));
      REQUIRE(record.status == ExitStatus{row.exit_code, 0});
      REQUIRE_FALSE(record.script_started);
      REQUIRE_FALSE(record.node_fault);
    }
  }
  SECTION("an output file that is a directory, or in one that is not there") {
    for (const char* path : {"/tmp", "/no/such/x.out"}) {
      ShepherdBench bench;
      bench.order.order.output_path = path;
      const ExitRecord record = bench.run(bash("echo ran"));
      REQUIRE(has(record.cause.text, std::string("cannot open output file ") + path));
      REQUIRE_FALSE(record.script_started);
      REQUIRE_FALSE(record.node_fault);
    }
  }
}

TEST_CASE("files are opened as the user, never as root", "[shepherd]") {
  if (!is_root_or_says_skipped()) return;
  SECTION("a path only root may write") {
    ShepherdBench bench;
    bench.order.order.output_path = "/root/sluice-test.out";
    const ExitRecord record = bench.run(bash("echo ran"));
    REQUIRE(has(record.cause.text, "Permission denied (EACCES)"));
    REQUIRE_FALSE(std::filesystem::exists("/root/sluice-test.out"));
  }
  SECTION("the user's own link is followed, another's is not") {
    ShepherdBench bench;
    const std::string link = bench.spool + "/job_dir/link";
    REQUIRE(symlink((bench.spool + "/job_dir/target").c_str(), link.c_str()) == 0);
    bench.order.order.output_path = link;
    SECTION("his own") {
      REQUIRE(lchown(link.c_str(), bench.order.user.uid, bench.order.user.gid) == 0);
      REQUIRE(bench.run(bash("echo ran")).script_started);
      REQUIRE(bench.output() == "ran\n");
    }
    SECTION("another's") {
      REQUIRE(lchown(link.c_str(), 12345, 12345) == 0);
      REQUIRE(has(bench.run(bash("echo ran")).cause.text, "(ELOOP)"));
    }
  }
  SECTION("output belongs to the user") {
    ShepherdBench bench;
    bench.run(bash("id -u; id -G"));
    struct stat status {};
    REQUIRE(stat(bench.order.order.output_path.c_str(), &status) == 0);
    REQUIRE(status.st_uid == bench.order.user.uid);
    REQUIRE(bench.output() == "65534\n65534\n");
  }
}

TEST_CASE("out of memory is told, also when the script leaves with 0", "[shepherd]") {
  if (!is_root_or_says_skipped()) return;
  ShepherdBench bench;
  bench.order.order.share.mem_mb = 50;
  const ExitRecord record =
      bench.run(bash("bash -c 'x=$(head -c 200m /dev/zero | tr \"\\0\" x); echo ${#x}'\nexit 0"));
  REQUIRE(record.cause.kind == CauseKind::out_of_memory);
  REQUIRE(record.status == ExitStatus{});
  REQUIRE(record.usage.oom_kills >= 1);
  REQUIRE(record.usage.mem_peak_kb > 40 * 1024);
  REQUIRE(has(record.cause.text, "limit 50 MB"));
  REQUIRE(has(bench.output(), "limit 50 MB"));
}

TEST_CASE("a fork bomb hits its ceiling and is ended", "[shepherd]") {
  if (!is_root_or_says_skipped()) return;
  ShepherdBench bench;
  bench.order.pids_max = 64;
  bench.start(bash("bomb() { bomb | bomb & }; echo up; bomb; sleep 600"));
  bench.wait_for_output("up");
  bench.order_kill({CauseKind::cancelled, 0, ""}, 1);
  REQUIRE(bench.wait().cause.kind == CauseKind::cancelled);
}

TEST_CASE("a member holds its part until it is told to end", "[shepherd]") {
  ShepherdBench bench;
  bench.order.order.role = PartRole::member;
  bench.start("");
  bench.order_kill({CauseKind::none, {}, ""}, 30);
  const ExitRecord record = bench.wait();
  REQUIRE(record.script_started);
  REQUIRE(record.cause == Cause{});
}

TEST_CASE("processor time of all processes is counted", "[shepherd]") {
  ShepherdBench bench;
  const ExitRecord record =
      bench.run(bash("( for i in $(seq 30000); do :; done ) & for i in $(seq 30000); do :; done; wait"));
  REQUIRE(record.usage.user_cpu_us > 10'000);
  REQUIRE(record.usage.mem_peak_kb > 500);
}

TEST_CASE("the lease guard ends a leased job whose shepherd is frozen", "[shepherd]") {
  ShepherdBench bench;
  auto lease = LeasePage::open(bench.spool + "/lease").value();
  lease.set(read_clocks().steady + std::chrono::seconds{20});
  bench.order.order.leased = true;
  bench.order.mark = "SLUICE_RUN=test:" + bench.spool;
  bench.start(bash("trap '' TERM; echo up; while :; do echo alive >> beat; sleep 0.05; done"));
  bench.wait_for_output("up");
  REQUIRE(kill(bench.shepherd, SIGSTOP) == 0);
  lease.set(read_clocks().steady);
  const pid_t guard = bench.start_guard();
  REQUIRE(wait_until([&] { return !process_exists_with(bench.folder() + "/slurm_script"); }));
  lease.set(read_clocks().steady + std::chrono::seconds{20});  // too late for this run
  REQUIRE(kill(bench.shepherd, SIGCONT) == 0);  // and tells the cause when it wakes
  const ExitRecord record = bench.wait();
  REQUIRE(record.cause.kind == CauseKind::lease_lapsed);
  REQUIRE(record.status.signal == 9);
  std::filesystem::remove_all(bench.spool + "/runs/1.0");
  bench.end_guard(guard);
}

TEST_CASE("a lease guard of a removed spool leaves, and touches nothing of its successor",
          "[shepherd]") {
  ShepherdBench bench;
  auto lease = LeasePage::open(bench.spool + "/lease").value();
  lease.set(read_clocks().steady + std::chrono::seconds{2});
  const pid_t guard = bench.start_guard();
  REQUIRE(wait_until([&] { return std::filesystem::exists(bench.spool + "/guard"); }));
  for (const char* name : {"/guard", "/lease"}) std::filesystem::remove(bench.spool + name);
  REQUIRE(LeasePage::open(bench.spool + "/lease").ok());  // the successor's: nothing is fenced
  bench.order.order.leased = true;
  bench.start(bash("echo up; until [ -e end ]; do sleep 0.01; done; exit 4"));
  bench.wait_for_output("up");
  REQUIRE(wait_until([&] { return waitpid(guard, nullptr, WNOHANG) == guard; }));
  REQUIRE(replace_file(bench.order.order.work_dir + "/end", "", 0644).ok());
  REQUIRE(bench.wait().status == ExitStatus{4, 0});
}
