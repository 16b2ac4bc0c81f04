// node_text.cpp: facts of a node to text.
#include "cli/listing/node_text.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/options/text.h"

namespace sluice {
namespace {

struct WordText {
  NodeWord word;
  const char* code;
  const char* word_text;
};

constexpr WordText word_texts[] = {
    {NodeWord::unknown, "unk", "unknown"},
    {NodeWord::idle, "idle", "idle"},
    {NodeWord::mixed, "mix", "mixed"},
    {NodeWord::allocated, "alloc", "allocated"},
    {NodeWord::completing, "comp", "completing"},
    {NodeWord::drained, "drain", "drained"},
    {NodeWord::draining, "drng", "draining"},
    {NodeWord::down, "down", "down"},
    {NodeWord::maintenance, "maint", "maint"},
    {NodeWord::reserved, "resv", "reserved"},
};

const WordText& text_of(NodeWord word) {
  for (const WordText& text : word_texts)
    if (text.word == word) return text;
  return word_texts[0];
}

// What Slurm's users may filter by although no node here is ever in it.
constexpr std::string_view foreign_states[] = {"blocked",
                                               "cloud",
                                               "error",
                                               "fail",
                                               "failing",
                                               "future",
                                               "inval",
                                               "npc",
                                               "perfctrs",
                                               "planned",
                                               "power_down",
                                               "power_up",
                                               "powered_down",
                                               "powering_down",
                                               "powering_up",
                                               "reboot",
                                               "reboot_issued",
                                               "reboot_requested"};

bool answers(const NodeInfo& info) { return info.node.state == NodeState::up; }

bool takes_jobs(const NodeInfo& info) { return answers(info) && !info.node.drain; }

bool is_in_use(const NodeInfo& info) {
  return info.cpus_allocated > 0 || info.jobs > 0 || info.completing;
}

}  // namespace

NodeWord node_word(const NodeInfo& info) {
  const bool in_use = is_in_use(info);
  if (info.node.drain) return in_use ? NodeWord::draining : NodeWord::drained;
  if (info.node.state == NodeState::unknown) return NodeWord::unknown;
  if (info.node.state != NodeState::up) return NodeWord::down;
  if (info.completing) return NodeWord::completing;
  if (!in_use && info.in_maintenance) return NodeWord::maintenance;
  if (!in_use && !info.reservation.empty()) return NodeWord::reserved;
  if (!in_use) return NodeWord::idle;
  return info.cpus_allocated >= info.node.shape.cpus ? NodeWord::allocated : NodeWord::mixed;
}

std::string node_state_code(const NodeInfo& info) {
  std::string text = text_of(node_word(info)).code;
  if (info.node.state == NodeState::lost || info.node.state == NodeState::unknown) text += '*';
  return text;
}

std::string node_state_word(const NodeInfo& info) {
  std::string text = text_of(node_word(info)).word_text;
  if (info.node.state == NodeState::lost || info.node.state == NodeState::unknown) text += '*';
  return text;
}

std::string node_state_flags(const NodeInfo& info) {
  std::string text;
  if (info.node.state == NodeState::unknown) text = "UNKNOWN";
  else if (info.node.state != NodeState::up) text = "DOWN";
  else if (info.cpus_allocated == 0 && info.jobs == 0) text = "IDLE";
  else text = info.cpus_allocated >= info.node.shape.cpus ? "ALLOCATED" : "MIXED";
  if (info.node.drain) text += "+DRAIN";
  if (info.completing) text += "+COMPLETING";
  if (info.in_maintenance) text += "+MAINTENANCE";
  if (!info.reservation.empty()) text += "+RESERVED";
  if (info.node.state == NodeState::lost || info.node.state == NodeState::unknown)
    text += "+NOT_RESPONDING";
  return text;
}

CpuCounts cpu_counts(const NodeInfo& info) {
  CpuCounts counts;
  counts.total = info.node.shape.cpus;
  counts.allocated = std::min<std::uint64_t>(info.cpus_allocated, counts.total);
  (takes_jobs(info) ? counts.idle : counts.other) = counts.total - counts.allocated;
  return counts;
}

Result<NodeStateFilter> parse_node_states(std::string_view text) {
  NodeStateFilter filter;
  for (std::string_view piece : split(text, ',')) {
    if (piece.empty()) continue;
    const auto is_piece = [&](std::string_view word) { return equals_ignoring_case(piece, word); };
    const bool ours =
        is_piece("all") || is_piece("no_respond") ||
        std::any_of(std::begin(word_texts), std::end(word_texts), [&](const WordText& known) {
          return is_piece(known.code) || is_piece(known.word_text);
        });
    if (!ours && !std::any_of(std::begin(foreign_states), std::end(foreign_states), is_piece))
      return Error{ErrorCode::invalid_argument, std::string(piece)};
    std::string word(piece);
    for (char& c : word)
      if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    filter.words.push_back(std::move(word));
  }
  return filter;
}

bool matches(const NodeStateFilter& filter, const NodeInfo& info) {
  const NodeWord word = node_word(info);
  const WordText& texts = text_of(word);
  const auto fits = [&](const std::string& asked) {
    if (asked == "all") return true;
    if (asked == "no_respond") return !answers(info) && info.node.state != NodeState::down;
    // "drain" is the flag: with or without jobs.
    if (asked == "drain") return info.node.drain;
    if (asked == "down")
      return info.node.state == NodeState::down || info.node.state == NodeState::lost;
    return asked == texts.code || asked == texts.word_text;
  };
  return filter.words.empty() || std::any_of(filter.words.begin(), filter.words.end(), fits);
}

std::string node_state_list() {
  std::string list;
  for (const WordText& text : word_texts) {
    if (!list.empty()) list += ',';
    list += text.word_text;
  }
  return list + ",drain,no_respond";
}

TresAmounts tres_of(const NodeShape& shape) {
  TresAmounts amounts;
  amounts.cpus = shape.cpus;
  amounts.mem_mb = shape.mem_mb;
  amounts.billing = shape.cpus;
  add_gres(amounts.gres, shape.gres, 1);
  return amounts;
}

bool was_measured(const NodeInfo& info) { return info.vitals.measured != WallTime{}; }

std::optional<std::int64_t> measurement_age_s(const NodeInfo& info, WallTime as_of) {
  if (!was_measured(info)) return std::nullopt;
  return std::max<std::int64_t>(0, to_seconds(as_of) - to_seconds(info.vitals.measured));
}

TresAmounts tres_of(const PartitionConfig& partition, const std::vector<NodeInfo>& nodes) {
  TresAmounts total;
  for (const NodeInfo& info : nodes) {
    const auto& names = info.partitions;
    if (std::find(names.begin(), names.end(), partition.name) == names.end()) continue;
    const TresAmounts one = tres_of(info.node.shape);
    total.cpus += one.cpus;
    total.mem_mb += one.mem_mb;
    total.billing += one.billing;
    ++total.nodes;
    add_gres(total.gres, one.gres, 1);
  }
  return total;
}

TresAmounts tres_allocated(const NodeInfo& info) {
  TresAmounts amounts;
  amounts.cpus = info.cpus_allocated;
  amounts.mem_mb = info.mem_allocated_mb;
  add_gres(amounts.gres, info.gres_used, 1);
  return amounts;
}

std::string gres_or_null(const std::vector<GresCount>& gres) {
  return gres.empty() ? "(null)" : to_text(gres);
}

std::string gres_used_text(const NodeInfo& info) {
  std::vector<GresCount> used = info.node.shape.gres;
  for (GresCount& kind : used) {
    kind.count = 0;
    for (const GresCount& share : info.gres_used)
      if (share.name == kind.name && share.type == kind.type) kind.count += share.count;
  }
  return gres_or_null(used);
}

}  // namespace sluice
