// submission_test.cpp: what a job takes along from its submitter's machine.
#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>

#include "cli/login_environment.h"
#include "cli/submission.h"

using namespace sluice;

namespace {
struct ScriptFile {
  std::string path;
  explicit ScriptFile(const std::string& bytes) {
    char name[] = "/tmp/submission_test.XXXXXX";
    const int file = mkstemp(name);
    REQUIRE(write(file, bytes.data(), bytes.size()) == static_cast<ssize_t>(bytes.size()));
    close(file);
    path = name;
  }
  ~ScriptFile() { unlink(path.c_str()); }
};
}  // namespace

TEST_CASE("a script's bytes, path, arguments and name come along", "[submission]") {
  const ScriptFile file(std::string("#!/bin/sh\n\xff\0end", 15));
  const auto source = load_script(std::nullopt, {file.path, "-n", "a b"});
  REQUIRE(source.ok());
  REQUIRE(source->bytes.size() == 15);
  REQUIRE(source->path == file.path);
  REQUIRE(source->default_name == file.path.substr(5));
  REQUIRE(source->arguments == std::vector<std::string>{"-n", "a b"});
}

TEST_CASE("--wrap makes a shell script that takes no arguments", "[submission]") {
  const auto source = load_script("echo 'a  b'", {});
  REQUIRE(source->bytes.find("#!/bin/sh\n") == 0);
  REQUIRE(source->bytes.find("\necho 'a  b'\n") != std::string::npos);
  REQUIRE(source->default_name == "wrap");
  REQUIRE(source->path.empty());
  REQUIRE(load_script("true", {"extra"}).error().detail ==
          "Script arguments not permitted with --wrap option");
}

TEST_CASE("scripts that cannot be read are told by name", "[submission]") {
  REQUIRE(load_script({}, {"nofile.sh"}).error().detail == "Unable to open file nofile.sh");
  REQUIRE(load_script({}, {"-"}).error().detail == "Unable to open file -");
  REQUIRE(load_script({}, {"/tmp"}).error().detail == "Unable to open file /tmp: Is a directory");
  REQUIRE(load_script({}, {":", "-N2", "x"}).error().code == ErrorCode::not_supported);
}

TEST_CASE("a submission carries folder, umask, host, environment and a fresh key", "[submission]") {
  setenv("SUBMISSION_TEST", "a\nb=c", 1);
  const mode_t before = umask(027);
  SubmitRequest request;
  request.work_dir = "sub";
  const auto first = make_submission(request, *load_script("true", {}));
  const auto second = make_submission(request, *load_script("true", {}));
  umask(before);
  REQUIRE(first.ok());
  const SubmitJob& message = first->message;
  REQUIRE(message.key.size() == 16);
  REQUIRE(message.key != second->message.key);
  REQUIRE(message.spec.name == "wrap");
  REQUIRE(message.spec.batch.umask == 027);
  REQUIRE(message.spec.batch.work_dir == message.spec.batch.submit_dir + "/sub");
  REQUIRE_FALSE(message.spec.batch.submit_host.empty());
  REQUIRE(message.environment.find(std::string("SUBMISSION_TEST=a\nb=c\0", 22)) !=
          std::string::npos);
  unsetenv("SUBMISSION_TEST");
}

TEST_CASE("a variable that exec cannot carry is refused, not dropped", "[submission]") {
  SubmitRequest request;
  request.export_rule = *parse_export({"BIG=" + std::string(200'000, 'x'), ""});
  REQUIRE(make_submission(request, *load_script("true", {})).error().code ==
          ErrorCode::environment_too_large);
}

TEST_CASE("a shell's variables are read between the markers, whatever its profile prints",
          "[submission]") {
  const std::string output(
      "welcome\nX=1\n\nsluice-environment-begins\nA=1\0B=two\nlines\0SHLVL=1\0\n"
      "sluice-environment-ends\n",
      88);
  const auto read = parse_shell_output(output);
  REQUIRE(read.ok());
  REQUIRE(*read == Environment{"A=1", "B=two\nlines"});
  REQUIRE(parse_shell_output("A=1").error().code == ErrorCode::io_error);
  REQUIRE_FALSE(parse_shell_output(output.substr(0, 60)).ok());
}

TEST_CASE("the login environment of this user is read, and no shell is waited for too long",
          "[submission]") {
  const auto read = read_login_environment(getuid(), {.timeout_s = 60, .is_login = false});
  REQUIRE(read.ok());
  REQUIRE(std::any_of(read->begin(), read->end(),
                      [](const std::string& entry) { return entry.starts_with("HOME="); }));
  REQUIRE(read_login_environment(4'000'000'000, {}).error().code == ErrorCode::unknown_user);
}

TEST_CASE("a file of variables is taken whole, or refused with the entry that is none",
          "[submission]") {
  const ScriptFile good(std::string("A=x\ny\0\0B=\0", 10));
  REQUIRE(read_export_file(good.path).value() == Environment{"A=x\ny", "B="});
  const ScriptFile bad(std::string("A=1\0oops\0", 9));
  REQUIRE(read_export_file(bad.path).error().detail.find("entry 2 is not NAME=value") !=
          std::string::npos);
  REQUIRE(read_export_file("/no/such/file").error().code == ErrorCode::io_error);
}
