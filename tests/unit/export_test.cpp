// export_test.cpp: which variables a job gets.
#include <catch2/catch.hpp>

#include <algorithm>

#include "common/options/export.h"

using namespace sluice;

namespace {
const Environment caller = {"b=bee", "X=ex", "PATH=/opt/bin", "BASH_FUNC_f%%=() { echo; }",
                            "NL=a\nb\n", "EMPTY=", "T.DOT=1"};
Environment exported(const std::string& text, const std::string& quoted = "") {
  const Result<ExportRule> rule = parse_export({text, quoted});
  REQUIRE(rule.ok());
  Environment selected = select_environment(*rule, caller);
  std::erase(selected, "SLURM_EXPORT_ENV=" + text);
  return selected;
}
}  // namespace

TEST_CASE("everything is exported unless something is said, odd names and values too", "[export]") {
  REQUIRE(select_environment(ExportRule{}, caller) == caller);
  REQUIRE(exported("ALL") == caller);
  REQUIRE(exported("all") == caller);
}

TEST_CASE("a job of another user takes all but who the caller is, unless that is said",
          "[export]") {
  const Environment root = without_identity(
      {"HOME=/root", "USER=root", "A=1", "LOGNAME=root", "SHELL=/bin/sh", "HOMEPAGE=x"});
  REQUIRE(root == Environment{"A=1", "HOMEPAGE=x"});
  const Environment said = select_environment(*parse_export({"ALL,HOME=/srv", ""}), root);
  REQUIRE(std::find(said.begin(), said.end(), "HOME=/srv") != said.end());
}

TEST_CASE("NONE and NIL export nothing of the caller", "[export]") {
  REQUIRE(exported("NONE") == Environment{});
  REQUIRE(exported("NIL") == Environment{});
}

TEST_CASE("a rule that says more than ALL is passed on", "[export]") {
  const auto passed_on = [](const char* text) {
    const Environment selected = select_environment(*parse_export({text, ""}), {});
    return selected.empty() ? "" : selected.back();
  };
  REQUIRE(passed_on("ALL") == "");
  REQUIRE(passed_on("NONE") == "SLURM_EXPORT_ENV=NONE");
  REQUIRE(passed_on("ALL,NEW=2") == "SLURM_EXPORT_ENV=ALL,NEW=2");
}

TEST_CASE("a list exports its own names and values", "[export]") {
  REQUIRE(exported("FOO=1") == (Environment{"FOO=1"}));
  REQUIRE(exported("X") == (Environment{"X=ex"}));
  REQUIRE(exported("FOO=1,NOSUCH,X") == (Environment{"FOO=1", "X=ex"}));
  REQUIRE(exported("ALL,FOO=a,b") ==
          Environment{"X=ex", "PATH=/opt/bin", "BASH_FUNC_f%%=() { echo; }", "NL=a\nb\n", "EMPTY=",
                      "T.DOT=1", "FOO=a", "b=bee"});
  REQUIRE(exported("FOO=1,FOO=2") == (Environment{"FOO=2"}));
  REQUIRE(exported("FOO=") == (Environment{"FOO="}));
  REQUIRE(exported("FOO=x=y=z") == (Environment{"FOO=x=y=z"}));
}

TEST_CASE("commas inside quotes belong to the value", "[export]") {
  REQUIRE(exported("FOO='a,b'") == (Environment{"FOO=a,b"}));
  REQUIRE(exported("FOO=\"a,b\",X") == (Environment{"FOO=a,b", "X=ex"}));
  REQUIRE(exported("FOO=don't") == (Environment{"FOO=don't"}));
  // MSG='a,b c' in a script: the quotes are gone, the marks tell where they were.
  REQUIRE(exported("X,MSG=a,b c", "00000011111") == (Environment{"X=ex", "MSG=a,b c"}));
  // "X,MSG='a,b'" quoted as a whole in a script.
  REQUIRE(exported("X,MSG='a,b'", std::string(11, '1')) == (Environment{"X=ex", "MSG=a,b"}));
}

TEST_CASE("impossible lists are refused", "[export]") {
  const std::string text = GENERATE("", "1BAD=2", "=x", "A=1,,B=2", "ALL,NONE", "A B=1");
  CAPTURE(text);
  REQUIRE(parse_export({text, ""}).error().code == ErrorCode::invalid_argument);
}

TEST_CASE("of two environments the stronger one wins name by name", "[export]") {
  REQUIRE(merged({"A=1", "B=1", "=odd"}, {"B=2", "C=2"}) ==
          Environment{"A=1", "=odd", "B=2", "C=2"});
}

TEST_CASE("values that look cut at a comma are pointed at", "[export]") {
  const Result<ExportRule> rule = parse_export({"FOO=a,zzz,b", ""});
  REQUIRE(suspicious_words(*rule, caller) == std::vector<std::string>{"zzz"});
}

TEST_CASE("what an enclosing job was told about itself is not passed on", "[export]") {
  const Environment inside = {"SLURM_JOB_ID=5", "SLURM_ARRAY_TASK_ID=1", "SLURM_NTASKS=4",
                              "SLURM_CONF=/etc/x", "SLURM_TIME_FORMAT=%s", "SLURMD_NODENAME=n1",
                              "SBATCH_ACCOUNT=a", "OTHER=1"};
  REQUIRE(select_environment(ExportRule{}, inside) ==
          Environment{"SLURM_CONF=/etc/x", "SLURM_TIME_FORMAT=%s", "SBATCH_ACCOUNT=a", "OTHER=1"});
  // Outside of a job the user set it on purpose.
  REQUIRE(select_environment(ExportRule{}, {"SLURM_NTASKS=4"}) == Environment{"SLURM_NTASKS=4"});
}

TEST_CASE("what exec cannot carry is refused with both numbers", "[export]") {
  const ExecLimits limits{100, 300};
  REQUIRE(check_environment({"A=1"}, limits).ok());
  REQUIRE(check_environment({"A=" + std::string(97, 'x')}, limits).ok());
  const auto one = check_environment({"BIG=" + std::string(96, 'x')}, limits);
  REQUIRE(one.error() == Error{ErrorCode::environment_too_large,
                               "variable BIG takes 101 bytes, the limit is 100"});
  const auto all = check_environment(Environment(3, "A=" + std::string(95, 'x')), limits);
  REQUIRE(all.error().detail.find("3 variables take 318 bytes, the limit is 300") == 0);
}

TEST_CASE("entries are ended by NUL on the wire", "[export]") {
  REQUIRE(joined({"A=1", "B="}) == std::string("A=1\0B=\0", 7));
}
