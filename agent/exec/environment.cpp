// environment.cpp: three layers, the later ones win; order and odd entries are kept.
#include "agent/exec/environment.h"

#include <string_view>
#include <unordered_set>

namespace sluice::agent {
namespace {

constexpr std::string_view default_path = "/usr/local/bin:/usr/bin:/bin";

std::string_view name_of(std::string_view entry) { return entry.substr(0, entry.find('=')); }

std::vector<std::string_view> split_at_nul(std::string_view bytes) {
  std::vector<std::string_view> parts;
  while (!bytes.empty()) {
    const std::size_t end = bytes.find('\0');
    parts.push_back(bytes.substr(0, end));
    if (end == std::string_view::npos) break;
    bytes.remove_prefix(end + 1);
  }
  return parts;
}

}  // namespace

std::vector<std::string> build_environment(const SpooledRun& run) {
  std::vector<std::string> of_node = {"HOSTNAME=" + run.host, "SLURMD_NODENAME=" + run.node};
  if (!run.mark.empty()) of_node.push_back(run.mark);
  std::unordered_set<std::string_view> taken;
  for (const std::string& entry : of_node) taken.insert(name_of(entry));
  std::vector<std::string> all;
  for (const std::string& entry : run.order.job_environment)
    if (taken.insert(name_of(entry)).second) all.push_back(entry);
  for (const std::string_view entry : split_at_nul(run.order.environment))
    if (!entry.empty() && !taken.contains(name_of(entry))) all.emplace_back(entry);
  for (std::string& entry : of_node) all.push_back(std::move(entry));

  std::unordered_set<std::string_view> set;
  for (const std::string& entry : all) set.insert(name_of(entry));
  const auto fill_in = [&](std::string_view name, std::string_view value) {
    if (!value.empty() && !set.contains(name))
      all.push_back(std::string(name).append("=").append(value));
  };
  std::vector<std::string> filled;
  filled.swap(all);  // `set` looks into these strings: they must not move while it is asked
  fill_in("HOME", run.user.home);
  fill_in("USER", run.user.name);
  fill_in("LOGNAME", run.user.name);
  fill_in("SHELL", run.user.shell);
  fill_in("PATH", default_path);
  fill_in("TMPDIR", "/tmp");
  for (std::string& entry : all) filled.push_back(std::move(entry));
  return filled;
}

}  // namespace sluice::agent
