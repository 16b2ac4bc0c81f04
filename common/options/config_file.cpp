// config_file.cpp: takes the lines of a configuration in order, then completes what needs all of
// them: defaults, node sets, the nodes of partitions.
#include "common/options/config_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "common/base/hostlist.h"
#include "common/base/spelling.h"
#include "common/options/config_io.h"
#include "common/options/config_keys.h"
#include "common/options/config_records.h"
#include "common/options/config_text.h"

namespace sluice {
namespace {

template <class Target>
std::string suggestion(std::span<const KeyRow<Target>> rows, std::string_view key) {
  std::vector<std::string_view> names;
  for (const KeyRow<Target>& row : rows) names.push_back(row.name);
  return did_you_mean(key, names);
}

class Builder {
 public:
  explicit Builder(const ConfigSource& source) : owner_(source.owner) { file_.path = source.path; }

  Result<void> take(const ConfigLine& line) {
    const std::string& first = line.front().key;
    if (equals_ignoring_case(first, "NodeName")) return take_node(line);
    if (equals_ignoring_case(first, "PartitionName")) return take_partition(line);
    if (equals_ignoring_case(first, "NodeSet")) return take_node_set(line);
    if (equals_ignoring_case(first, "FrontendName"))
      return config_error(line.front().place, "FrontendName: front ends are not supported");
    if (equals_ignoring_case(first, "DownNodes")) {
      warn_once(line.front(), "not built yet, use `scontrol update`");
      return {};
    }
    for (const ConfigWord& word : line) TRY(take_global(word));
    return {};
  }

  Result<ConfigFile> finish() {
    TRY(check_memory_defaults());
    TRY(check_times());
    TRY(check_login_hosts());
    if (config().nodes.empty()) add_this_host();
    for (PendingPartition& pending : partitions_) TRY(finish_partition(pending));
    if (config().partitions.empty()) add_default_partition();
    return std::move(file_);
  }

 private:
  struct PendingPartition {
    PartitionDraft draft;
    ConfigPlace place;
  };
  struct PendingNodeSet {
    NodeSetDraft draft;
    ConfigPlace place;
  };

  ClusterConfig& config() { return file_.config; }

  void warn(const ConfigWord& word, std::string_view text) {
    file_.warnings.push_back(fmt::format("{}: {}: {}", to_text(word.place), word.key, text));
  }

  void warn_once(const ConfigWord& word, std::string_view text) {
    if (reported_.insert(word.key).second) warn(word, text);
  }

  // Finds the row of a word and does with its value what the row says.
  template <class Target>
  Result<void> apply(std::span<const KeyRow<Target>> rows, const ConfigWord& word, Target& target,
                     std::string_view record) {
    const KeyRow<Target>* row = find_key(rows, word.key);
    if (!row)
      return config_error(word.place, fmt::format("{}: no such key{}{}", word.key, record,
                                                  suggestion(rows, word.key)));
    if (row->use == KeyUse::refused)
      return config_error(word.place, fmt::format("{}: {}", row->name, row->why));
    const bool foreign =
        row->use == KeyUse::honoured_in_own_file && owner_ == ConfigOwner::slurm;
    if (row->use == KeyUse::unsupported || foreign) warn_once(word, row->why);
    if (!row->apply || foreign) return {};
    const Result<void> applied = row->apply(target, word.value);
    if (!applied)
      return config_error(word.place, fmt::format("{}={}: {}", row->name, word.value,
                                                  applied.error().detail));
    return {};
  }

  template <class Draft>
  Result<void> apply_record(std::span<const KeyRow<Draft>> rows, const ConfigLine& line,
                            Draft& draft) {
    const std::string record = fmt::format(" of {}", line.front().key);
    for (const ConfigWord& word : line) TRY(apply(rows, word, draft, record));
    return {};
  }

  template <class Draft>
  void report_notes(const ConfigWord& word, Draft& draft) {
    for (const std::string& note : draft.notes) warn(word, note);
    draft.notes.clear();
  }

  Result<void> take_global(const ConfigWord& word) {
    std::vector<std::string> notes;
    KeyContext context{config(), notes};
    TRY(apply(config_keys(), word, context, ""));
    for (const std::string& note : notes) warn(word, note);
    const auto [seen, is_new] = places_.emplace(lower(word.key), word.place);
    if (!is_new && lower(word.key) != "slurmctldhost")
      warn(word, fmt::format("given before at {}, this one counts", to_text(seen->second)));
    seen->second = word.place;
    return {};
  }

  static std::string lower(std::string text) {
    for (char& c : text)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c + 32);
    return text;
  }

  const ConfigPlace* place_of(const char* key) const {
    const auto found = places_.find(lower(key));
    return found == places_.end() ? nullptr : &found->second;
  }

  Result<void> take_node(const ConfigLine& line) {
    const ConfigWord& name = line.front();
    if (equals_ignoring_case(name.value, "DEFAULT")) {
      TRY(apply_record(node_keys(), line, node_default_));
      report_notes(name, node_default_);
      return {};
    }
    NodeDraft draft = node_default_;
    TRY(apply_record(node_keys(), line, draft));
    report_notes(name, draft);
    Result<std::vector<NodeConfig>> nodes = finish_nodes(name.value, draft);
    if (!nodes) return config_error(name.place, nodes.error().detail);
    for (NodeConfig& node : *nodes) {
      const auto [seen, is_new] = node_places_.emplace(node.name, name.place);
      if (!is_new)
        return config_error(name.place, fmt::format("NodeName={}: given before at {}", node.name,
                                                    to_text(seen->second)));
      config().nodes.push_back(std::move(node));
    }
    return {};
  }

  Result<void> take_partition(const ConfigLine& line) {
    const ConfigWord& name = line.front();
    if (equals_ignoring_case(name.value, "DEFAULT")) {
      TRY(apply_record(partition_keys(), line, partition_default_));
      report_notes(name, partition_default_);
      return {};
    }
    PartitionDraft draft = partition_default_;
    draft.partition.name = name.value;
    TRY(apply_record(partition_keys(), line, draft));
    report_notes(name, draft);
    if (!is_valid_name(name.value))
      return config_error(name.place, fmt::format("'{}' cannot be a partition's name", name.value));
    for (const PendingPartition& other : partitions_)
      if (other.draft.partition.name == name.value)
        return config_error(name.place, fmt::format("PartitionName={}: given before at {}",
                                                    name.value, to_text(other.place)));
    if (draft.partition.is_default) make_only_default(name);
    partitions_.push_back({std::move(draft), name.place});
    return {};
  }

  void make_only_default(const ConfigWord& name) {
    for (PendingPartition& other : partitions_) {
      if (!other.draft.partition.is_default) continue;
      other.draft.partition.is_default = false;
      warn(name, fmt::format("{} is the default partition from here on, not {}", name.value,
                             other.draft.partition.name));
    }
  }

  Result<void> take_node_set(const ConfigLine& line) {
    NodeSetDraft draft;
    TRY(apply_record(node_set_keys(), line, draft));
    const ConfigWord& name = line.front();
    if (draft.nodes.empty() && draft.feature.empty())
      return config_error(name.place, fmt::format("NodeSet={}: needs Nodes= or Feature=",
                                                  name.value));
    if (!node_sets_.emplace(name.value, PendingNodeSet{draft, name.place}).second)
      return config_error(name.place, fmt::format("NodeSet={}: given before", name.value));
    return {};
  }

  Result<void> check_memory_defaults() const {
    const ConfigPlace* per_cpu = place_of("DefMemPerCPU");
    const ConfigPlace* per_node = place_of("DefMemPerNode");
    if (!per_cpu || !per_node) return {};
    return config_error(*per_node, fmt::format("DefMemPerNode: excludes DefMemPerCPU of {}",
                                               to_text(*per_cpu)));
  }

  // A lease that lapses between two heartbeats would end healthy jobs.
  Result<void> check_times() {
    const TimeoutConfig& times = config().timeouts;
    if (std::uint64_t{times.lease_s} * 1000 >= std::uint64_t{times.heartbeat_ms} * 10) return {};
    const ConfigPlace* place = place_of("SluiceLease");
    if (!place) place = place_of("SluiceHeartbeat");
    ASSERT(place != nullptr);
    return config_error(*place, fmt::format("SluiceLease: {} s is less than ten heartbeats of {} ms",
                                            times.lease_s, times.heartbeat_ms));
  }

  // Trust goes by the name that a key proves: one name is one kind of host.
  Result<void> check_login_hosts() {
    for (const NodeConfig& node : config().nodes)
      for (const std::string& host : config().login_hosts)
        if (host == node.name)
          return config_error(*place_of("SluiceLoginHosts"),
                              fmt::format("SluiceLoginHosts: {} is a NodeName too", host));
    return {};
  }

  Result<void> finish_partition(PendingPartition& pending) {
    PartitionConfig& partition = pending.draft.partition;
    if (!pending.draft.said_memory) {
      partition.def_mem_per_cpu_mb = config().def_mem_per_cpu_mb;
      partition.def_mem_per_node_mb = config().def_mem_per_node_mb;
    }
    if (partition.def_mem_per_cpu_mb && partition.def_mem_per_node_mb)
      return config_error(pending.place, "DefMemPerNode: excludes DefMemPerCPU");
    const std::optional<TimeLimit>& usual = partition.default_time;
    const TimeLimit& longest = partition.max_time;
    if (usual && !longest.unlimited && (usual->unlimited || usual->minutes > longest.minutes))
      return config_error(pending.place, "DefaultTime: longer than MaxTime");
    partition.nodes = TRY(nodes_of(pending.draft.nodes, "Nodes", pending.place));
    config().partitions.push_back(std::move(partition));
    return {};
  }

  // Node names of "ALL", host lists and node sets, in the order of the nodes' records.
  Result<std::vector<std::string>> nodes_of(const std::string& text, std::string_view key,
                                            const ConfigPlace& place) {
    std::vector<std::string> out;
    if (text.empty() || equals_ignoring_case(text, "(null)")) return out;
    std::unordered_set<std::string> wanted;
    TRY(collect_nodes(text, key, place, wanted));
    for (const NodeConfig& node : config().nodes)
      if (wanted.contains(node.name)) out.push_back(node.name);
    return out;
  }

  Result<void> collect_nodes(const std::string& text, std::string_view key,
                             const ConfigPlace& place, std::unordered_set<std::string>& wanted) {
    const Result<std::vector<std::string>> names = expand_hostlist(text);
    if (!names) return config_error(place, fmt::format("{}={}: {}", key, text, names.error().detail));
    for (const std::string& name : *names) {
      if (equals_ignoring_case(name, "ALL")) {
        for (const NodeConfig& node : config().nodes) wanted.insert(node.name);
      } else if (const auto set = node_sets_.find(name); set != node_sets_.end()) {
        TRY(collect_set(set->second, wanted));
      } else if (has_node(name)) {
        wanted.insert(name);
      } else {
        return config_error(place, fmt::format("{}={}: there is no node {}{}", key, text, name,
                                               suggest_node(name)));
      }
    }
    return {};
  }

  Result<void> collect_set(const PendingNodeSet& set, std::unordered_set<std::string>& wanted) {
    for (const NodeConfig& node : config().nodes)
      if (std::find(node.features.begin(), node.features.end(), set.draft.feature) !=
          node.features.end())
        wanted.insert(node.name);
    if (set.draft.nodes.empty()) return {};
    const Result<std::vector<std::string>> names = expand_hostlist(set.draft.nodes);
    if (!names) return config_error(set.place, "Nodes: " + names.error().detail);
    for (const std::string& name : *names) {
      if (!has_node(name))
        return config_error(set.place, fmt::format("Nodes={}: there is no node {}{}",
                                                   set.draft.nodes, name, suggest_node(name)));
      wanted.insert(name);
    }
    return {};
  }

  bool has_node(const std::string& name) const { return node_places_.contains(name); }

  std::string suggest_node(const std::string& name) {
    std::vector<std::string_view> names;
    for (const NodeConfig& node : config().nodes) names.push_back(node.name);
    for (const auto& [set, draft] : node_sets_) names.push_back(set);
    return did_you_mean(name, names);
  }

  // What is not said of it, its agent says when it registers.
  void add_this_host() {
    NodeConfig node = node_default_.node;
    const std::string host = read_short_host_name();
    node.name = is_valid_name(host) ? host : "localhost";
    node.host = node.name;
    node.address = "127.0.0.1";
    node_places_.emplace(node.name, ConfigPlace{file_.path, 0});
    config().nodes.push_back(std::move(node));
  }

  void add_default_partition() {
    PartitionConfig partition = partition_default_.partition;
    partition.name = "main";
    partition.is_default = true;
    partition.def_mem_per_cpu_mb = config().def_mem_per_cpu_mb;
    partition.def_mem_per_node_mb = config().def_mem_per_node_mb;
    for (const NodeConfig& node : config().nodes) partition.nodes.push_back(node.name);
    config().partitions.push_back(std::move(partition));
  }

  ConfigOwner owner_;
  ConfigFile file_;
  NodeDraft node_default_;
  PartitionDraft partition_default_;
  std::vector<PendingPartition> partitions_;
  std::map<std::string, PendingNodeSet> node_sets_;
  std::unordered_map<std::string, ConfigPlace> node_places_;
  std::map<std::string, ConfigPlace> places_;  // of global keys, in lower case
  std::set<std::string> reported_;
};

Result<ConfigFile> build(const std::vector<ConfigLine>& lines, const ConfigSource& source) {
  Builder builder{source};
  for (const ConfigLine& line : lines) TRY(builder.take(line));
  return builder.finish();
}

}  // namespace

Result<ConfigFile> read_config_file(const std::string& path) {
  return read_config({path, ConfigOwner::sluice});
}

Result<ConfigFile> read_config(const ConfigSource& source) {
  if (source.path.empty()) return build({}, source);
  return build(TRY(read_config_lines(source.path)), source);
}

Result<ConfigFile> find_and_read_config() { return read_config(find_config_source()); }

Result<ConfigFile> parse_config(const std::string& text, const ConfigSource& source) {
  return build(TRY(parse_config_lines(text, source.path)), source);
}

}  // namespace sluice
