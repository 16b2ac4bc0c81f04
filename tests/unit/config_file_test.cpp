// config_file_test.cpp: slurm.conf's grammar, records, and what happens to keys that are not honoured.
#include "common/options/config_file.h"

#include <catch2/catch.hpp>
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <regex>
#include <set>

#include "common/base/spelling.h"
#include "common/options/config_keys.h"

using namespace sluice;

namespace {

constexpr const char* path = "/conf/slurm.conf";

ConfigFile parsed(const std::string& text, ConfigOwner owner = ConfigOwner::sluice) {
  Result<ConfigFile> file = parse_config(text, {path, owner});
  if (!file) FAIL(file.error().detail);
  return *std::move(file);
}

std::string refusal(const std::string& text) {
  const Result<ConfigFile> file = parse_config(text, {path, ConfigOwner::sluice});
  if (file) FAIL("was accepted");
  REQUIRE(file.error().code == ErrorCode::config_invalid);
  return file.error().detail;
}

// A folder of its own, removed at the end.
struct Folder {
  std::filesystem::path path;
  Folder() {
    std::string name = (std::filesystem::temp_directory_path() / "config_test.XXXXXX").string();
    REQUIRE(mkdtemp(name.data()) != nullptr);
    path = name;
  }
  ~Folder() { std::filesystem::remove_all(path); }
  void write(const std::string& name, const std::string& text) const {
    std::ofstream{path / name} << text;
  }
};

}  // namespace

TEST_CASE("the grammar of slurm.conf is read as Slurm reads it", "[net]") {
  const ConfigFile file = parsed(
      "# a comment\r\n"
      "clustername = moon   # blanks around '='\n"
      "MAXARRAYSIZE=500 KillWait=7\n"
      "\n"
      "SlurmctldHost=head(10.0.0.1)\n"
      "NodeName=n[1-2] \\\n"
      "   CPUs=4 Feature=a\\#b\n"
      "PartitionName=\"p\" Nodes=ALL Default=YES # \\\n");
  CHECK(file.config.cluster_name == "moon");
  CHECK(file.config.max_array_size == 500);
  CHECK(file.config.timeouts.kill_wait_s == 7);
  CHECK(file.config.controller_host == "head");
  CHECK(file.config.controller_address == "10.0.0.1");
  REQUIRE(file.config.nodes.size() == 2);
  CHECK(file.config.nodes[1].name == "n2");
  CHECK(file.config.nodes[1].features == std::vector<std::string>{"a#b"});
  REQUIRE(file.config.partitions.size() == 1);
  CHECK(file.config.partitions[0].name == "p");
  CHECK(file.config.partitions[0].nodes == std::vector<std::string>{"n1", "n2"});
  CHECK(file.warnings.empty());
}

TEST_CASE("errors of a configuration name the file and the exact line", "[net]") {
  CHECK(refusal("KillWait=1\nMaxArraySiz=3\n") ==
        "/conf/slurm.conf:2: MaxArraySiz: no such key, did you mean MaxArraySize?");
  CHECK(refusal("NodeName=n1 \\\n CPUs=2 \\\n RealMemry=3\n") ==
        "/conf/slurm.conf:3: RealMemry: no such key of NodeName, did you mean RealMemory?");
  CHECK(refusal("\n\nMinJobAge=soon\n") ==
        "/conf/slurm.conf:3: MinJobAge=soon: expected a number from 0 to 65533, not 'soon'");
  CHECK(refusal("nonsense\n") == "/conf/slurm.conf:1: stray word 'nonsense', expected Key=Value");
  CHECK(refusal("ClusterName=\"a b\n") == "/conf/slurm.conf:1: a quoted value is not closed");
  CHECK(refusal("NodeName=n1\nNodeName=n[0-3]\n") ==
        "/conf/slurm.conf:2: NodeName=n1: given before at /conf/slurm.conf:1");
  CHECK(refusal("NodeName=node1\nPartitionName=p Nodes=node2\n") ==
        "/conf/slurm.conf:2: Nodes=node2: there is no node node2, did you mean node1?");
  CHECK(refusal("ControlMachine=a\n") ==
        "/conf/slurm.conf:1: ControlMachine: write SlurmctldHost=HOST(ADDRESS)");
  CHECK(refusal("SluiceHeartbeat=20\nSluiceLease=60\n") ==
        "/conf/slurm.conf:2: SluiceLease: 60 s is less than ten heartbeats of 20000 ms");
  CHECK(refusal("NodeName=../x\n").find("cannot be a node's name") != std::string::npos);
  CHECK(refusal("StateSaveLocation=state\n") ==
        "/conf/slurm.conf:1: StateSaveLocation=state: expected an absolute path, not 'state'");
  CHECK(refusal("DefMemPerCPU=1\nDefMemPerNode=1\n").find(":2: DefMemPerNode") !=
        std::string::npos);
  CHECK(refusal("NodeName=n1\nPartitionName=a DefaultTime=20 MaxTime=10\n") ==
        "/conf/slurm.conf:2: DefaultTime: longer than MaxTime");
}

TEST_CASE("licences are names with counts, in either of Slurm's forms", "[net]") {
  CHECK(parsed("Licenses=lica:10,licb*5,licc\n").config.licenses ==
        std::vector<LicenseCount>{{"lica", 10}, {"licb", 5}, {"licc", 1}});
  CHECK(parsed("").config.licenses.empty());
  CHECK(refusal("Licenses=lica:x\n") ==
        "/conf/slurm.conf:1: Licenses=lica:x: \"lica:x\" is neither NAME nor NAME:COUNT, several "
        "divided by commas");
}

TEST_CASE("what follows the ends of jobs is configured as in Slurm", "[net]") {
  const EndConfig ends = parsed(
                             "RequeueExit=1,3-5\nRequeueExitHold=9\nMaxBatchRequeue=7\n"
                             "MailProg=/usr/bin/sendit\nMailDomain=example.org\n")
                             .config.ends;
  CHECK(to_text(ends.requeue_exit) == "1,3-5");
  CHECK(ends.requeue_exit_hold.contains(9));
  CHECK(ends.requeue_max == 7);
  CHECK(ends.mail_program == "/usr/bin/sendit");
  CHECK(ends.mail_domain == "example.org");
  CHECK(parsed("").config.ends == EndConfig{});
  CHECK(refusal("RequeueExit=256\n") ==
        "/conf/slurm.conf:1: RequeueExit=256: expected exit codes as 1,3-5, none above 255, not "
        "'256'");
  CHECK(refusal("MailProg=mail\n").find("expected an absolute path") != std::string::npos);
  CHECK(
      parsed("DependencyParameters=kill_invalid_depend,max_depend_depth=3\n").warnings ==
      std::vector<std::string>{"/conf/slurm.conf:1: DependencyParameters: max_depend_depth=3: not "
                               "used, Sluice has no such parameter"});
}

TEST_CASE("an unsupported key is reported once with its line, an ignored one not at all", "[net]") {
  const ConfigFile file = parsed(
      "SlurmctldPidFile=/run/x.pid\n"
      "TaskProlog=/bin/true\n"
      "PartitionName=a Nodes=ALL AllowGroups=x\n"
      "PartitionName=b Nodes=ALL AllowGroups=y\n"
      "SchedulerParameters=defer,max_script_size=1000\n");
  CHECK(file.warnings ==
        std::vector<std::string>{
            "/conf/slurm.conf:2: TaskProlog: the program would not be run: not built yet",
            "/conf/slurm.conf:3: AllowGroups: not enforced yet, every user may use the partition",
            "/conf/slurm.conf:5: SchedulerParameters: defer: not used, the planner of Sluice has no "
            "such parameters"});
  CHECK(file.config.max_script_bytes == 1000);
}

TEST_CASE("the planner's rules are read", "[net]") {
  const PlanRules defaults;
  CHECK(parsed("SchedulerType=sched/backfill\n").config.planning == defaults);
  CHECK(parsed("SchedulerType=sched/builtin\n").config.planning.backfill == Backfill::none);
  CHECK(parsed("SluiceBackfill=easy\nSchedulerType=sched/backfill\n").config.planning.backfill ==
        Backfill::easy);
  const ConfigFile file =
      parsed("SchedulerParameters=bf_continue,bf_max_job_test=50,bf_window=2880\n");
  CHECK(file.warnings.empty());
  CHECK(file.config.planning.planned_max == 50);
  CHECK(file.config.planning.window_min == 2880U);
  CHECK(refusal("SluiceBackfill=eager\n").find(
            "expected none, easy, conservative, guarantee or balanced, not 'eager'") != std::string::npos);
  CHECK(refusal("SchedulerType=sched/hold\n").find(
            "expected sched/backfill or sched/builtin, not 'sched/hold'") != std::string::npos);
}

TEST_CASE("Slurm's own file never gives Sluice ports, state or spool", "[net]") {
  const std::string text =
      "SlurmctldPort=6817\nStateSaveLocation=/var/spool/slurmctld\nSluiceWitnessPort=7001\n";
  const ClusterConfig defaults;
  const ConfigFile slurms = parsed(text, ConfigOwner::slurm);
  CHECK(slurms.config.controller_port == defaults.controller_port);
  CHECK(slurms.config.paths.state_dir == defaults.paths.state_dir);
  CHECK(slurms.config.agent_port == 7001);
  CHECK(slurms.warnings.size() == 2);
  const ConfigFile own = parsed(text);
  CHECK(own.config.controller_port == 6817);
  CHECK(own.config.paths.state_dir == "/var/spool/slurmctld");
}

TEST_CASE("DEFAULT records fill later records and add up", "[net]") {
  const ConfigFile file = parsed(
      "NodeName=DEFAULT CPUs=8 RealMemory=1000\n"
      "NodeName=a[1-2]\n"
      "NodeName=DEFAULT Weight=7\n"
      "NodeName=b1 CPUs=2\n"
      "PartitionName=DEFAULT MaxTime=1-0 State=DOWN\n"
      "PartitionName=x Nodes=a[1-2]\n"
      "PartitionName=y Nodes=b1 State=UP MaxTime=INFINITE\n");
  const std::vector<NodeConfig>& nodes = file.config.nodes;
  REQUIRE(nodes.size() == 3);
  CHECK(nodes[0].shape.cpus == 8);
  CHECK(nodes[0].weight == 1);
  CHECK(nodes[2].shape.cpus == 2);
  CHECK(nodes[2].shape.mem_mb == 1000);
  CHECK(nodes[2].weight == 7);
  CHECK(file.config.partitions[0].max_time.minutes == 1440);
  CHECK_FALSE(file.config.partitions[0].up);
  CHECK(file.config.partitions[1].max_time.unlimited);
  CHECK(file.config.partitions[1].up);
}

TEST_CASE("limits that jobs take along are all unless said", "[net]") {
  CHECK(parsed("").config.propagate_limits.empty());
  const ClusterConfig config =
      parsed("PropagateResourceLimits=core,RLIMIT_AS\nPropagateResourceLimitsExcept=MEMLOCK\n")
          .config;
  CHECK(config.propagate_limits == std::vector<std::string>{"CORE", "AS"});
  CHECK(config.propagate_limits_except == std::vector<std::string>{"MEMLOCK"});
  CHECK(refusal("PropagateResourceLimits=FILES\n")
            .starts_with("/conf/slurm.conf:1: PropagateResourceLimits=FILES: \"FILES\" is none of "
                         "ALL, NONE, CPU"));
}

TEST_CASE("a login host is none of the nodes", "[net]") {
  CHECK(parsed("SluiceLoginHosts=login[1-2],gate\n").config.login_hosts ==
        std::vector<std::string>{"login1", "login2", "gate"});
  CHECK(refusal("NodeName=n[1-3]\nSluiceLoginHosts=gate,n2\n") ==
        "/conf/slurm.conf:2: SluiceLoginHosts: n2 is a NodeName too");
}

TEST_CASE("topology and CPUs are completed from each other", "[net]") {
  const auto shape = [](const std::string& keys) {
    return parsed("NodeName=n " + keys + "\n").config.nodes[0].shape;
  };
  CHECK(shape("Sockets=2 CoresPerSocket=4 ThreadsPerCore=2").cpus == 16);
  CHECK(shape("Boards=2 SocketsPerBoard=1 CoresPerSocket=4").cpus == 8);
  CHECK(shape("CPUs=8 CoresPerSocket=4").sockets == 2);
  CHECK(shape("CPUs=4 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2").cpus == 4);
  CHECK(refusal("NodeName=n CPUs=5 Sockets=1 CoresPerSocket=4 ThreadsPerCore=2\n") ==
        "/conf/slurm.conf:1: CPUs=5 contradicts the topology, which has 4 cores and 8 threads");
  REQUIRE(
      refusal(
          "NodeName=a Boards=512 Sockets=524288 CoresPerSocket=524288 ThreadsPerCore=524288\n") ==
      "/conf/slurm.conf:1: 268435456 sockets of 274877906944 threads: more than 1000000 CPUs on "
      "one node");
  CHECK(shape("Gres=gpu:a100:2,gpu:1,fpga").gres ==
        std::vector<GresCount>{{"gpu", "a100", 2}, {"gpu", "", 1}, {"fpga", "", 1}});
  CHECK(shape("Gres=bandwidth:lustre:4K").gres ==
        std::vector<GresCount>{{"bandwidth", "lustre", 4096}});
}

TEST_CASE("addresses and ports of a node line are host lists of the same length", "[net]") {
  const ConfigFile file =
      parsed("NodeName=n[1-2] NodeHostname=h NodeAddr=10.0.0.[1-2] Port=[7001-7002]\n");
  CHECK(file.config.nodes[1].host == "h");
  CHECK(file.config.nodes[1].address == "10.0.0.2");
  CHECK(file.config.nodes[1].port == 7002);
  CHECK(refusal("NodeName=n[1-3] NodeAddr=a[1-2]\n") ==
        "/conf/slurm.conf:1: NodeAddr=a[1-2] has 2 items for 3 nodes");
}

TEST_CASE("node sets stand for their nodes in partitions", "[net]") {
  const ConfigFile file = parsed(
      "NodeSet=fast Feature=nvme\nNodeSet=some Nodes=n4\n"
      "NodeName=n[1-2] Feature=nvme\nNodeName=n[3-5]\n"
      "PartitionName=p Nodes=n5,fast,some,n1\n");
  CHECK(file.config.partitions[0].nodes == std::vector<std::string>{"n1", "n2", "n4", "n5"});
}

TEST_CASE("the last Default=YES counts and is told", "[net]") {
  const ConfigFile file = parsed(
      "PartitionName=a Nodes=ALL Default=YES\nPartitionName=b Nodes=ALL Default=YES\n");
  CHECK_FALSE(file.config.partitions[0].is_default);
  CHECK(file.config.partitions[1].is_default);
  CHECK(file.warnings.size() == 1);
}

TEST_CASE("memory defaults of the cluster reach partitions that say none", "[net]") {
  const ConfigFile file = parsed(
      "DefMemPerCPU=100\nPartitionName=a Nodes=ALL\nPartitionName=b Nodes=ALL DefMemPerNode=5\n");
  CHECK(file.config.partitions[0].def_mem_per_cpu_mb == 100);
  CHECK(file.config.partitions[1].def_mem_per_cpu_mb == std::nullopt);
  CHECK(file.config.partitions[1].def_mem_per_node_mb == 5);
}

TEST_CASE("no file at all is a cluster of this host", "[net]") {
  const Result<ConfigFile> file = read_config({});
  REQUIRE(file);
  REQUIRE(file->config.nodes.size() == 1);
  CHECK(file->config.nodes[0].said.empty());
  REQUIRE(file->config.partitions.size() == 1);
  CHECK(file->config.partitions[0].is_default);
  CHECK(file->config.partitions[0].nodes ==
        std::vector<std::string>{file->config.nodes[0].name});
}

TEST_CASE("the sample configuration is good as it is, and with every line that it proposes", "[net]") {
  const std::string sample = std::string{SLUICE_SOURCE} + "/packaging/etc/slurm.conf";
  std::ifstream stream{sample};
  const std::string text{std::istreambuf_iterator<char>{stream}, {}};
  const ConfigFile as_it_is = parsed(text);
  CHECK(as_it_is.warnings.empty());
  CHECK(as_it_is.config.disable_root_jobs);
  CHECK(as_it_is.config.slurm_user == "sluice");
  CHECK(as_it_is.config.nodes == read_config({})->config.nodes);
  CHECK(as_it_is.config.paths == ClusterConfig{}.paths);

  const ConfigFile whole = parsed(std::regex_replace(text, std::regex{"\n#([A-Z]\\w+=)"}, "\n$1"));
  CHECK(whole.warnings.empty());
  CHECK(whole.config.controller_address == "192.0.2.1");
  CHECK(whole.config.nodes.size() == 16);
  CHECK(whole.config.partitions.size() == 2);
  // What is proposed is the default where the sample says so: of times and counts.
  CHECK(whole.config.timeouts == ClusterConfig{}.timeouts);
  CHECK(whole.config.max_array_size == ClusterConfig{}.max_array_size);
  CHECK(whole.config.max_job_count == ClusterConfig{}.max_job_count);
}

TEST_CASE("included files are read where they stand and bounded in depth", "[net]") {
  const Folder folder;
  folder.write("slurm.conf", "KillWait=1\nInclude nodes.conf\nPartitionName=p Nodes=n1\n");
  folder.write("nodes.conf", "# nodes\nNodeName=n1\n");
  const std::string main_file = (folder.path / "slurm.conf").string();
  const Result<ConfigFile> file = read_config_file(main_file);
  REQUIRE(file);
  CHECK(file->config.partitions[0].nodes == std::vector<std::string>{"n1"});

  folder.write("nodes.conf", "\nNodeName=n1 Cpu=1\n");
  CHECK(read_config_file(main_file).error().detail ==
        (folder.path / "nodes.conf").string() +
            ":2: Cpu: no such key of NodeName, did you mean CPUs?");
  folder.write("nodes.conf", "Include slurm.conf\n");
  CHECK(read_config_file(main_file).error().detail.find("files include one another") !=
        std::string::npos);
  folder.write("slurm.conf", "Include missing.conf\n");
  CHECK(read_config_file(main_file).error().detail ==
        main_file + ":1: Include " + (folder.path / "missing.conf").string() +
            ": No such file or directory");
}

TEST_CASE("the key table has no key twice, and every row that does nothing says why", "[net]") {
  std::set<std::string_view> names;
  for (const ConfigKey& row : config_keys()) {
    INFO(row.name);
    CHECK(names.insert(row.name).second);
    CHECK(row.why.empty() == (row.use == KeyUse::honoured));
    CHECK((row.apply != nullptr) ==
          (row.use == KeyUse::honoured || row.use == KeyUse::honoured_in_own_file));
  }
}

TEST_CASE("did you mean finds swapped and missing letters and nothing far away", "[net]") {
  const std::vector<std::string_view> words{"--time", "--mem", "--nodes"};
  CHECK(nearest_word("--tiem", words) == "--time");
  CHECK(nearest_word("--noeds", words) == "--nodes");
  CHECK(nearest_word("--partition", words).empty());
  CHECK(spelling_distance("ab", "ba") == 1);
  CHECK(spelling_distance("", "abc") == 3);
}
