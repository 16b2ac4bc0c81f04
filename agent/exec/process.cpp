// process.cpp: reads /proc; what vanishes while it is read is left out.
#include "agent/exec/process.h"

#include <dirent.h>

#include <cstdlib>
#include <string_view>

#include "agent/exec/file.h"

namespace sluice::agent {
namespace {

// The names in a folder that are numbers.
std::vector<pid_t> numbered_entries(const std::string& path) {
  std::vector<pid_t> numbers;
  DIR* folder = opendir(path.c_str());
  if (!folder) return numbers;
  while (const dirent* entry = readdir(folder))
    if (entry->d_name[0] >= '1' && entry->d_name[0] <= '9')
      numbers.push_back(static_cast<pid_t>(std::strtol(entry->d_name, nullptr, 10)));
  closedir(folder);
  return numbers;
}

void add_children(pid_t parent, std::vector<pid_t>& all) {
  const std::string tasks = "/proc/" + std::to_string(parent) + "/task";
  for (const pid_t task : numbered_entries(tasks)) {
    const auto text = read_file(tasks + "/" + std::to_string(task) + "/children");
    if (!text.ok()) continue;
    for (const char* at = text->c_str();;) {
      char* end = nullptr;
      const long pid = std::strtol(at, &end, 10);
      if (end == at) break;
      all.push_back(static_cast<pid_t>(pid));
      at = end;
    }
  }
}

}  // namespace

std::vector<pid_t> descendants_of(pid_t root) {
  std::vector<pid_t> all;
  add_children(root, all);
  for (std::size_t i = 0; i < all.size(); ++i) add_children(all[i], all);
  return all;
}

std::vector<pid_t> processes_with_environment(const std::string& entry) {
  std::vector<pid_t> found;
  for (const pid_t pid : numbered_entries("/proc")) {
    const auto text = read_file("/proc/" + std::to_string(pid) + "/environ");
    if (!text.ok()) continue;
    const std::string padded = std::string(1, '\0') + *text;
    const std::string wanted = std::string(1, '\0') + entry + std::string(1, '\0');
    if (padded.find(wanted) != std::string::npos) found.push_back(pid);
  }
  return found;
}

}  // namespace sluice::agent
