// config_records.h: the records of slurm.conf that are lines of their own (NodeName, PartitionName):
// their keys as tables, and how a finished line becomes entries of ClusterConfig. Pure.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "common/base/result.h"
#include "common/model/config.h"
#include "common/options/config_keys.h"

namespace sluice {

// What one NodeName line says, before its host list is expanded. A DEFAULT line fills the draft that
// later lines start from.
struct NodeDraft {
  NodeConfig node;            // without names and addresses
  std::string hosts;          // NodeHostname, NodeAddr, Port: host lists as written
  std::string addresses;
  std::string ports;
  std::uint32_t boards = 1;
  std::vector<std::string> notes;  // warnings about values, without file and line
};

// What one PartitionName line says.
struct PartitionDraft {
  PartitionConfig partition;  // without nodes
  std::string nodes;          // as written
  bool said_memory = false;
  std::vector<std::string> notes;
};

struct NodeSetDraft {
  std::string nodes;
  std::string feature;
};

std::span<const KeyRow<NodeDraft>> node_keys();
std::span<const KeyRow<PartitionDraft>> partition_keys();
std::span<const KeyRow<NodeSetDraft>> node_set_keys();

// The nodes of a line. Errors are config_invalid without file and line: bad host list or name, counts
// of addresses that do not fit, CPUs that contradict the topology.
Result<std::vector<NodeConfig>> finish_nodes(const std::string& names, const NodeDraft& draft);

// Of nodes and partitions: letters, digits, '.', '_', '-', not beginning with '.' or '-'. Names become
// file names of spool folders.
bool is_valid_name(std::string_view name);

}  // namespace sluice
