// target_config.cpp: slurm.conf: an error names the file and a line that exists, a configuration
// that is taken is consistent and survives the wire.
#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "common/options/config_file.h"
#include "common/options/config_records.h"
#include "common/wire/message_codec.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

// A folder that is not there: nothing on the machine is included.
constexpr const char* file = "/nonexistent/slurm.conf";

std::size_t line_limit(std::string_view text) { return lines_of(text).size(); }

void check_node(const NodeConfig& node, std::set<std::string>& names) {
  require(is_valid_name(node.name) && names.insert(node.name).second,
          "a node has a name of its own", node.name);
  const NodeShape& shape = node.shape;
  const std::uint64_t threads =
      std::uint64_t{shape.sockets} * shape.cores_per_socket * shape.threads_per_core;
  require(shape.cpus >= 1 && shape.cpus <= 1'000'000, "a node has 1 to 1000000 CPUs");
  require(threads >= 1 && threads <= 1'000'000, "so has its topology", fmt::format("{}", threads));
  require(shape.mem_mb >= 1, "a node has memory");
}

void check_config(const ClusterConfig& config) {
  std::set<std::string> names, partitions;
  for (const NodeConfig& node : config.nodes) check_node(node, names);
  require(!config.nodes.empty() && !config.partitions.empty(),
          "a cluster has a node and a partition");
  for (const PartitionConfig& partition : config.partitions) {
    require(is_valid_name(partition.name) && partitions.insert(partition.name).second,
            "a partition has a name of its own", partition.name);
    for (const std::string& node : partition.nodes)
      require(names.contains(node), "a partition's nodes exist", node);
  }
  require(std::count_if(config.partitions.begin(), config.partitions.end(),
                        [](const PartitionConfig& p) { return p.is_default; }) <= 1,
          "at most one partition is the default");
  const TimeoutConfig& times = config.timeouts;
  require(std::uint64_t{times.lease_s} * 1000 >= std::uint64_t{times.heartbeat_ms} * 10,
          "a lease outlasts ten heartbeats");
  const auto decoded = from_bytes<ClusterConfig>(to_bytes(config));
  require(decoded.ok() && *decoded == config, "a configuration survives the wire");
}

void check_place(std::string_view text, std::string_view message) {
  const std::size_t line = line_named(message, file);
  require(message.starts_with(file) && line >= 1 && line <= line_limit(text),
          "a message begins with a line that exists", message);
}

// Thousands of nodes and includes from other folders are left out.
bool is_meant(std::string_view text) {
  std::string lower(text);
  std::transform(lower.begin(), lower.end(), lower.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + 32) : c; });
  if (lower.find("include") != std::string::npos && lower.find('/') != std::string::npos)
    return false;
  return hostlist_names_at_most(text) < 300;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text = text_of(data, size);
  if (!is_meant(text)) return 0;
  for (const ConfigOwner owner : {ConfigOwner::sluice, ConfigOwner::slurm}) {
    const auto read = in_proportion(text, 200'000, [&] {
      return parse_config(std::string(text), {file, owner});
    });
    if (!read.ok()) {
      require(read.error().code == ErrorCode::config_invalid, "a refusal has its code");
      check_place(text, read.error().detail);
      continue;
    }
    for (const std::string& warning : read->warnings) check_place(text, warning);
    check_config(read->config);
  }
  return 0;
}
