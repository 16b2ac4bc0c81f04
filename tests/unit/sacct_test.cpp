// sacct_test.cpp: accounting of jobs and their batch steps, against outputs of a real Slurm.
#include <catch2/catch.hpp>

#include <algorithm>

#include "cli/listing/account_columns.h"
#include "common/base/describe.h"
#include "tests/unit/filled_record.h"
#include "tests/unit/listing_examples.h"

using namespace sluice;
using namespace sluice::examples;

namespace {
constexpr AccountStyle parsable2{.parsable = true, .closes_line = false, .delimiter = "|"};

std::string shown(std::vector<JobInfo> jobs, std::string_view format, const AccountStyle& style,
                  bool with_steps = true, bool with_heading = false) {
  const auto cells = parse_account_format(format);
  INFO(format);
  REQUIRE(cells.ok());
  std::string out;
  if (with_heading) append_account_heading(*cells, style, out);
  for (const AccountRow& row : account_rows(jobs, {.with_steps = with_steps, .selectors = {}}))
    append_account_line(*cells, style, row, context(), out);
  return out;
}
std::string parsed(const JobInfo& job, std::string_view format, bool with_steps = true) {
  return shown({job}, format, parsable2, with_steps);
}
}  // namespace

TEST_CASE("sacct shows a job and its batch step as Slurm does", "[listing]") {
  REQUIRE(shown({job_30()}, "jobid,jobname,partition,account,alloccpus,state,exitcode", {}, true,
                true) ==
          "JobID           JobName  Partition    Account  AllocCPUS      State ExitCode \n"
          "------------ ---------- ---------- ---------- ---------- ---------- -------- \n"
          "30              jobname      debug      acct1          3    RUNNING      0:0 \n"
          "30.batch          batch                 acct1          2    RUNNING      0:0 \n");
  REQUIRE(
      parsed(job_30(),
             "reqtres,alloctres,reqmem,nnodes,nodelist,timelimit,timelimitraw,start,end") ==
      "billing=3,cpu=3,mem=150M,node=2|billing=3,cpu=3,mem=150M,node=2|150M|2|n[1-2]|00:05:00|5|"
      "2026-11-30T02:16:35|Unknown\n"
      "|cpu=2,mem=100M,node=1||1|n1|||2026-11-30T02:16:35|Unknown\n");
}

TEST_CASE("a step that is named is shown alone", "[listing]") {
  std::vector<JobInfo> jobs{job_30()};
  const auto rows = [&](std::string_view list, bool with_steps = true) {
    std::string shown;
    for (const AccountRow& row :
         account_rows(jobs, {with_steps, parse_step_selectors(list).value()}))
      shown += row.is_batch_step ? "batch " : "job ";
    return shown;
  };
  REQUIRE(rows("30.batch") == "batch ");
  REQUIRE(rows("30") == "job batch ");
  REQUIRE(rows("30.batch,30") == "job batch ");
  REQUIRE(rows("30.0") == "");
  REQUIRE(rows("30.batch", false) == "job ");
}

TEST_CASE("a cancelled job names who did it; its step has the signal", "[listing]") {
  const JobInfo job = ended_job(Outcome::cancelled, {.code = 0, .signal = 15},
                                {.kind = CauseKind::cancelled, .uid = 1001, .text = {}});
  REQUIRE(parsed(job, "jobid,state,exitcode") ==
          "30|CANCELLED by 1001|0:0\n30.batch|CANCELLED|0:15\n");
  REQUIRE(shown({job}, "jobid,state", {}, false) == "30           CANCELLED+ \n");
  REQUIRE(shown({job}, "jobid,state%20", {}, false) == "30              CANCELLED by 1001 \n");
}

TEST_CASE("exit codes follow how the job ended", "[listing]") {
  struct Row {
    Outcome outcome;
    ExitStatus status;
    const char* expected;
  };
  const Row rows[] = {
      {Outcome::completed, {0, 0}, "COMPLETED|0:0\nCOMPLETED|0:0\n"},
      {Outcome::failed, {137, 0}, "FAILED|137:0\nFAILED|137:0\n"},
      {Outcome::failed, {0, 9}, "FAILED|0:9\nFAILED|0:9\n"},
      {Outcome::timeout, {0, 15}, "TIMEOUT|0:0\nCANCELLED|0:15\n"},
      {Outcome::out_of_memory, {0, 125}, "OUT_OF_MEMORY|0:125\nOUT_OF_MEMORY|0:125\n"},
      {Outcome::node_fail, {0, 0}, "NODE_FAIL|0:0\nCANCELLED|0:0\n"},
  };
  for (const Row& row : rows)
    REQUIRE(parsed(ended_job(row.outcome, row.status), "state,exitcode") == row.expected);
}

TEST_CASE("what never started has no step, no nodes and its end for a start", "[listing]") {
  JobInfo job = pending_job(58, Reason::None);
  REQUIRE(parsed(job, "jobid,state,nodelist,start,end,elapsed,alloccpus") ==
          "58|PENDING|None assigned|Unknown|Unknown|00:00:00|0\n");
  job.state = JobState::ended;
  job.end = JobEnd{Outcome::cancelled, {}, {.kind = CauseKind::cancelled, .uid = 0, .text = {}}};
  job.times.ended = at(submitted_s);
  REQUIRE(parsed(job, "jobid,state,nodelist,start,end") ==
          "58|CANCELLED by 0|None assigned|2026-11-30T02:16:35|2026-11-30T02:16:35\n");
}

TEST_CASE("arrays stand together with the waiting rest last", "[listing]") {
  JobInfo first = job_30();
  first.id = JobId{65};
  first.array = ArrayPlace{JobId{64}, 0, {}};
  JobInfo second = first;
  second.id = JobId{66};
  second.array->task = 1;
  REQUIRE(shown({waiting_array(64, IndexSet{{{2, 3, 1}}}, 2), second, first},
                "JobID,JobIDRaw,State,NodeList", parsable2) ==
          "64_0|65|RUNNING|n[1-2]\n64_0.batch|65.batch|RUNNING|n1\n"
          "64_1|66|RUNNING|n[1-2]\n64_1.batch|66.batch|RUNNING|n1\n"
          "64_[2-3%2]|64|PENDING|None assigned\n");
}

TEST_CASE("usage is shown in the units clients parse", "[listing]") {
  JobInfo job = ended_job(Outcome::completed, {});
  job.usage = {.user_cpu_us = 30'000, .system_cpu_us = 2'000, .mem_peak_kb = 4140, .oom_kills = 0};
  REQUIRE(parsed(job, "totalcpu,usercpu,systemcpu,maxrss,elapsed,elapsedraw,cputime") ==
          "00:00.032|00:00.030|00:00.002||00:00:04|4|00:00:12\n"
          "00:00.032|00:00.030|00:00.002|4140K|00:00:04|4|00:00:08\n");
  job.usage.user_cpu_us = 93'784'000'000;
  REQUIRE(parsed(job, "usercpu", false) == "1-02:03:04\n");
}

TEST_CASE("the reason is the word, then the sentence", "[listing]") {
  JobInfo job = pending_job(7, Reason::Resources);
  REQUIRE(parsed(job, "reason") == "Resources\n");
  job.wait.reason_detail = "needs 9 cpus, 3 are free";
  REQUIRE(parsed(job, "reason") == "Resources: needs 9 cpus, 3 are free\n");
}

TEST_CASE("the reason of an ended job is how it ended and its cause", "[listing]") {
  const JobInfo job = ended_job(
      Outcome::failed, {.code = 1, .signal = 0},
      {.kind = CauseKind::launch_failed, .uid = {}, .text = "uid 54321 is unknown on n1"});
  REQUIRE(parsed(job, "state,reason", false) ==
          "FAILED|JobLaunchFailure: uid 54321 is unknown on n1\n");
}

TEST_CASE("formats take names in any case, widths, and all", "[listing]") {
  const auto cells = parse_account_format("JOBID, state%30,nodelist%-256");
  REQUIRE(cells.ok());
  REQUIRE((*cells)[1].width == 30);
  REQUIRE((*cells)[2].left);
  REQUIRE(std::string((*cells)[0].column->name) == "JobID");
  REQUIRE(parse_account_format("all")->size() == account_columns().size());
  REQUIRE(parse_account_format("jobid,nosuch").error().detail == "nosuch");
  REQUIRE(!parse_account_format("jobid%x").ok());
}

TEST_CASE("parsable lines end in a delimiter only with -p", "[listing]") {
  const JobInfo job = ended_job(Outcome::completed, {});
  REQUIRE(shown({job}, "jobid,state", {.parsable = true, .closes_line = true, .delimiter = "|"},
                false) == "30|COMPLETED|\n");
  REQUIRE(shown({job}, "jobid,state", {.parsable = true, .closes_line = false, .delimiter = "^|^"},
                false, true) == "JobID^|^State\n30^|^COMPLETED\n");
}

// All members that are not asked for are taken away; the cell must not change.
void require_groups(const AccountColumn& column, const JobInfo& whole) {
  std::vector<std::string> groups = {"id", "state", "array"};
  add_words(column.groups, groups);
  JobInfo part;
  for_each_member<JobInfo>([&](std::string_view name, auto member) {
    if (std::find(groups.begin(), groups.end(), name) != groups.end())
      part.*member = whole.*member;
  });
  for (const bool is_step : {false, true}) {
    std::string from_whole;
    std::string from_part;
    column.render(AccountRow{&whole, is_step}, context(), from_whole);
    column.render(AccountRow{&part, is_step}, context(), from_part);
    INFO(column.name);
    REQUIRE(from_part == from_whole);
  }
}

TEST_CASE("an account column reads no member that it does not ask for", "[listing]") {
  const JobInfo example = ended_job(Outcome::failed, {.code = 3, .signal = 0});
  const JobInfo filled = filled_record<JobInfo>();
  for (const AccountColumn& column : account_columns())
    for (const JobInfo* whole : {&example, &filled}) require_groups(column, *whole);
}
