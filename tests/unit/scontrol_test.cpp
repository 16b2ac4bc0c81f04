// scontrol_test.cpp: the records of `scontrol show`, against outputs of a real Slurm.
#include <catch2/catch.hpp>

#include "cli/listing/show_text.h"
#include "cli/listing/status_text.h"
#include "tests/unit/listing_examples.h"

using namespace sluice;
using namespace sluice::examples;

namespace {
std::string shown(const JobInfo& job, ShowStyle style = {}) {
  return show_job_text(JobRow{&job, {}}, style, context());
}
bool contains(const std::string& text, std::string_view part) {
  return text.find(part) != std::string::npos;
}
}  // namespace

TEST_CASE("show job has Slurm's keys in Slurm's order, and the sentence last", "[listing]") {
  JobInfo job = job_30();
  REQUIRE(shown(job) ==
          "JobId=30 JobName=jobname\n"
          "   UserId=stest(1001) GroupId=stest(1001) MCS_label=N/A\n"
          "   Priority=2023 Nice=0 Account=acct1 QOS=normal\n"
          "   JobState=RUNNING Reason=None Dependency=(null)\n"
          "   Requeue=1 Restarts=0 BatchFlag=1 Reboot=0 ExitCode=0:0\n"
          "   RunTime=00:00:02 TimeLimit=00:05:00 TimeMin=N/A\n"
          "   SubmitTime=2026-11-30T02:16:35 EligibleTime=2026-11-30T02:16:35\n"
          "   AccrueTime=2026-11-30T02:16:35\n"
          "   StartTime=2026-11-30T02:16:35 EndTime=2026-11-30T02:21:35 Deadline=N/A\n"
          "   SuspendTime=None SecsPreSuspend=0 LastSchedEval=Unknown Scheduler=Main\n"
          "   Partition=debug AllocNode:Sid=localhost:0\n"
          "   ReqNodeList=(null) ExcNodeList=(null)\n"
          "   NodeList=n[1-2]\n"
          "   BatchHost=n1\n"
          "   NumNodes=2 NumCPUs=3 NumTasks=3 CPUs/Task=1 ReqB:S:C:T=0:0:*:*\n"
          "   TRES=cpu=3,mem=150M,node=2,billing=3\n"
          "   Socks/Node=* NtasksPerN:B:S:C=0:0:*:* CoreSpec=*\n"
          "   MinCPUsNode=1 MinMemoryCPU=50M MinTmpDiskNode=0\n"
          "   Features=(null) DelayBoot=00:00:00\n"
          "   OverSubscribe=OK Contiguous=0 Licenses=(null) Network=(null)\n"
          "   Command=/home/user/w/b.sh A1 A2\n"
          "   WorkDir=/home/user/w\n"
          "   Comment=a b\n"
          "   StdErr=/home/user/w/out\n"
          "   StdIn=/dev/null\n"
          "   StdOut=/home/user/w/out\n"
          "   Power=\n"
          "   ReasonDetail=(null)\n\n");
}

TEST_CASE("show job has what was asked of the nodes", "[listing]") {
  const std::string text = shown(job_with_options());
  for (const char* line :
       {" TimeMin=00:02:00\n", " NtasksPerN:B:S:C=0:0:2:1 ",
        "MinCPUsNode=4 MinMemoryCPU=50M MinTmpDiskNode=2G\n", "Features=(a|b)&c*2 ",
        "OverSubscribe=USER Contiguous=0 Licenses=lica:2,licb ",
        "Power=\n   CpusPerTres=gres:gpu:2\n   MemPerTres=gres:gpu:512\n"
        "   TresPerJob=gres:gpu:a100:2\n   TresPerNode=gres:nic:1\n   TresPerTask=gres:gpu:1\n"})
    REQUIRE(contains(text, line));
}

TEST_CASE("show licenses is sorted and tells what is left", "[listing]") {
  ConfigReply reply;
  reply.config.licenses = {{"licb", 5}, {"lica", 10}};
  reply.licenses_used = {{"lica", 8}};
  REQUIRE(show_licenses_text(reply, "", {}) ==
          "LicenseName=lica\n    Total=10 Used=8 Free=2 Reserved=0 Remote=no\n"
          "LicenseName=licb\n    Total=5 Used=0 Free=5 Reserved=0 Remote=no\n");
  REQUIRE(show_licenses_text(reply, "lica", {.one_line = true, .details = false}) ==
          "LicenseName=lica Total=10 Used=8 Free=2 Reserved=0 Remote=no\n");
  REQUIRE(show_licenses_text(reply, "licc", {}).empty());
}

TEST_CASE("what was asked for around the end of a job is shown where it was asked for",
          "[listing]") {
  JobInfo job = job_30();
  job.state = JobState::pending;
  job.special_exit = true;
  job.names.wckey = "keyed";
  job.asked.signal = SignalRequest{12, 90, false};
  job.asked.mail.types = {MailType::END, MailType::FAIL};
  job.asked.retries_by_exit = 2;
  const std::string text = shown(job);
  REQUIRE(contains(text, " QOS=normal WCKey=keyed\n   JobState=SPECIAL_EXIT "));
  REQUIRE(contains(text,
                   "   Signal=USR2@90\n   MailUser=stest MailType=END,FAIL\n"
                   "   RestartsByNode=0 RestartsByExit=2\n   ReasonDetail="));
}

TEST_CASE("with -o a job is one line of single blanks", "[listing]") {
  const std::string text = shown(job_30(), {.one_line = true, .details = true});
  REQUIRE(text.find('\n') == text.size() - 1);
  REQUIRE(!contains(text, "  "));
  REQUIRE(contains(text, " ExitCode=0:0 DerivedExitCode=0:0 RunTime=00:00:02 "));
  REQUIRE(contains(text, " JOB_GRES=(null) Nodes=n1 CPUs=2 Mem=100 GRES= Nodes=n2 "));
}

TEST_CASE("a waiting array is shown with its tasks and throttle", "[listing]") {
  JobInfo job = waiting_array(221, IndexSet{{{0, 3, 1}}}, 2);
  job.asked.request.nodes_min = job.asked.request.nodes_max = 1;
  const std::string text = shown(job, {.one_line = true, .details = false});
  REQUIRE(text.starts_with(
      "JobId=221 ArrayJobId=221 ArrayTaskId=0-3%2 ArrayTaskThrottle=2 JobName=wrap "));
  REQUIRE(contains(text, " StartTime=Unknown EndTime=Unknown "));
  REQUIRE(contains(text, " EligibleTime=Unknown AccrueTime=Unknown "));
  REQUIRE(contains(text, " NodeList= NumNodes=1-1 "));
  REQUIRE(!contains(text, "BatchHost"));
}

TEST_CASE("an ended job keeps the status of its script and the reason's sentence", "[listing]") {
  JobInfo job = ended_job(Outcome::cancelled, {.code = 0, .signal = 15});
  job.wait.reason_detail = "cancelled by stest";
  const std::string text = shown(job, {.one_line = true, .details = false});
  REQUIRE(contains(text, "JobState=CANCELLED Reason=None "));
  REQUIRE(contains(text, " ExitCode=0:15 RunTime=00:00:04 "));
  REQUIRE(contains(text, " EndTime=2026-11-30T02:16:39 "));
  REQUIRE(text.ends_with(" ReasonDetail=cancelled by stest\n"));
}

TEST_CASE("show node tells shape, load and state", "[listing]") {
  NodeInfo info = node("n1", {"debug", "small"}, 2);
  info.node.identity.arch = "x86_64";
  info.node.identity.os = "Linux 6.18";
  info.vitals = {.cpu_load_hundredths = 432, .free_mem_mb = 22038, .measured = at(submitted_s)};
  const std::string text = show_node_text(info, {}, context());
  REQUIRE(
      text.starts_with("NodeName=n1 Arch=x86_64 CoresPerSocket=4\n"
                       "   CPUAlloc=2 CPUEfctv=8 CPUTot=8 CPULoad=4.32\n"
                       "   AvailableFeatures=feat1,all\n"
                       "   ActiveFeatures=feat1,all\n"
                       "   Gres=gpu:2\n"));
  REQUIRE(contains(text,
                   "   RealMemory=4000 AllocMem=100 FreeMem=22038 Sockets=2 Boards=1\n"
                   "   State=MIXED ThreadsPerCore=1 TmpDisk=1000 Weight=1 Owner=N/A "
                   "MCS_label=N/A\n"
                   "   Partitions=debug,small\n"));
  REQUIRE(contains(text,
                   "   CfgTRES=cpu=8,mem=4000M,billing=8,gres/gpu=2\n"
                   "   AllocTRES=cpu=2,mem=100M\n"));
  REQUIRE(!contains(text, "Reason="));
  REQUIRE(!contains(text, "Pretended="));
}

TEST_CASE("a drained node tells why, by whom and when", "[listing]") {
  NodeInfo info = node("n1", {"debug"}, 0);
  info.node.drain = true;
  info.node.pretended = true;
  info.node.reason = "disk broken";
  info.node.reason_uid = 0;
  info.node.reason_at = at(submitted_s);
  const std::string text = show_node_text(info, {}, context());
  REQUIRE(contains(text, "State=IDLE+DRAIN "));
  REQUIRE(contains(text, "   Reason=disk broken [user0@2026-11-30T02:16:35]\n   Pretended=YES\n"));
}

TEST_CASE("show partition sums its nodes and gives every key a value", "[listing]") {
  const std::vector<NodeInfo> nodes = {node("n1", {"debug", "small"}, 2),
                                       node("n2", {"debug", "small"}, 1), node("n3", {"debug"}, 0)};
  REQUIRE(show_partition_text(partition("small", {"n1", "n2"}), nodes, {}, context()) ==
          "PartitionName=small\n"
          "   AllowGroups=ALL AllowAccounts=ALL AllowQos=ALL\n"
          "   AllocNodes=ALL Default=NO QoS=N/A\n"
          "   DefaultTime=NONE DisableRootJobs=NO ExclusiveUser=NO GraceTime=0 Hidden=NO\n"
          "   MaxNodes=UNLIMITED MaxTime=01:00:00 MinNodes=0 LLN=NO MaxCPUsPerNode=UNLIMITED\n"
          "   Nodes=n[1-2]\n"
          "   PriorityJobFactor=1 PriorityTier=1 RootOnly=NO ReqResv=NO OverSubscribe=NO\n"
          "   OverTimeLimit=NONE PreemptMode=OFF\n"
          "   State=UP TotalCPUs=16 TotalNodes=2 SelectTypeParameters=NONE\n"
          "   JobDefaults=(null)\n"
          "   DefMemPerNode=UNLIMITED MaxMemPerNode=UNLIMITED\n"
          "   TRES=cpu=16,mem=8000M,node=2,billing=16,gres/gpu=4\n\n");
}

TEST_CASE("show config has the lines clients look for", "[listing]") {
  ConfigReply reply;
  reply.config.cluster_name = "t5";
  reply.as_of = at(submitted_s);
  reply.next_job_id = 31;
  const std::string text = show_config_text(reply, context());
  REQUIRE(text.starts_with("Configuration data as of 2026-11-30T02:16:35\n"));
  for (const char* line :
       {"\nClusterName             = t5\n", "\nMinJobAge               = 300 sec\n",
        "\nMaxArraySize            = 1001\n", "\nKillWait                = 30 sec\n",
        "\nNEXT_JOB_ID             = 31\n", "\nSLURM_VERSION           = 22.05.8\n"})
    REQUIRE(contains(text, line));
}

TEST_CASE("status says where own jobs run or why they wait", "[listing]") {
  JobInfo waiting = pending_job(31, Reason::Resources);
  waiting.wait.reason_detail = "needs 9 cpus, 3 are free";
  REQUIRE(own_jobs_text({job_30(), waiting}, "stest", context()) ==
          "Jobs of stest: 1 running, 1 waiting\n\n"
          "  JOBID  NAME     STATE    TIME  LIMIT      WHERE OR WHY\n"
          "  30     jobname  RUNNING  0:02  5:00       n[1-2]\n"
          "  31     wrap     PENDING  0:00  UNLIMITED  Resources: needs 9 cpus, 3 are free\n");
  REQUIRE(own_jobs_text({}, "stest", context()) == "No jobs of stest are waiting or running.\n");
  REQUIRE(cluster_use_text({node("n1", {"debug"}, 2), node("n2", {"debug"}, 0)}, context()) ==
          "Cluster t5: 2 nodes (1 idle, 1 mixed); cpus: 2 of 16 in use, 14 free; memory: 100 of "
          "8000 MB in use\n");
}

TEST_CASE("a reservation is shown as Slurm shows it", "[scontrol]") {
  setenv("TZ", "UTC", 1);
  tzset();
  ReservationInfo info;
  Reservation& reservation = info.reservation;
  reservation.name = "rr";
  reservation.window = {wall_from_us(1'893'492'000'000'000), wall_from_us(1'893'492'300'000'000)};
  reservation.nodes = {"n1", "n2"};
  reservation.partition = "debug";
  reservation.users = {{"stest"}, false};
  reservation.accounts = {{"a", "b"}, true};
  reservation.licenses = {{"lic", 2}};
  reservation.flags = {ReservationFlag::MAINT, ReservationFlag::PURGE_COMP};
  reservation.purge_comp_s = 300;
  info.cores = 8;
  info.cpus = 16;
  ListingContext context;
  context.as_of = reservation.window.start;
  const std::string expected =
      "ReservationName=rr StartTime=2030-01-01T10:00:00 EndTime=2030-01-01T10:05:00 "
      "Duration=00:05:00\n"
      "   Nodes=n[1-2] NodeCnt=2 CoreCnt=8 Features=(null) PartitionName=debug "
      "Flags=MAINT,PURGE_COMP=00:05:00\n"
      "   TRES=cpu=16,license/lic=2\n"
      "   Users=stest Groups=(null) Accounts=-a,-b Licenses=lic:2 State=ACTIVE BurstBuffer=(null) "
      "Watts=n/a\n"
      "   MaxStartDelay=(null)\n\n";
  REQUIRE(show_reservation_text(info, {}, context) == expected);
  REQUIRE(reservation_table({.reservations = {info}, .as_of = context.as_of}, true, context) ==
          "RESV_NAME     STATE           START_TIME             END_TIME     DURATION  NODELIST\n"
          "rr           ACTIVE  2030-01-01T10:00:00  2030-01-01T10:05:00     00:05:00  n[1-2]\n");
}
