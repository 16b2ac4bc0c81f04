// submit_options_test.cpp: THE option table: every member has a row, every row does what it says.
#include <catch2/catch.hpp>

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <set>

#include "common/base/describe.h"
#include "common/options/submit_options.h"

using namespace sluice;

namespace {

Result<SubmitRequest> asked(const std::vector<std::string>& words, const Environment& environment = {},
                            const std::string& script = "#!/bin/sh\n") {
  SubmitRequest request;
  const ParsedWords parsed = TRY(parse_words(submit_syntax(), words, OperandRule::ends));
  TRY(apply_script(request, script, "job.sh"));
  TRY(apply_environment(request, environment));
  TRY(apply_words(request, parsed));
  return request;
}

std::string refusal(const std::vector<std::string>& words) {
  const auto request = asked(words);
  REQUIRE_FALSE(request.ok());
  return request.error().detail;
}

std::string script_refusal(const std::string& script) {
  const auto request = asked({}, {}, script);
  REQUIRE_FALSE(request.ok());
  return request.error().detail;
}

// Every leaf member of JobSpec that no option sets, and why.
const std::set<std::string> set_elsewhere = {
    "kind",  // by the command
    "uid",
    "gid",
    "user",
    "group",              // --uid, --gid travel beside the spec
    "request.nodes_max",  // --nodes sets both
    "batch.script_id",
    "batch.environment_id",  // by the controller, from the content
    "batch.arguments",
    "batch.command",  // operands
    "batch.submit_dir",
    "batch.submit_host",
    "batch.submit_line",  // by the command
    "batch.umask",
    "batch.limits"};

template <class T>
void demand_rows(const std::string& prefix, const std::set<std::string>& members) {
  for_each_member<T>([&](std::string_view name, auto member) {
    using Field = std::remove_cvref_t<decltype(std::declval<T>().*member)>;
    const std::string path = prefix + std::string(name);
    if constexpr (is_described<Field> && !std::is_same_v<Field, Dependency> &&
                  !std::is_same_v<Field, ArrayRequest>) {
      demand_rows<Field>(path + ".", members);
    } else {
      CAPTURE(path);
      REQUIRE((members.count(path) + set_elsewhere.count(path)) == 1);
    }
  });
}

}  // namespace

TEST_CASE("every member of a job's spec has an option or a reason not to", "[submit]") {
  std::set<std::string> members;
  for (const SubmitOption& option : submit_options())
    if (option.member) members.insert(option.member);
  demand_rows<JobSpec>("", members);
}

TEST_CASE("names, letters and variables of the table are unique", "[submit]") {
  std::set<std::string> names, variables;
  std::set<char> letters;
  for (const SubmitOption& option : submit_options()) {
    CAPTURE(option.syntax.name);
    REQUIRE(names.insert(option.syntax.name).second);
    if (option.syntax.letter) REQUIRE(letters.insert(option.syntax.letter).second);
    if (option.environment) REQUIRE(variables.insert(option.environment).second);
    REQUIRE((option.apply == nullptr) == (option.help == nullptr));
  }
}

TEST_CASE("every option that is not honoured yet is refused by name", "[submit]") {
  for (const SubmitOption& option : submit_options()) {
    if (option.apply) continue;
    const std::string word = std::string("--") + option.syntax.name;
    CAPTURE(word);
    const bool has_value = option.syntax.argument == ArgumentKind::required;
    REQUIRE(refusal({has_value ? word + "=1" : word}) == word + " is not supported by Sluice yet");
    if (!option.environment) continue;
    const auto request = asked({}, {std::string(option.environment) + "=1"});
    REQUIRE(request.error().detail == word + " is not supported by Sluice yet (variable " +
                                          option.environment + ")");
  }
}

TEST_CASE("options reach their members", "[submit]") {
  const auto request = asked({"-n3", "-c", "2", "--mem=4G", "-t1:30", "-p", "a,b", "-w", "n[1-2]",
                              "-x", "n9", "-a", "1-3%2", "-d", "afterok:7", "-J", "na me", "-H",
                              "--no-requeue", "--nice", "--open-mode=a", "--exclusive", "-N1-2",
                              "--gres=gpu:2", "-C", "a&b", "-A", "acct", "-q", "high", "-D", "/x",
                              "--wckey", "k", "--mail-type=none", "--ntasks-per-node=2", "job.sh"});
  REQUIRE(request.ok());
  const JobSpec& spec = request->spec;
  REQUIRE(spec.request.ntasks == 3);
  REQUIRE(spec.request.cpus_per_task == 2);
  REQUIRE(spec.request.mem_per_node_mb == 4096);
  REQUIRE(spec.request.nodes_min == 1);
  REQUIRE(spec.request.nodes_max == 2);
  REQUIRE(spec.request.ntasks_per_node == 2);
  REQUIRE(spec.request.sharing == Sharing::exclusive);
  REQUIRE(spec.request.gres_per_node == std::vector<GresCount>{{"gpu", "", 2}});
  REQUIRE(spec.start.time_limit == TimeLimit{false, 2});
  REQUIRE(spec.start.array.max_running == 2);
  REQUIRE(spec.start.dependency.terms.size() == 1);
  REQUIRE(spec.start.hold);
  REQUIRE(spec.start.requeue == false);
  REQUIRE(spec.start.nice == 100);
  REQUIRE(spec.placement.partitions == std::vector<std::string>{"a", "b"});
  REQUIRE(spec.placement.nodelist == std::vector<std::string>{"n1", "n2"});
  REQUIRE(spec.placement.constraint == "a&b");
  REQUIRE(spec.stdio_files.append);
  REQUIRE(spec.name == "na me");
  REQUIRE(request->work_dir == "/x");
}

TEST_CASE("options that say where and whether a job fits reach their members", "[submit]") {
  const auto request = asked({"-G", "a100:2", "--gpus-per-task=1", "--cpus-per-gpu=2",
                              "--gpus-per-socket=a100:1", "--sockets-per-node=2",
                              "--mem-per-gpu=1G", "--ntasks-per-gpu=3", "--ntasks-per-core=1",
                              "--ntasks-per-socket=2", "--mincpus=4", "--tmp=2G", "--time-min=1:30",
                              "-L", "lica:2,licb", "-C", "(a|b)&c", "--exclusive=user", "job.sh"});
  REQUIRE(request.ok());
  const ResourceRequest& asked_for = request->spec.request;
  REQUIRE(asked_for.gpus == std::vector<GresCount>{{"gpu", "a100", 2}});
  REQUIRE(asked_for.gpus_per_task == std::vector<GresCount>{{"gpu", "", 1}});
  REQUIRE(asked_for.gpus_per_socket == std::vector<GresCount>{{"gpu", "a100", 1}});
  REQUIRE(asked_for.sockets_per_node == 2);
  REQUIRE(asked_for.cpus_per_gpu == 2);
  REQUIRE(asked_for.mem_per_gpu_mb == 1024);
  REQUIRE(asked_for.ntasks_per_gpu == 3);
  REQUIRE(asked_for.ntasks_per_core == 1);
  REQUIRE(asked_for.ntasks_per_socket == 2);
  REQUIRE(asked_for.cpus_per_node_min == 4);
  REQUIRE(asked_for.tmp_per_node_mb == 2048);
  REQUIRE(asked_for.licenses == "lica:2,licb");
  REQUIRE(asked_for.sharing == Sharing::user);
  REQUIRE(request->spec.placement.constraint == "(a|b)&c");
  REQUIRE(request->spec.start.time_min == TimeLimit{false, 2});
  REQUIRE(asked({"--exclusive", "-s"})->spec.request.sharing == Sharing::oversubscribe);
  REQUIRE(refusal({"--exclusive=mcs"}) == "--exclusive=mcs is not supported by Sluice yet");
  REQUIRE(refusal({"-C", "a&"}) ==
          "Batch job submission failed: Invalid feature specification: \"a&\": expected the name "
          "of a feature at character 3");
  REQUIRE(refusal({"-L", "a:1|b:1"})
              .starts_with("Batch job submission failed: Invalid license specification: "));
}

TEST_CASE("a node file is a list of nodes, with remarks; one that cannot be read is told",
          "[submit]") {
  const std::string path = "/tmp/sluice-nodefile-" + std::to_string(getpid());
  std::ofstream(path) << "# the rack\nn[1-2] n5\r\n\nn2,n7 # again\n";
  REQUIRE(asked({"-F", path})->spec.placement.nodelist ==
          std::vector<std::string>{"n1", "n2", "n5", "n7"});
  std::ofstream(path, std::ios::trunc) << "# none\n";
  REQUIRE(refusal({"-F", path}) == "Invalid --nodefile node file: " + path + ": it names no node");
  std::filesystem::remove(path);
  REQUIRE(refusal({"-F", path}) ==
          "Invalid --nodefile node file: " + path + ": there is no such file");
}

TEST_CASE("limits are named in any case, with or without their prefix", "[submit]") {
  REQUIRE(asked({"--propagate"})->spec.batch.propagate == std::vector<std::string>{"ALL"});
  REQUIRE(asked({"--propagate=none"})->spec.batch.propagate == std::vector<std::string>{"NONE"});
  REQUIRE(asked({"--propagate=nofile,RLIMIT_AS"})->spec.batch.propagate ==
          std::vector<std::string>{"NOFILE", "AS"});
  REQUIRE(refusal({"--propagate=CORE,x"}) ==
          "Invalid --propagate specification: \"x\" is none of ALL, NONE, CPU, FSIZE, DATA, STACK, "
          "CORE, RSS, NPROC, NOFILE, MEMLOCK, AS");
}

TEST_CASE("long options may be abbreviated, short ones glued and clustered", "[submit]") {
  REQUIRE(asked({"--job=x"})->spec.name == "x");
  REQUIRE(asked({"--job-n", "x"})->spec.name == "x");
  const auto request = asked({"-HJx", "-n2"});
  REQUIRE(request->spec.start.hold);
  REQUIRE(request->spec.name == "x");
  REQUIRE(asked({"-vv", "-v"})->verbose == 3);
  REQUIRE(asked({"--nice=-5"})->spec.start.nice == -5);
}

TEST_CASE("options end at the script's name, what follows is the script's", "[submit]") {
  const auto parsed =
      parse_words(submit_syntax(), {"-n2", "job.sh", "-n", "3", "--x"}, OperandRule::ends);
  REQUIRE(parsed->operands == std::vector<std::string>{"job.sh", "-n", "3", "--x"});
  REQUIRE(parsed->uses.size() == 1);
}

TEST_CASE("operands may stand between options where the command says so", "[submit]") {
  const auto parsed = parse_words(submit_syntax(), {"5", "-n2", "6"}, OperandRule::permutes);
  REQUIRE(parsed->operands == std::vector<std::string>{"5", "6"});
  REQUIRE(parsed->uses.size() == 1);
}

TEST_CASE("what getopt refuses is told in its words", "[submit]") {
  REQUIRE(refusal({"--bogus"}) == "unrecognized option '--bogus'");
  REQUIRE(refusal({"-n2", "--bogus=1", "x"}) == "unrecognized option '--bogus'");
  REQUIRE(refusal({"--tmie=3"}) == "unrecognized option '--tmie' (did you mean '--time'?)");
  REQUIRE(refusal({"-J"}) == "option requires an argument -- 'J'");
  REQUIRE(refusal({"-HJ"}) == "option requires an argument -- 'J'");
  REQUIRE(refusal({"--wrap"}) == "option '--wrap' requires an argument");
  REQUIRE(refusal({"--wra"}) == "option '--wrap' requires an argument");
  REQUIRE(refusal({"-Z"}) == "invalid option -- 'Z'");
  REQUIRE(refusal({"-HZ"}) == "invalid option -- 'Z'");
  REQUIRE(refusal({"--parsable=1"}) == "option '--parsable' doesn't allow an argument");
  REQUIRE(refusal({"--excl"}) ==
          "option '--excl' is ambiguous; possibilities: '--exclude' '--exclusive'");
  REQUIRE(exit_code_of_usage(Error{ErrorCode::invalid_option, ""}) == 255);
}

TEST_CASE("values that are refused are told in Slurm's words, with its exit codes", "[submit]") {
  const auto [word, text, code] = GENERATE(table<std::string, std::string, int>({
      {"--time=1h", "Invalid --time specification", 255},
      {"--time=", "Invalid --time specification", 255},
      {"--mem=1.5G", "Invalid --mem specification", 255},
      {"-N3-1", "Maximum node count 1 is less than minimum node count 3", 255},
      {"-N1,3", "\"1,3\" is not a valid node count", 255},
      {"-n0", "Invalid numeric value \"0\" for --ntasks.", 1},
      {"-n1k", "Invalid numeric value \"1k\" for --ntasks.", 1},
      {"-c0", "Invalid numeric value \"0\" for --cpus-per-task.", 1},
      {"--nice=2147483646", "Invalid --nice value, out of range (+/- 2147483645)", 255},
      {"--open-mode=x", "Invalid --open-mode specification", 255},
      {"--export=1BAD=2", "Invalid --export specification", 255},
      {"-a5-1", "Batch job submission failed: Invalid job array specification: \"5-1\"", 1},
      {"-dnone", "Batch job submission failed: Job dependency problem: \"none\"", 1},
      {"--dependency=expand:5", "--dependency: dependency type expand is not supported", 255},
      {"--signal=@5", "Invalid --signal specification: \"@5\"", 255},
      {"--signal=R:USR1", "--signal=R:USR1 is not supported by Sluice yet", 255},
      {"--priority=x", "Invalid --priority specification", 255},
      {"--kill-on-invalid-dep=maybe", "Invalid --kill-on-invalid-dep specification", 255},
      {"--exclusive=mcs", "--exclusive=mcs is not supported by Sluice yet", 255},
      {"--hint=nomultithread", "--hint=nomultithread is not supported by Sluice yet", 255},
      {"--mail-type=ENDS", "Invalid --mail-type specification: \"ENDS\"", 255},
      {"-wn[1", "Invalid --nodelist specification", 255},
  }));
  CAPTURE(word);
  const auto request = asked({word});
  REQUIRE_FALSE(request.ok());
  REQUIRE(request.error().detail.find(text) == 0);
  REQUIRE(exit_code_of_usage(request.error()) == code);
}

TEST_CASE("the command line beats the environment beats the script", "[submit]") {
  const std::string script = "#!/bin/sh\n#SBATCH -J fromscript --time=10 --mem=100M\n"
                             "#SBATCH --comment=fromscript\ntrue\n";
  const Environment environment = {"SBATCH_TIMELIMIT=20", "SBATCH_MEM_PER_NODE=200M",
                                   "SBATCH_JOB_NAME=fromenv"};
  const auto first = asked({}, environment, script);
  REQUIRE(first->spec.start.time_limit->minutes == 20);
  REQUIRE(first->spec.request.mem_per_node_mb == 200);
  REQUIRE(first->spec.name == "fromenv");
  REQUIRE(first->spec.comment == "fromscript");
  const auto second = asked({"--time=30", "-J", "cli"}, environment, script);
  REQUIRE(second->spec.start.time_limit->minutes == 30);
  REQUIRE(second->spec.name == "cli");
  REQUIRE(origin_of(*second, "time") == OptionOrigin::command_line);
  const auto third = asked({"--time=5", "--time=7"}, {}, script);
  REQUIRE(third->spec.start.time_limit->minutes == 7);
  REQUIRE(third->spec.name == "fromscript");
}

TEST_CASE("a bad word in a script is refused with file, line and the word", "[submit]") {
  REQUIRE(script_refusal("#!/bin/sh\n#SBATCH --job-name=Big simulation\n") ==
          "Invalid directive found in batch script: simulation (job.sh:2)");
  REQUIRE(script_refusal("#!/bin/sh\n\n#SBATCH --time=3    (sets the limit)\n") ==
          "Invalid directive found in batch script: (sets (job.sh:3)");
  REQUIRE(script_refusal("#!/bin/sh\n#SBATCH --tmie=3\n") ==
          "unrecognized option '--tmie' (did you mean '--time'?) (job.sh:2)");
  REQUIRE(script_refusal("#!/bin/sh\n#SBATCH -n 0\n") ==
          "Invalid numeric value \"0\" for --ntasks. (job.sh:2)");
  REQUIRE(script_refusal("#!/bin/sh\n#SBATCH --wrap=x\n").find("job.sh:2") != std::string::npos);
  REQUIRE(script_refusal("#!/bin/sh\n#SBATCH hetjob\n").find("not supported") != std::string::npos);
}

TEST_CASE("a line of options with a NUL byte is refused, not read in part", "[submit]") {
  const std::string script("#!/bin/sh\n#SBATCH --comment=a\0b -n 2\n", 38);
  REQUIRE(script_refusal(script) == "a NUL byte stands in a line of options (job.sh:2)");
}

TEST_CASE("a list of very many nodes is taken, each of them once", "[submit]") {
  const auto request = asked({"--nodelist=n[1-300000],n7"});
  REQUIRE(request->spec.placement.nodelist.size() == 300'000);
}

TEST_CASE("what a job asks for around its end reaches its spec", "[submit]") {
  const auto request = asked({"--signal=B:USR2@30", "--mail-type=END,FAIL", "--mail-user=me@x.org",
                              "--kill-on-invalid-dep=no", "--priority=77", "--wait-all-nodes=1",
                              "--export-file=/x/y", "--get-user-env=10S"});
  REQUIRE(request.ok());
  const StartRules& start = request->spec.start;
  REQUIRE(start.signal == SignalRequest{12, 30, true});
  REQUIRE_FALSE(start.kill_on_invalid_dep);
  REQUIRE(start.priority == 77);
  REQUIRE(request->spec.mail == MailRequest{{MailType::END, MailType::FAIL}, "me@x.org"});
  REQUIRE(request->export_file == "/x/y");
  REQUIRE(request->login_environment == LoginEnvironment{10, false});
  REQUIRE(asked({"--get-user-env"})->login_environment == LoginEnvironment{});
  REQUIRE(asked({"--priority=0"})->spec.start.hold);
  REQUIRE(asked({"--priority=TOP"})->spec.start.priority == 4294967294);
}

TEST_CASE("#PBS lines are read like options, those of Slurm win", "[submit]") {
  const std::string script =
      "#!/bin/sh\n#PBS -N pbs -l nodes=2:ppn=4:big,walltime=90,mem=1gb\n#PBS -q a -m ae -M me -j "
      "oe\n"
      "#PBS -W depend=afterok:12.server:13 -r n -o host:/x/o -p -5 -t 0-3\n#SBATCH -p b\n";
  auto read = asked({"-J", "cli"}, {}, script);
  REQUIRE(settle(*read).ok());
  const JobSpec& spec = read->spec;
  REQUIRE(spec.name == "cli");
  REQUIRE(spec.placement.partitions == std::vector<std::string>{"b"});
  REQUIRE(spec.request.nodes_min == 2);
  REQUIRE(spec.request.ntasks_per_node == 4);
  REQUIRE(spec.request.mem_per_node_mb == 1024);
  REQUIRE(spec.start.time_limit == TimeLimit{false, 2});
  REQUIRE(spec.start.dependency.terms.size() == 2);
  REQUIRE(spec.start.dependency.terms[0].job == JobId{12});
  REQUIRE(spec.start.requeue == false);
  REQUIRE(spec.start.nice == 5);
  REQUIRE(spec.start.array.tasks.size() == 4);
  REQUIRE(spec.stdio_files.output == "/x/o");
  REQUIRE(spec.mail == MailRequest{{MailType::END, MailType::FAIL}, "me"});
  auto chunks = asked({}, {}, "#!/bin/sh\n#PBS -l select=2:ncpus=8:mpiprocs=4:mem=1024kb\n");
  REQUIRE(settle(*chunks).ok());
  REQUIRE(chunks->spec.request.nodes_min == 2);
  REQUIRE(chunks->spec.request.ntasks_per_node == 4);
  REQUIRE(chunks->spec.request.cpus_per_task == 2);
  REQUIRE(chunks->spec.request.mem_per_node_mb == 1);
  auto bytes = asked({}, {}, "#!/bin/sh\n#PBS -l mem=3145728\n");
  REQUIRE(settle(*bytes).ok());
  REQUIRE(bytes->spec.request.mem_per_node_mb == 3);
}

TEST_CASE("what a #PBS line asks for in vain is told by name and place", "[submit]") {
  const auto [line, text] = GENERATE(table<std::string, std::string>({
      {"-I", "#PBS -I has no counterpart in Sluice; --ignore-pbs leaves such lines out (job.sh:2)"},
      {"-l software=x", "#PBS -l software has no counterpart"},
      {"-l nodes=2:ppn=1+1:ppn=2", "#PBS -l nodes=2:ppn=1+1:ppn=2 (several kinds of nodes)"},
      {"-l walltime", "#PBS -l: \"walltime\" cannot be read (job.sh:2)"},
      {"-j eo", "#PBS -j eo has no counterpart"},
      {"-N", "#PBS -N: \"\" cannot be read"},
      {"-l nodes=1:ppn=x", "Invalid numeric value \"x\" for --ntasks-per-node."},
      {"word", "#PBS word has no counterpart"},
  }));
  CAPTURE(line);
  const std::string script = "#!/bin/sh\n#PBS " + line + "\n";
  auto read = asked({}, {}, script);
  REQUIRE(read.ok());
  const auto settled = settle(*read);
  REQUIRE_FALSE(settled.ok());
  REQUIRE(settled.error().detail.starts_with(text));
  auto left_out = asked({}, {"SBATCH_IGNORE_PBS=1"}, script);
  REQUIRE(settle(*left_out).ok());
}

TEST_CASE("lines of other schedulers are refused unless they are to be left out", "[submit]") {
  const std::string script = "#!/bin/sh\n#BSUB -J x\n#SBATCH -J y\n";
  auto read = asked({}, {}, script);
  REQUIRE(settle(*read).error().code == ErrorCode::not_supported);
  REQUIRE(settle(*read).error().detail.find("(job.sh:2)") != std::string::npos);
  auto left_out = asked({"--ignore-pbs"}, {}, script);
  REQUIRE(settle(*left_out).ok());
  REQUIRE(left_out->spec.name == "y");
}

TEST_CASE("a quoted list in a script reaches --export as it was meant", "[submit]") {
  const auto request = asked({}, {}, "#!/bin/sh\n#SBATCH --export=ALL,MSG='a,b c'\n");
  REQUIRE(request->export_rule.items == std::vector<ExportItem>{{"MSG", "a,b c"}});
  const auto other = asked({}, {}, "#!/bin/sh\n#SBATCH --export \"X,MSG='a,b'\"\n");
  REQUIRE(other->export_rule.items == std::vector<ExportItem>{{"X", {}}, {"MSG", "a,b"}});
}

TEST_CASE("memory by node and by cpu exclude each other only where both have equal weight", "[submit]") {
  auto both = asked({"--mem=10", "--mem-per-cpu=20"});
  REQUIRE(settle(*both).error() ==
          Error{ErrorCode::invalid_memory,
                "--mem, --mem-per-cpu, and --mem-per-gpu are mutually exclusive."});
  auto stronger = asked({"--mem=10"}, {"SBATCH_MEM_PER_CPU=20"});
  REQUIRE(settle(*stronger).ok());
  REQUIRE(stronger->spec.request.mem_per_node_mb == 10);
  REQUIRE_FALSE(stronger->spec.request.mem_per_cpu_mb.has_value());
  auto weak_ones = asked({"--mem-per-gpu=5"}, {"SBATCH_MEM_PER_CPU=20", "SBATCH_MEM_PER_NODE=1"});
  REQUIRE(settle(*weak_ones).ok());
  REQUIRE(weak_ones->spec.request.mem_per_gpu_mb == 5);
  REQUIRE_FALSE(weak_ones->spec.request.mem_per_node_mb.has_value());
}

TEST_CASE("node counts that cannot be used are lowered or refused", "[submit]") {
  auto few = asked({"-N2", "-n1"});
  REQUIRE(settle(*few).value() ==
          std::vector<std::string>{
              "Warning: can't run 1 processes on 2 nodes, setting nnodes to 1"});
  REQUIRE(few->spec.request.nodes_min == 1);
  REQUIRE(few->spec.request.nodes_max == 1);
  auto many = asked({"-N2", "-w", "n[1-3]"});
  REQUIRE(settle(*many).error().detail == "invalid number of nodes (-N 3-2)");
}

TEST_CASE("the help lists every option, honoured or not", "[submit]") {
  const std::string help = submit_help();
  for (const SubmitOption& option : submit_options())
    REQUIRE(help.find(std::string("--") + option.syntax.name) != std::string::npos);
  REQUIRE(help.find("Help options:") != std::string::npos);
}

TEST_CASE("begin and deadline take points in time, counted from the start of the command", "[submit]") {
  SubmitRequest request;
  request.now_s = 1'000'000;
  const auto words = parse_words(submit_syntax(),
                                 std::vector<std::string>{"--begin=now+1hour", "--deadline", "uts2000000"},
                                 OperandRule::ends);
  REQUIRE(words.ok());
  REQUIRE(apply_words(request, *words).ok());
  REQUIRE(to_seconds(request.spec.start.begin.value()) == 1'003'600);
  REQUIRE(to_seconds(request.spec.start.deadline.value()) == 2'000'000);
}

TEST_CASE("a bad point in time is told with its place", "[submit]") {
  REQUIRE(refusal({"--begin=4PM"}).starts_with(
      "Invalid --begin specification: Invalid time specification (pos="));
  REQUIRE(refusal({"-b", ""}).starts_with("Invalid --begin specification: "));
  REQUIRE(refusal({"--deadline=now+"}).starts_with("Invalid --deadline specification: "));
}
