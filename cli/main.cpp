// main.cpp: finds which command is meant, by the name the program was called by or by its first
// argument, and runs it. Some verbs are programs of their own, which this one executes as git does.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <string>
#include <string_view>

#include "cli/command.h"
#include "cli/completion.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "cli/verb_program.h"

using namespace sluice;

namespace {

std::string_view base_name(std::string_view path) {
  const std::size_t slash = path.rfind('/');
  return slash == std::string_view::npos ? path : path.substr(slash + 1);
}

const CommandRow* command_of_link(std::string_view name) {
  for (const CommandRow& row : commands())
    if (row.slurm_name && name == row.slurm_name) return &row;
  return nullptr;
}

const CommandRow* command_of_verb(std::string_view name) {
  for (const CommandRow& row : commands())
    if (name == row.verb) return &row;
  return nullptr;
}

void print_help(std::FILE* out) {
  std::fputs("Usage: sluice VERB [OPTIONS...]\n\nVerbs:\n", out);
  for (const CommandRow& row : commands()) {
    std::fprintf(out, "  %-10s %s", row.verb, row.summary);
    if (row.slurm_name) std::fprintf(out, " (%s)", row.slurm_name);
    std::fputc('\n', out);
  }
  std::fputs(
      "\n`sluice VERB --help` says more. Other verbs are programs named sluice-VERB.\n"
      "`sluice --completion bash` prints what completes all of them in a shell.\n",
      out);
}

// Makes one link a Slurm name beside the program. This and the two below are called by the build
// and the packages.
int make_links(const std::string& folder) {
  for (const CommandRow& row : commands()) {
    if (!row.slurm_name) continue;
    const std::string link = folder + "/" + row.slurm_name;
    unlink(link.c_str());
    if (symlink("sluice", link.c_str()) != 0) {
      std::perror(link.c_str());
      return 1;
    }
  }
  return 0;
}

bool write_text(const std::string& path, const std::string& text) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  const bool written = std::fwrite(text.data(), 1, text.size(), file) == text.size();
  return std::fclose(file) == 0 && written;
}

// Writes FOLDER/man1/NAME.1 for each page.
int write_manuals(const std::string& folder) {
  for (const Manual& manual : manuals()) {
    const std::string path =
        fmt::format("{0}/man{1}/{2}.{1}", folder, manual.text.section, manual.text.name);
    if (write_text(path, man_page(manual.text, manual.options))) continue;
    std::perror(path.c_str());
    return 1;
  }
  return 0;
}

int print_completion(std::string_view shell) {
  if (shell == "bash") return print_result(bash_completion(manuals())) ? 0 : 1;
  print_error("sluice", fmt::format("--completion {}: only bash can be completed", shell));
  return 1;
}

int run_verb(int argc, char** argv) {
  const std::string verb = argv[1];
  if (verb == "--help" || verb == "-h" || verb == "help") return print_help(stdout), 0;
  if (verb == "--links" && argc == 3) return make_links(argv[2]);
  if (verb == "--manuals" && argc == 3) return write_manuals(argv[2]);
  if (verb == "--completion" && argc == 3) return print_completion(argv[2]);
  if (const CommandRow* row = command_of_verb(verb)) {
    std::string shown = "sluice " + verb;
    argv[1] = shown.data();
    return row->run(argc - 1, argv + 1);
  }
  if (verb.find('/') == std::string::npos) execute_verb_program(verb, argv + 1);
  std::fprintf(stderr, "sluice: error: no verb '%s'; `sluice --help` lists them\n", verb.c_str());
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 0) return 1;
  const std::string_view name = base_name(argv[0]);
  if (const CommandRow* row = command_of_link(name)) {
    std::string shown{name};
    argv[0] = shown.data();
    return row->run(argc, argv);
  }
  if (argc == 1) return run_status(argc, argv);
  return run_verb(argc, argv);
}
