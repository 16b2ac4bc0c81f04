// verb_program.cpp: see verb_program.h.
#include "cli/verb_program.h"

#include <unistd.h>
#include <climits>
#include <string_view>

namespace sluice {
namespace {

std::string folder_of_this_program() {
  char path[PATH_MAX];
  const ssize_t size = readlink("/proc/self/exe", path, sizeof path);
  if (size <= 0) return ".";
  const std::string_view whole(path, static_cast<std::size_t>(size));
  return std::string(whole.substr(0, whole.rfind('/')));
}

}  // namespace

void execute_verb_program(const std::string& name, char** argv) {
  const std::string folder = folder_of_this_program();
  for (const char* place : {"/", "/../libexec/sluice/"})
    execv((folder + place + "sluice-" + name).c_str(), argv);
}

}  // namespace sluice
