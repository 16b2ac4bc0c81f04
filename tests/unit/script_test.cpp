// script_test.cpp: what is read from a batch script, and what is refused with file and line.
#include <catch2/catch.hpp>

#include "common/options/script.h"

using namespace sluice;

namespace {
std::vector<std::string> words_of(const std::string& line) {
  const Result<ScriptDirectives> read = read_directives("#!/bin/sh\n#SBATCH" + line + "\n", "j.sh");
  REQUIRE(read.ok());
  std::vector<std::string> words;
  for (const Directive& directive : read->directives)
    for (const OptionValue& word : directive.words) words.push_back(word.text);
  return words;
}
using Words = std::vector<std::string>;
}  // namespace

TEST_CASE("directives between blank lines, comments and odd spacing", "[script]") {
  const Result<ScriptDirectives> read = read_directives(
      "#!/bin/bash\n\n# plain comment\n#SBATCH   -J    spaced\n\t\n##SBATCH -J disabled\n"
      "# SBATCH -J disabled2\n#SBATCH\t--comment=tabbed\n#SBATCH --time=5 --mem=64M\n"
      "#sbatch -J lower\n#SBATCHX -J glued\n  #SBATCH -J indented\n\ntrue\n#SBATCH -J late\n",
      "job.sh");
  REQUIRE(read.ok());
  REQUIRE(read->directives.size() == 3);
  REQUIRE(read->directives[0].line == 4);
  REQUIRE(read->directives[2].words.size() == 2);
  // Slips are pointed at: lines 7, 10, 11, 12, and the late one.
  REQUIRE(read->hints.size() == 5);
  REQUIRE(read->hints[0].find("job.sh:7: taken as a comment") == 0);
  REQUIRE(read->hints[4].find("job.sh:15: ignored, because a command came before") == 0);
}

TEST_CASE("prose about sbatch is no slip", "[script]") {
  const Result<ScriptDirectives> read =
      read_directives("#!/bin/sh\n# sbatch is called by make\n# Sbatch\ntrue\n", "j.sh");
  REQUIRE(read->hints.empty());
}

TEST_CASE("words are divided and unquoted as a shell would", "[script]") {
  REQUIRE(words_of(" --job-name=\"two words\"   # trailing remark") == Words{"--job-name=two words"});
  REQUIRE(words_of(" --comment='say \"hi\" #5'") == Words{"--comment=say \"hi\" #5"});
  REQUIRE(words_of(" -o out\\ dir/%j.txt") == Words{"-o", "out dir/%j.txt"});
  REQUIRE(words_of(" -J a#b") == Words{"-J", "a#b"});
  REQUIRE(words_of(" -J ''") == Words{"-J", ""});
  REQUIRE(words_of(" -J \"a\\\"b\" '\\'") == Words{"-J", "a\"b", "\\"});
  REQUIRE(words_of("\t--exclude\tn1") == Words{"--exclude", "n1"});
  REQUIRE(words_of("") == Words{});
  REQUIRE(words_of(" # nothing") == Words{});
  REQUIRE(words_of(" -J caf\xe9\xff") == Words{"-J", "caf\xe9\xff"});
}

TEST_CASE("an open quote is refused with its line", "[script]") {
  const auto read = read_directives("#!/bin/sh\n\n#SBATCH -J \"x\n", "j.sh");
  REQUIRE(read.error().code == ErrorCode::script_stray_word);
  REQUIRE(read.error().detail.find("j.sh:3") != std::string::npos);
}

TEST_CASE("DOS line ends are refused with the first such line", "[script]") {
  const auto read = read_directives("#!/bin/sh\n#SBATCH -o x\r\ntrue\r\n", "j.sh");
  REQUIRE(read.error().code == ErrorCode::script_dos_line_ends);
  REQUIRE(read.error().detail.find("j.sh:2: ") == 0);
  REQUIRE(read_directives("#!/bin/sh\r\n", "j.sh").error().detail.find("j.sh:1: ") == 0);
  REQUIRE(read_directives("#!/bin/sh\nprintf 'a\rb'\n", "j.sh").ok());
}

TEST_CASE("the first line must name an interpreter", "[script]") {
  const std::string script = GENERATE("echo hi\n", " #!/bin/sh\n", "\n#!/bin/sh\n", "\x7f" "ELF");
  CAPTURE(script);
  const auto read = read_directives(script, "j.sh");
  REQUIRE(read.error().code == ErrorCode::script_no_interpreter);
  REQUIRE(read.error().detail.find("j.sh:1: line 1 must start with #!, found \"") == 0);
}

TEST_CASE("an empty script is told as such", "[script]") {
  const Result<ScriptDirectives> empty = read_directives("", "j.sh");
  REQUIRE(empty.error().code == ErrorCode::script_empty);
  REQUIRE(empty.error().detail == "j.sh:1: line 1 must start with #!, found nothing");
}

TEST_CASE("lines of other schedulers are noticed", "[script]") {
  REQUIRE(read_directives("#!/bin/sh\n#BSUB -J x\n", "j")->foreign_line == 2);
  REQUIRE(read_directives("#!/bin/sh\ntrue\n#BSUB -J x\n", "j")->foreign_line == 0);
  const auto pbs =
      read_directives("#!/bin/sh\n#SBATCH -n1\n#PBS -N 'a b' # name\ntrue\n#PBS -N y\n", "j");
  REQUIRE(pbs->pbs.size() == 1);
  REQUIRE(pbs->pbs[0].line == 3);
  REQUIRE(pbs->pbs[0].words == std::vector<OptionValue>{{"-N", "00"}, {"a b", "111"}});
}

TEST_CASE("a script of five megabytes is read to its end", "[script]") {
  std::string script = "#!/bin/sh\n#SBATCH -J big\n";
  while (script.size() < 5'000'000) script += "echo \xff 0123456789 0123456789 0123456789\n";
  const auto read = read_directives(script, "big.sh");
  REQUIRE(read.ok());
  REQUIRE(read->directives.size() == 1);
  REQUIRE(read->hints.empty());
}
