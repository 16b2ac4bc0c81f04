// option_grammar_test.cpp: the grammars of option values, good and bad examples of the contract.
#include <catch2/catch.hpp>

#include "common/options/grammar.h"

using namespace sluice;

TEST_CASE("time limits are whole minutes, seconds round up", "[options]") {
  const auto [text, minutes] = GENERATE(table<std::string, std::uint32_t>(
      {{"90", 90},        {"1:30", 2},          {"0:01", 1},      {"1:2:59", 63},
       {"1-2", 1560},     {"25:00:00", 1500},   {"1:60", 2},      {"100000", 100000},
       {"1-", 1440},      {"1-2:30", 1590},     {"1-2:30:01", 1591}, {"00:05:00", 5},
       {"0:5:0", 5},      {"0-25:00", 1500},    {"5", 5}}));
  CAPTURE(text);
  REQUIRE(parse_time_limit(text).value() == TimeLimit{.unlimited = false, .minutes = minutes});
}

TEST_CASE("zero and the words mean no time limit", "[options]") {
  const std::string text = GENERATE("0", "0:00", "-1", "UNLIMITED", "infinite", "Unlimited", "0-0");
  CAPTURE(text);
  REQUIRE(parse_time_limit(text).value().unlimited);
}

TEST_CASE("bad time limits are refused, quoted and explained", "[options]") {
  const std::string text = GENERATE("1.5", "1h", "5m", "1d", " 5", "5 ", "", "1:2:3:4", "1-2:3:4:5",
                                    "-5", "--1", "1:", ":1", "1-2-3", "99999999999999",
                                    "99999999999999999999999", "4294967295", "+5", "0x10");
  CAPTURE(text);
  const Result<TimeLimit> limit = parse_time_limit(text);
  REQUIRE_FALSE(limit.ok());
  REQUIRE(limit.error().code == ErrorCode::invalid_time);
  REQUIRE(limit.error().detail.find("\"" + text + "\"") == 0);
}

TEST_CASE("memory is MB unless a unit follows, rounded up", "[options]") {
  const auto [text, mb] = GENERATE(table<std::string, std::uint64_t>(
      {{"100", 100}, {"100M", 100}, {"4G", 4096}, {"4g", 4096}, {"4GB", 4096}, {"512mb", 512},
       {"100K", 1}, {"1500K", 2}, {"1024K", 1}, {"1T", 1 << 20}, {"0", 0}, {"477M", 477}}));
  CAPTURE(text);
  REQUIRE(parse_memory_mb(text).value() == mb);
}

TEST_CASE("the largest memory size can be said in every unit", "[options]") {
  const std::string text =
      GENERATE("1073741824T", "1099511627776G", "1125899906842624", "1152921504606846976K");
  CAPTURE(text);
  REQUIRE(parse_memory_mb(text).value() == 1ULL << 50);
}

TEST_CASE("bad memory sizes are refused and quoted", "[options]") {
  const std::string text = GENERATE("1.5G", "10MiB", "1P", "10B", "-1", "", "G", "B", "1 G", "+1G",
                                    "18446744073709551615T", "99999999999999999999",
                                    "9223372036854775807K", "1125899906842625M");
  CAPTURE(text);
  const Result<std::uint64_t> memory = parse_memory_mb(text);
  REQUIRE_FALSE(memory.ok());
  REQUIRE(memory.error().code == ErrorCode::invalid_memory);
  REQUIRE(memory.error().detail.find("\"" + text + "\"") == 0);
}

TEST_CASE("array lists come out ascending, merged and with their limit", "[options]") {
  const auto [text, shown, limit] = GENERATE(table<std::string, std::string, std::uint32_t>(
      {{"1", "1", 0},           {"0-3", "0-3", 0},       {"1,3,5", "1,3,5", 0},
       {"1-7:2", "1,3,5,7", 0}, {"0-15%4", "0-15", 4},   {"1-3%0", "1-3", 0},
       {"3,1,2", "1-3", 0},     {"1-3,2-5", "1-5", 0},   {"0-1000", "0-1000", 0},
       {"5-5", "5", 0},         {"[1-3]", "1-3", 0},     {"1-4%2,7", "1-4,7", 2},
       {"01-03", "1-3", 0},     {"3,1,1-2,2", "1-3", 0}, {"1-10:3%2", "1,4,7,10", 2},
       {"[1-3]%2", "1-3", 2},   {"[1-3%2]", "1-3", 2},   {"1-2000:1999", "1,2000", 0},
       {"1-9:4,2-3", "1-3,5,9", 0}, {"0-4:2,1-3:2", "0-4", 0}, {"1-5:10", "1", 0},
       {"9,1-3,20-30:5", "1-3,9,20,25,30", 0}}));
  CAPTURE(text);
  const Result<ArrayRequest> array = parse_array(text);
  REQUIRE(array.ok());
  REQUIRE(to_text(array->tasks) == shown);
  REQUIRE(array->max_running == limit);
}

TEST_CASE("broken array lists are refused with the list quoted", "[options]") {
  const std::string text =
      GENERATE("0-10:0", "5-1", "1,,2", "a-b", "-1", "1-", "", "1-3%x", "1-3%-1",
               "1-9223372036854775808", "1-3:99999999999", "1;rm", "0x10", ",1", "1,", "1-3%",
               "1-3%2,4%3", "1 ,2", " 1", "[1-3", "1-3]", "1-2-3", "1:2", "1-3:", "%2", "[1-3]5",
               "[1]2", "1%2]", "[1-3]%2,5", "[1],2", "[[1]]", "1,[2]");
  CAPTURE(text);
  const Result<ArrayRequest> array = parse_array(text);
  if (text == "1:2") {  // a step behind a single index changes nothing, as in Slurm
    REQUIRE(to_text(array->tasks) == "1");
    return;
  }
  REQUIRE_FALSE(array.ok());
  REQUIRE(array.error().code == ErrorCode::invalid_array);
  REQUIRE(array.error().detail.find("\"" + text + "\"") == 0);
}

TEST_CASE("an array of two thousand million tasks costs one range", "[options]") {
  const Result<ArrayRequest> array = parse_array("0-2147483647");
  REQUIRE(array->tasks.ranges.size() == 1);
  REQUIRE(array->tasks.size() == 2147483648U);
  REQUIRE_FALSE(parse_array("0-2147483647:2,1-2147483647:3").ok());
  REQUIRE(parse_array("0-2147483646:2")->tasks.ranges.size() == 1);
}

TEST_CASE("dependencies: terms, tasks, and the one question mark", "[options]") {
  const Result<Dependency> all = parse_dependency("AFTEROK:244:245_3,afterany:9");
  REQUIRE(all.ok());
  REQUIRE(all->terms == std::vector<DependencyTerm>{{DependencyType::afterok, JobId{244}, {}},
                                                    {DependencyType::afterok, JobId{245}, 3},
                                                    {DependencyType::afterany, JobId{9}, {}}});
  REQUIRE_FALSE(all->any);
  REQUIRE(parse_dependency("afterok:1,afterany:2?after:3")->any);
  REQUIRE(parse_dependency("afternotok:7_*")->terms.front().task == std::nullopt);
  REQUIRE(parse_dependency("0").value() == Dependency{});
}

TEST_CASE("dependencies: delays of after, partners of tasks, and singletons", "[options]") {
  const Result<Dependency> all = parse_dependency("after:5+10:6,AfterCorr:7,singleton");
  REQUIRE(all.ok());
  REQUIRE(all->terms.size() == 4);
  REQUIRE(all->terms[0].delay_min == 10);
  REQUIRE(all->terms[1].delay_min == 0);
  REQUIRE(all->terms[2].type == DependencyType::aftercorr);
  REQUIRE(all->terms[3].type == DependencyType::singleton);
  REQUIRE(all->terms[3].job == JobId{});
}

TEST_CASE("signals before the end: who gets them, and how long before", "[options]") {
  REQUIRE(parse_signal_request("USR2@90").value() == SignalRequest{12, 90, false});
  REQUIRE(parse_signal_request("B:USR2@30").value() == SignalRequest{12, 30, true});
  REQUIRE(parse_signal_request("b:SIGusr1").value() == SignalRequest{10, 60, true});
  REQUIRE(parse_signal_request("15@0").value() == SignalRequest{15, 0, false});
  const std::string bad = GENERATE("@10", "B:", "BOGUS", "USR1@", "USR1@x", "USR1@65536", "0@5",
                                   "99", "X:USR1", "", "USR1@-1");
  CAPTURE(bad);
  REQUIRE(parse_signal_request(bad).error().code == ErrorCode::invalid_signal);
  REQUIRE(parse_signal_request("R:USR1").error().code == ErrorCode::not_supported);
  REQUIRE(to_text(SignalRequest{12, 30, true}) == "B:USR2@30");
}

TEST_CASE("mail types, in any case, each once; ALL is what Slurm means by it", "[options]") {
  using enum MailType;
  REQUIRE(parse_mail_types("end,FAIL,End").value() == std::vector<MailType>{END, FAIL});
  REQUIRE(parse_mail_types("none").value().empty());
  REQUIRE(parse_mail_types("ALL,ARRAY_TASKS").value() ==
          std::vector<MailType>{BEGIN, END, FAIL, REQUEUE, INVALID_DEPEND, STAGE_OUT, ARRAY_TASKS});
  const std::string bad = GENERATE("", "END,", "ENDS", "NONE,END");
  CAPTURE(bad);
  REQUIRE(parse_mail_types(bad).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("the login environment: seconds and mode", "[options]") {
  REQUIRE(parse_login_environment("").value() == LoginEnvironment{8, true});
  REQUIRE(parse_login_environment("L").value() == LoginEnvironment{8, true});
  REQUIRE(parse_login_environment("10S").value() == LoginEnvironment{10, false});
  const std::string bad = GENERATE("0", "X", "10X", "-1", "LS", "99999");
  CAPTURE(bad);
  REQUIRE(parse_login_environment(bad).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("bad dependencies are refused, types that Sluice has not are refused by name",
          "[options]") {
  const std::string bad =
      GENERATE("afterok", "afterok:", "afterok:244,", "afterok:244 afterany:245", "none", "",
               "afterok:0", "afterok:-1", "afterok:x", "afterok:2147483648", "after:1_", "?", "1",
               "afterok:1_x", "afterok:99999999999999999999", "after:1+", "after:1+x",
               "afterok:1+5", "singleton:5", "after:1+999999");
  CAPTURE(bad);
  REQUIRE(parse_dependency(bad).error().code == ErrorCode::invalid_dependency);
  REQUIRE(parse_dependency("expand:2").error().code == ErrorCode::not_supported);
}

TEST_CASE("node counts, with Slurm's sentences for bad ones", "[options]") {
  REQUIRE(parse_node_count("2").value() == NodeCount{2, 2});
  REQUIRE(parse_node_count("1-3").value() == NodeCount{1, 3});
  REQUIRE(parse_node_count("1k").value() == NodeCount{1024, 1024});
  REQUIRE(parse_node_count("1-1k").value() == NodeCount{1, 1024});
  REQUIRE(parse_node_count("0").value() == std::nullopt);
  REQUIRE(parse_node_count("3-1").error().detail ==
          "Maximum node count 1 is less than minimum node count 3");
  const std::string bad = GENERATE("", "1,", "1,3", "-1", "2-", "x", "1.5", "99999999999");
  CAPTURE(bad);
  REQUIRE(parse_node_count(bad).error().detail == "\"" + bad + "\" is not a valid node count");
}

TEST_CASE("signals by name and by number", "[options]") {
  const std::string usr1 = GENERATE("USR1", "SIGUSR1", "usr1", "sigusr1", "10");
  REQUIRE(parse_signal(usr1).value() == 10);
  REQUIRE(parse_signal("64").value() == 64);
  REQUIRE(signal_name(9) == "KILL");
  const std::string bad = GENERATE("", "0", "65", "SIG", "NOSUCH", "-9", "9x");
  CAPTURE(bad);
  REQUIRE(parse_signal(bad).error() == Error{ErrorCode::invalid_signal, bad});
}

TEST_CASE("generic resources", "[options]") {
  REQUIRE(parse_gres("gpu").value() == std::vector<GresCount>{{"gpu", "", 1}});
  REQUIRE(parse_gres("gpu:2").value() == std::vector<GresCount>{{"gpu", "", 2}});
  REQUIRE(parse_gres("gpu:a100").value() == std::vector<GresCount>{{"gpu", "a100", 1}});
  REQUIRE(parse_gres("gres:gpu:a100:2,nic:1").value() ==
          std::vector<GresCount>{{"gpu", "a100", 2}, {"nic", "", 1}});
  REQUIRE(parse_gres("none")->empty());
  REQUIRE(parse_gres("gpu:0")->empty());
  const std::string bad = GENERATE("", "gpu:", ":2", "gpu:a:b:2", "gpu,,nic", "gpu: 2",
                                   "gpu:99999999999", "gpu:-1:1:1");
  CAPTURE(bad);
  REQUIRE(parse_gres(bad).error().code == ErrorCode::invalid_gres);
}

TEST_CASE("jobs, tasks and steps as commands are told of them", "[options]") {
  REQUIRE(parse_job_reference("5").value() == JobReference{JobId{5}, {}, ""});
  REQUIRE(to_text(parse_job_reference("5_[1-3,7]")->tasks) == "1-3,7");
  REQUIRE(to_text(parse_job_reference("5_3")->tasks) == "3");
  REQUIRE(parse_job_reference("5.batch")->step == "batch");
  REQUIRE(parse_job_reference("5_1.0")->step == "0");
  const std::string bad = GENERATE("", "0", "abc", "-1", "5_", "5_x", "5.", "2147483648", "5_[1",
                                   "5_1%2", " 5", "5 ", "5_[1-3]5", "5_[[1]]");
  CAPTURE(bad);
  REQUIRE(parse_job_reference(bad).error() == Error{ErrorCode::invalid_job_id, bad});
}
