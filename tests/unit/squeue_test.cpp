// squeue_test.cpp: columns, layouts, order and expansion of the queue, against lines of a real
// Slurm.
#include <catch2/catch.hpp>

#include "cli/listing/job_list.h"
#include "cli/listing/selectors.h"
#include "common/base/describe.h"
#include "tests/unit/filled_record.h"
#include "tests/unit/listing_examples.h"

using namespace sluice;
using namespace sluice::examples;

namespace {
constexpr const char* default_format = "%.18i %.9P %.8j %.8u %.2t %.10M %.6D %R";

std::string line_of(const JobInfo& job, std::string_view format) {
  std::string out;
  append_line(parse_letters(job_columns(), format), JobRow{&job, {}}, context(), out);
  return out;
}

std::string fields_of(const JobInfo& job, std::string_view list) {
  std::string out;
  append_line(parse_fields(job_columns(), list), JobRow{&job, {}}, context(), out);
  return out;
}

std::vector<std::string> ids_of(const std::vector<JobInfo>& jobs, bool each_task,
                                const char* order) {
  std::vector<std::string> ids;
  const auto keys = parse_job_order(order);
  REQUIRE(keys.ok());
  for (const JobRow& row : job_rows(jobs, each_task, *keys, context())) {
    append_shown_id(row, ids.emplace_back());
  }
  return ids;
}
}  // namespace

TEST_CASE("squeue shows a job as Slurm does", "[listing]") {
  std::string heading;
  append_heading(parse_letters(job_columns(), default_format), heading);
  REQUIRE(heading ==
          "             JOBID PARTITION     NAME     USER ST       TIME  NODES NODELIST(REASON)\n");
  REQUIRE(line_of(job_30(), default_format) ==
          "                30     debug  jobname    stest  R       0:02      2 n[1-2]\n");
  REQUIRE(
      line_of(job_30(),
              "%A|%a|%B|%c|%C|%d|%D|%e|%E|%f|%F|%g|%G|%h|%H|%i|%I|%j|%J|%k|%K|%l|%L|%m|%M|%n|%N|"
              "%o|%O|%p|%P|%q|%Q|%r|%R|%s|%S|%t|%T|%u|%U|%v|%V|%w|%W|%x|%X|%y|%Y|%z|%Z") ==
      "30|acct1|n1|1|3|0|2|2026-11-30T02:21:35|(null)|(null)|30|stest|1001|OK|*|30|*|jobname|*|"
      "a b|N/A|5:00|4:58|50M|0:02||n[1-2]|/home/user/w/b.sh A1 A2|0|0.00000047101639|debug|"
      "normal|2023|None|n[1-2]||2026-11-30T02:16:35|R|RUNNING|stest|1001|(null)|"
      "2026-11-30T02:16:35|(null)|(null)||N/A|0|(null)|*:*:*|/home/user/w\n");
}

TEST_CASE("squeue shows what was asked of the nodes", "[listing]") {
  REQUIRE(line_of(job_with_options(), "%c|%d|%f|%h|%W|%b") ==
          "4|2G|(a|b)&c*2|USER|lica:2,licb|gres:nic:1\n");
  REQUIRE(fields_of(job_with_options(), "cpus-per-tres:|,mem-per-tres:|,tres-per-job:|") ==
          "gres:gpu:2|gres:gpu:512|gres:gpu:a100:2|\n");
  REQUIRE(fields_of(job_with_options(), "tres-per-task:|,mintime:|,ntpercore:|,ntpersocket:|") ==
          "gres:gpu:1|2:00|1|2|\n");
}

TEST_CASE("text between the letters of a format passes untouched", "[listing]") {
  const JobInfo job = job_30();
  REQUIRE(line_of(job, "\"%i\",\"%j\"") == "\"30\",\"jobname\"\n");
  REQUIRE(line_of(job, " %C") == " 3\n");
  REQUIRE(line_of(job, "{\"a\": %A, \"p\": \"%P\"}") == "{\"a\": 30, \"p\": \"debug\"}\n");
  REQUIRE(line_of(job, "%i<><> %t\x1f") == "30<><> R\x1f\n");
  REQUIRE(line_of(job, "nothing") == "nothing\n");
}

TEST_CASE("two percent signs count as one, an unknown letter stays as it is", "[listing]") {
  const JobInfo job = job_30();
  REQUIRE(line_of(job, "%%i|%%T") == "30|RUNNING\n");
  const auto layout = parse_letters(job_columns(), "%.5i|%-8u|%10j|%.10j|%j|%%");
  REQUIRE(layout.unknown == std::vector<std::string>{"-"});
  std::string out;
  append_line(layout, JobRow{&job, {}}, context(), out);
  REQUIRE(out == "   30|%-8u|jobname   |   jobname|jobname|\n");
}

TEST_CASE("values are cut to the width, on the side where they end", "[listing]") {
  JobInfo job = job_30();
  job.names.name = "verylongjobnamethatgoesonandon";
  REQUIRE(line_of(job, "%8j|%.8j|%j") == "verylong|verylong|verylongjobnamethatgoesonandon\n");
  REQUIRE(fields_of(job, "jobid:6,name:10,name:.12,name") ==
          "30    verylongjoverylongjobnverylongjobnamethatg\n");
}

TEST_CASE("fields by name are padded to 20 or to their width, or carry a suffix", "[listing]") {
  const JobInfo job = job_30();
  REQUIRE(fields_of(job, "JobArrayID,StateCompact,Reason") ==
          "30                  R                   None                \n");
  REQUIRE(fields_of(job, "jobid:5,arraytaskid:10,tres-per-node:20,gres:10") ==
          "30   N/A       N/A                 N/A       \n");
  REQUIRE(fields_of(job, "JobID:\x1f,StateCompact:\x1f,Name:###turm###") ==
          "30\x1fR\x1fjobname###turm###\n");
  REQUIRE(parse_fields(job_columns(), "jobid,bogus").unknown == std::vector<std::string>{"bogus"});
}

TEST_CASE("array tasks are named as Slurm names them", "[listing]") {
  const JobInfo rest = waiting_array(64, IndexSet{{{2, 3, 1}}}, 2);
  REQUIRE(line_of(rest, "%A|%i|%F|%K|%t|%N|%R|%r") ==
          "64|64_[2-3%2]|64|2-3%2|PD||(JobArrayTaskLimit)|JobArrayTaskLimit\n");
  REQUIRE(line_of(waiting_array(5, IndexSet{{{1, 7, 2}}}, 0), "%i") == "5_[1,3,5,7]\n");
  REQUIRE(line_of(waiting_array(238, IndexSet{{{3, 3, 1}}}, 2), "%i %K") == "238_3 3\n");
  JobInfo task = job_30();
  task.array = ArrayPlace{JobId{28}, 1, {}};
  REQUIRE(line_of(task, "%A|%i|%F|%K") == "30|28_1|28|1\n");
}

TEST_CASE("-r shows each waiting task, pending before running", "[listing]") {
  JobInfo task = job_30();
  task.array = ArrayPlace{JobId{64}, 1, {}};
  const std::vector<JobInfo> jobs = {task, waiting_array(64, IndexSet{{{2, 6, 2}, {3, 3, 1}}}, 0)};
  REQUIRE(ids_of(jobs, true, default_job_order) ==
          std::vector<std::string>{"64_2", "64_3", "64_4", "64_6", "64_1"});
  REQUIRE(ids_of(jobs, false, default_job_order) == std::vector<std::string>{"64_[2-4,6]", "64_1"});
}

TEST_CASE("the order is by partition, state and priority unless said", "[listing]") {
  std::vector<JobInfo> jobs = {job_30(), pending_job(61, Reason::Priority),
                               pending_job(62, Reason::Resources), pending_job(63, Reason::None)};
  jobs[2].wait.priority = 200;
  jobs[3].names.partition = "a";
  REQUIRE(ids_of(jobs, false, default_job_order) ==
          std::vector<std::string>{"63", "62", "61", "30"});
  REQUIRE(ids_of(jobs, false, "-i") == std::vector<std::string>{"63", "62", "61", "30"});
  REQUIRE(ids_of(jobs, false, "p,-i,u") == std::vector<std::string>{"63", "61", "62", "30"});
  REQUIRE(parse_job_order("bogus").error().detail == "s");
}

TEST_CASE("what waits or ended shows why instead of where", "[listing]") {
  REQUIRE(line_of(pending_job(7, Reason::PartitionTimeLimit), "%R|%N|%B|%S|%M") ==
          "(PartitionTimeLimit)||n/a|N/A|0:00\n");
  const JobInfo failed = ended_job(Outcome::failed, {.code = 3, .signal = 0});
  REQUIRE(line_of(failed, "%R|%t|%M") == "(NonZeroExitCode)|F|0:04\n");
  REQUIRE(line_of(ended_job(Outcome::failed, {.code = 0, .signal = 9}), "%r") ==
          "JobLaunchFailure\n");
  REQUIRE(line_of(ended_job(Outcome::timeout, {.code = 0, .signal = 15}), "%r") == "TimeLimit\n");
  JobInfo never_ran = pending_job(62, Reason::Dependency);
  never_ran.state = JobState::ended;
  never_ran.end = JobEnd{Outcome::cancelled, {}, {}};
  REQUIRE(line_of(never_ran, "%i %t %r") == "62 CA Dependency\n");
  const JobInfo cancelled = ended_job(Outcome::cancelled, {.code = 0, .signal = 15});
  REQUIRE(line_of(cancelled, "%i %T %r %R") == "30 CANCELLED None n[1-2]\n");
}

TEST_CASE("squeue --start shows a planned start and its nodes", "[listing]") {
  JobInfo job = pending_job(7, Reason::Resources);
  job.wait.planned_start = at(submitted_s + 60);
  job.wait.planned_nodes = "n[1-2]";
  REQUIRE(line_of(job, "%S|%Y|%R") == "2026-11-30T02:17:35|n[1-2]|(Resources)\n");
  job.state = JobState::ended;
  job.end = JobEnd{Outcome::cancelled, {}, {}};
  REQUIRE(line_of(job, "%S") == "N/A\n");
}

TEST_CASE("every column asks only for members a record has", "[listing]") {
  std::vector<std::string> members;
  for_each_member<JobInfo>([&](std::string_view name, auto) { members.emplace_back(name); });
  for (const Column<JobRow>& column : job_columns()) {
    std::vector<std::string> groups;
    add_words(column.traits, groups);
    INFO(column.heading);
    for (const std::string& group : groups)
      REQUIRE(std::find(members.begin(), members.end(), group) != members.end());
  }
}

// All members that are not asked for are taken away; the cell must not change.
void require_groups(const Column<JobRow>& column, const JobInfo& whole) {
  std::vector<std::string> groups = {"id", "state", "array"};
  add_words(column.traits, groups);
  JobInfo part;
  for_each_member<JobInfo>([&](std::string_view name, auto member) {
    if (std::find(groups.begin(), groups.end(), name) != groups.end())
      part.*member = whole.*member;
  });
  std::string from_whole;
  std::string from_part;
  column.render(JobRow{&whole, {}}, context(), from_whole);
  column.render(JobRow{&part, {}}, context(), from_part);
  INFO(column.names);
  REQUIRE(from_part == from_whole);
}

TEST_CASE("a column reads no member that it does not ask for", "[listing]") {
  JobInfo example = ended_job(Outcome::failed, {.code = 3, .signal = 0});
  example.asked = job_with_options().asked;
  const JobInfo filled = filled_record<JobInfo>();
  for (const Column<JobRow>& column : job_columns()) {
    require_groups(column, example);
    require_groups(column, filled);
  }
}

TEST_CASE("lists of ids and states are read as Slurm reads them", "[listing]") {
  const auto selectors = parse_job_selectors("5,6_3,7_[1-2,9],8.batch");
  REQUIRE(selectors.ok());
  REQUIRE(selectors->size() == 4);
  REQUIRE((*selectors)[2].tasks.size() == 3);
  REQUIRE(parse_job_selectors("").value().empty());
  REQUIRE(parse_job_selectors("5,abc").error() == Error{ErrorCode::invalid_job_id, "abc"});
  REQUIRE(parse_job_states("pd,Running,CG").value() ==
          std::vector<std::string>{"PENDING", "RUNNING", "COMPLETING"});
  REQUIRE(parse_job_states("All").value() == std::vector<std::string>{"ALL"});
  REQUIRE(parse_job_states("XX").error().detail == "XX");
}

TEST_CASE("selecting tasks narrows a waiting array", "[listing]") {
  std::vector<JobInfo> jobs = {waiting_array(64, IndexSet{{{1, 9, 1}}}, 0), job_30()};
  narrow_to_selected(jobs, {JobSelector{JobId{64}, IndexSet{{{3, 3, 1}}}}});
  REQUIRE(line_of(jobs[0], "%i") == "64_3\n");
  REQUIRE(jobs.size() == 2);
  narrow_to_selected(jobs, {JobSelector{JobId{64}, IndexSet{{{8, 8, 1}}}}});
  REQUIRE(jobs.size() == 1);
}
