// ends_test.cpp: stories of jobs that are run again by their exit code, and of mail.
#include <catch2/catch.hpp>

#include "tests/scenario/world.h"

using namespace sluice;
using std::chrono::minutes;
using std::chrono::seconds;
using enum MailType;

namespace {

EndConfig run_again_on(std::uint32_t code, std::uint32_t held_on) {
  EndConfig ends;
  ends.requeue_exit.insert(code);
  ends.requeue_exit_hold.insert(held_on);
  ends.requeue_max = 2;
  return ends;
}

std::vector<std::string> subjects(World& world) {
  std::vector<std::string> all;
  for (const SendMail& mail : world.take_mails()) all.push_back(mail.subject);
  return all;
}

}  // namespace

TEST_CASE("exit codes of RequeueExit run a job again, counted apart, and not for ever") {
  World world = World::with_nodes(1);
  world.set_ends(run_again_on(99, 98));
  const JobId job = world.submit({});
  world.settle();
  world.exit(job, {99, 0});
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE(world.record(job).run.value == 1);
  REQUIRE(world.record(job).retries_by_exit == 1);
  REQUIRE(world.record(job).retries_by_node == 0);
  world.exit(job, {}, {CauseKind::node_fault, std::nullopt, "spool"}, true);
  REQUIRE(world.record(job).retries_by_node == 1);
  REQUIRE(world.record(job).retries_by_exit == 1);
  world.exit(job, {99, 0});
  world.exit(job, {99, 0});
  REQUIRE(world.record(job).reason == Reason::JobHeldAdmin);
  REQUIRE(world.record(job).run.value == 4);
}

TEST_CASE("a code of RequeueExitHold holds the job as SPECIAL_EXIT until it is released") {
  World world = World::with_nodes(1);
  world.set_ends(run_again_on(99, 98));
  const JobId job = world.submit({});
  const JobId never = world.submit({.requeue = false});
  world.settle();
  world.exit(job, {98, 0});
  world.exit(never, {98, 0});
  REQUIRE(world.outcome_of(never) == Outcome::failed);
  const JobRecord& record = world.record(job);
  REQUIRE(std::string(state_word(record.state, record.end, record.special_exit)) == "SPECIAL_EXIT");
  REQUIRE(record.hold == Hold::user);
  REQUIRE(record.priority == 0);
  world.restart_controller();
  world.connect("n1");
  world.update({.filter = {.jobs = {{job, {}}}}, .action = JobAction::release});
  world.settle();
  REQUIRE(world.state_of(job) == JobState::running);
  REQUIRE_FALSE(world.record(job).special_exit);
}

TEST_CASE(
    "requeuehold makes a special exit where it is asked for; incomplete spares what ended well") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId array = world.submit({.array = "0-1"});
  world.settle();
  const auto tasks = world.core.state.arrays.at(array).records;
  world.exit(tasks.at(0));
  world.exit(tasks.at(1), {1, 0});
  world.update(
      {.filter = {.jobs = {{array, {}}}}, .action = JobAction::requeue, .incomplete = true});
  world.settle();
  REQUIRE(world.state_of(tasks.at(0)) == JobState::ended);
  REQUIRE(world.state_of(tasks.at(1)) == JobState::running);
  world.update({.filter = {.jobs = {{tasks.at(1), {}}}},
                .action = JobAction::requeue_hold,
                .special_exit = true});
  REQUIRE(world.record(tasks.at(1)).special_exit);
  REQUIRE(world.record(tasks.at(1)).reason == Reason::JobHeldUser);
}

TEST_CASE("mail is sent at what was asked for, in Slurm's words") {
  World world = World::with_nodes(1);
  const JobId job = world.submit(
      {.time_limit_min = 10, .mail = {{BEGIN, END, FAIL, TIME_LIMIT_50, TIME_LIMIT_90}, ""}});
  world.settle();
  const std::vector<SendMail> first = world.take_mails();
  REQUIRE(first.size() == 1);
  REQUIRE(first[0].to == "walter");
  REQUIRE(first[0].subject == "Slurm Job_id=1 Name=story Began, Queued time 00:00:00");
  world.pass(minutes{4});
  REQUIRE(subjects(world).empty());
  world.restart_controller();
  world.connect("n1");
  world.pass(minutes{1} + seconds{1});
  REQUIRE(subjects(world) ==
          std::vector<std::string>{"Slurm Job_id=1 Name=story Reached 50% of time limit"});
  world.exit(job, {3, 0});
  REQUIRE(subjects(world) == std::vector<std::string>{"Slurm Job_id=1 Name=story Failed, Run time "
                                                      "00:05:01, FAILED, ExitCode 3"});
  world.pass(minutes{6});
  REQUIRE(subjects(world).empty());
}

TEST_CASE("who asks only for the end hears of any end; who asks for nothing hears nothing") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId good = world.submit({.mail = {{END}, "a@b.org"}});
  const JobId bad = world.submit({.mail = {{END}, ""}});
  const JobId silent = world.submit({});
  world.settle();
  world.exit(good);
  const std::vector<SendMail> mails = world.take_mails();
  REQUIRE(mails.size() == 1);
  REQUIRE(mails[0].to == "a@b.org");
  REQUIRE(mails[0].subject ==
          "Slurm Job_id=1 Name=story Ended, Run time 00:00:00, COMPLETED, ExitCode 0");
  world.exit(bad, {1, 0});
  REQUIRE(subjects(world).size() == 1);
  world.exit(silent, {1, 0});
  REQUIRE(subjects(world).empty());
}

TEST_CASE("an array speaks once, or task by task where that is asked for") {
  World world = World::with_nodes(1, {.cpus = 8});
  const JobId array = world.submit({.array = "0-1", .mail = {{BEGIN, END, FAIL}, ""}});
  world.settle();
  REQUIRE(subjects(world) ==
          std::vector<std::string>{
              "Slurm Array Summary Job_id=1_* (1) Name=story Began, Queued time 00:00:00"});
  const auto tasks = world.core.state.arrays.at(array).records;
  world.exit(tasks.at(0), {2, 0});
  REQUIRE(subjects(world).empty());
  world.exit(tasks.at(1));
  REQUIRE(subjects(world) ==
          std::vector<std::string>{
              "Slurm Array Summary Job_id=1_* (1) Name=story Failed, Mixed, ExitCode [0-2]"});
  world.submit({.array = "5-6", .mail = {{BEGIN, ARRAY_TASKS}, ""}});
  world.settle();
  REQUIRE(subjects(world).size() == 2);
}

TEST_CASE("a word that would be an option of the mail program is refused") {
  World world = World::with_nodes(1);
  for (const char* user : {"-oops", "a b", "a\nb"})
    REQUIRE(world.submit_refused({.mail = {{END}, user}}).code == ErrorCode::invalid_argument);
}

TEST_CASE("a name's line ends cannot begin another line of a mail") {
  World world = World::with_nodes(1);
  world.submit({.name = "a\nBcc: x", .mail = {{BEGIN}, ""}});
  world.settle();
  REQUIRE(subjects(world).at(0).find('\n') == std::string::npos);
}

TEST_CASE("only an administrator gives a job its priority") {
  World world = World::with_nodes(1);
  const JobId job = world.submit({.hold = true});
  UpdateJobs release{.filter = {.jobs = {{job, {}}}}, .action = JobAction::release};
  world.update(release);
  UpdateJobs raise{.filter = {.jobs = {{job, {}}}}, .priority = 4'294'967'000};
  REQUIRE(world.update(raise).answers.at(0).error == ErrorCode::access_denied);
  REQUIRE_FALSE(world.update(raise, 0, true).answers.at(0).error);
  world.update({.filter = release.filter, .action = JobAction::hold});
  world.update(release);
  REQUIRE(world.record(job).priority == 4'294'967'000);
}
