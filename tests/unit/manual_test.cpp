// manual_test.cpp: man pages and the shell's completion say what the option tables say, no more and
// no less.
#include <catch2/catch.hpp>

#include <fmt/format.h>

#include <regex>
#include <set>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/listing/account_columns.h"
#include "cli/listing/job_columns.h"
#include "cli/manuals.h"

using namespace sluice;

namespace {

using Names = std::set<std::string>;

// A page as it is read: without fonts and escapes.
std::string plain(const Manual& manual) {
  std::string page = man_page(manual.text, manual.options);
  page = std::regex_replace(page, std::regex("\\\\f[BIR]"), "");
  return std::regex_replace(page, std::regex("\\\\-"), "-");
}

Names options_of(const Manual& manual) {
  Names names;
  for (const OptionGroup& group : manual.options)
    for (const ManualOption& option : group.options) names.insert(option.name);
  return names;
}

Names options_named(const std::string& text) {
  const std::regex option("--([A-Za-z0-9][A-Za-z0-9_-]*)");
  Names names;
  for (std::sregex_iterator at(text.begin(), text.end(), option), end; at != end; ++at)
    names.insert((*at)[1]);
  return names;
}

Manual manual_of(std::string_view name) {
  for (Manual& manual : manuals())
    if (manual.text.name == name) return std::move(manual);
  FAIL("no page " << name);
  return {};
}

const ManualText example{.name = "ex-ample",
                         .section = 8,
                         .summary = "shows a page",
                         .synopsis = "`ex-ample` [OPTION...]\n`ex-ample` FILE",
                         .text = R"(# DESCRIPTION
First `words` of it.
.dots and 'quotes' stay.

Second.

    $ as it is  \n
    .so

    end
- TERM-1: Said of it,
  in two lines.
# OPTIONS
Before.
# ENVIRONMENT
- HOME: A folder.
)"};

}  // namespace

TEST_CASE("a page is made of its prose and of the rows of the table", "[manual]") {
  const std::vector<OptionGroup> groups = {
      {"",
       "",
       {{"all", 'a', ArgumentKind::none, "", "EX_ALL", "take all", true},
        {"of", 0, ArgumentKind::required, "n-m", "", "so many", true},
        {"maybe", 0, ArgumentKind::optional, "x", "", "or not", true},
        {"later", 'l', ArgumentKind::none, "", "EX_LATER", "", false}}}};
  const std::string page = man_page(example, groups);
  const std::string expected = R"(.SH NAME
ex\-ample \- shows a page
.SH SYNOPSIS
\fBex\-ample\fR [OPTION...]
.br
\fBex\-ample\fR FILE
.SH DESCRIPTION
.PP
First \fBwords\fR of it.
\&.dots and \(aqquotes\(aq stay.
.PP
Second.
.PP
.RS 4
.EX
$ as it is  \en
\&.so

end
.EE
.RE
.TP
\fBTERM\-1\fR
Said of it,
in two lines.
.SH OPTIONS
.PP
Before.
.TP
\fB\-a\fR, \fB\-\-all\fR
Take all.
.TP
\fB\-\-of\fR=\fIn\-m\fR
So many.
.TP
\fB\-\-maybe\fR[=\fIx\fR]
Or not.
.PP
These options of Slurm are not built yet, and are refused by name:
\fB\-\-later\fR.
.SH ENVIRONMENT
.TP
\fBEX_ALL\fR
The same as \fB\-\-all\fR.
.TP
\fBHOME\fR
A folder.
)";
  REQUIRE(page.substr(page.find(".SH NAME")) == expected);
}

TEST_CASE("every row of a command's table is in its page, and no other option", "[manual]") {
  for (const Manual& manual : manuals()) {
    if (manual.text.name == "sluice") continue;  // its options are its verbs'
    CAPTURE(manual.text.name);
    REQUIRE(options_named(plain(manual)) == options_of(manual));
    REQUIRE(options_of(manual).size() > 8);
  }
}

TEST_CASE("the variables of a command are in its page", "[manual]") {
  for (const Manual& manual : manuals())
    for (const OptionGroup& group : manual.options)
      for (const ManualOption& option : group.options) {
        if (option.environment.empty() || !option.honoured) continue;
        CAPTURE(manual.text.name, option.environment);
        REQUIRE(plain(manual).find(fmt::format(".TP\n{}\n", option.environment)) !=
                std::string::npos);
      }
}

TEST_CASE("every command with a name of Slurm's has a page, and every verb stands in sluice's",
          "[manual]") {
  const std::string verbs = plain(manual_of("sluice"));
  for (const CommandRow& row : commands()) {
    CAPTURE(row.verb);
    REQUIRE(verbs.find(fmt::format(".TP\n{}\n", row.verb)) != std::string::npos);
    if (row.slurm_name) REQUIRE(manual_of(row.slurm_name).text.section == 1);
  }
}

TEST_CASE("pages have the sections that readers look for, and list all columns", "[manual]") {
  for (const Manual& manual : manuals())
    for (const char* title : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "ENVIRONMENT",
                              "EXIT STATUS", "EXAMPLES", "SEE ALSO"}) {
      CAPTURE(manual.text.name, title);
      REQUIRE(plain(manual).find(fmt::format(".SH {}\n", title)) != std::string::npos);
    }
  const std::string squeue = plain(manual_of("squeue"));
  for (const Column<JobRow>& column : job_columns())
    REQUIRE(squeue.find(fmt::format(" {}\n", column.heading)) != std::string::npos);
  const std::string sacct = plain(manual_of("sacct"));
  for (const AccountColumn& column : account_columns())
    REQUIRE(sacct.find(column.name) != std::string::npos);
}

TEST_CASE("the completion offers the honoured options of each command", "[manual]") {
  const std::string script = bash_completion(manuals());
  for (const Manual& manual : manuals()) {
    std::string words;
    for (const OptionGroup& group : manual.options)
      for (const ManualOption& option : group.options)
        if (option.honoured)
          words += fmt::format("{}--{}{}", words.empty() ? "" : " ", option.name,
                               option.argument == ArgumentKind::required ? "=" : "");
    CAPTURE(manual.text.name);
    REQUIRE(script.find(fmt::format(") echo '{}' ;;", words)) != std::string::npos);
  }
  REQUIRE(script.find("sbatch|submit) echo '--account= --array= ") != std::string::npos);
  REQUIRE(script.find("--network") == std::string::npos);
}
