// submission_test.cpp: what a job takes along from its submitter's machine.
#include <catch2/catch.hpp>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

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
