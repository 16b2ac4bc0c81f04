// sinfo_test.cpp: how nodes are put together on lines, against outputs of a real Slurm.
#include <catch2/catch.hpp>

#include "cli/listing/node_columns.h"
#include "tests/unit/listing_examples.h"

using namespace sluice;
using namespace sluice::examples;

namespace {
struct Cluster {
  NodesReply reply;

  Cluster() {
    reply.nodes = {node("n1", {"debug", "small"}, 2), node("n2", {"debug", "small"}, 1),
                   node("n3", {"debug"}, 0), node("n4", {"debug"}, 0), node("n5", {"debug"}, 0)};
    reply.partitions = {partition("debug", {"n1", "n2", "n3", "n4", "n5"}),
                        partition("small", {"n1", "n2"})};
  }

  std::string shown(std::string_view format, NodeGrouping grouping = {}) const {
    return shown(parse_letters(node_columns(), format), grouping);
  }
  std::string shown(const Layout<NodeRow>& layout, NodeGrouping grouping) const {
    std::vector<const NodeInfo*> nodes;
    for (const NodeInfo& info : reply.nodes) nodes.push_back(&info);
    std::vector<const PartitionConfig*> partitions;
    for (const PartitionConfig& config : reply.partitions) partitions.push_back(&config);
    std::string out;
    append_heading(layout, out);
    for (const NodeRow& row : node_rows(nodes, partitions, layout, grouping, context()))
      append_line(layout, row, context(), out);
    return out;
  }
};
constexpr NodeGrouping each_node{.each_node = true, .exact = false, .with_empty = true};
}  // namespace

TEST_CASE("sinfo shows a line for each partition and state", "[listing]") {
  const Cluster cluster;
  REQUIRE(cluster.shown("%9P %.5a %.10l %.6D %.6t %N") ==
          "PARTITION AVAIL  TIMELIMIT  NODES  STATE NODELIST\n"
          "debug*       up   infinite      2    mix n[1-2]\n"
          "debug*       up   infinite      3   idle n[3-5]\n"
          "small        up    1:00:00      2    mix n[1-2]\n");
  REQUIRE(
      cluster.shown("%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N") ==
      "PARTITION AVAIL  TIMELIMIT   JOB_SIZE ROOT OVERSUBS     GROUPS  NODES       STATE NODELIST\n"
      "debug*       up   infinite 1-infinite   no       NO        all      2       mixed n[1-2]\n"
      "debug*       up   infinite 1-infinite   no       NO        all      3        idle n[3-5]\n"
      "small        up    1:00:00 1-infinite   no       NO        all      2       mixed n[1-2]\n");
}

TEST_CASE("sinfo counts each node once where no partition is shown", "[listing]") {
  const Cluster cluster;
  REQUIRE(cluster.shown("%C") == "CPUS(A/I/O/T)\n3/37/0/40\n");
  REQUIRE(cluster.shown("%D,%T") == "NODES,STATE\n2,mixed\n3,idle\n");
  REQUIRE(cluster.shown("%R,%C") == "PARTITION,CPUS(A/I/O/T)\ndebug,3/37/0/40\nsmall,3/13/0/16\n");
  REQUIRE(cluster.shown("%P") == "PARTITION\ndebug*\nsmall\n");
  REQUIRE(cluster.shown("%9P %.5a %.10l %.16F %N") ==
          "PARTITION AVAIL  TIMELIMIT   NODES(A/I/O/T) NODELIST\n"
          "debug*       up   infinite          2/3/0/5 n[1-5]\n"
          "small        up    1:00:00          2/0/0/2 n[1-2]\n");
}

TEST_CASE("sinfo -N repeats a node for each of its partitions", "[listing]") {
  const Cluster cluster;
  REQUIRE(cluster.shown("%10N %.6D %.9P %6t", each_node) ==
          "NODELIST    NODES PARTITION STATE \n"
          "n1              1    debug* mix   \n"
          "n1              1     small mix   \n"
          "n2              1    debug* mix   \n"
          "n2              1     small mix   \n"
          "n3              1    debug* idle  \n"
          "n4              1    debug* idle  \n"
          "n5              1    debug* idle  \n");
  REQUIRE(
      cluster
          .shown(parse_fields(node_columns(), "NodeList,AllocMem,Memory,CPUsState,StateLong"),
                 each_node)
          .find("n3                  0                   4000                0/8/0/8            "
                " idle                \n") != std::string::npos);
}

TEST_CASE("sizes that differ are the least and a plus, or lines of their own", "[listing]") {
  Cluster cluster;
  cluster.reply.nodes[4].node.shape.cpus = 16;
  REQUIRE(cluster.shown("%R|%c|%D") == "PARTITION|CPUS|NODES\ndebug|8+|5\nsmall|8|2\n");
  REQUIRE(cluster.shown("%R|%c|%D", {.each_node = false, .exact = true, .with_empty = true}) ==
          "PARTITION|CPUS|NODES\ndebug|8|4\ndebug|16|1\nsmall|8|2\n");
}

TEST_CASE("a node's words follow its record and its load", "[listing]") {
  NodeInfo info = node("n7", {"debug"}, 1);
  info.node.drain = true;
  REQUIRE(node_state_code(info) == "drng");
  REQUIRE(node_state_word(info) == "draining");
  REQUIRE(cpu_counts(info).other == 7);
  info.cpus_allocated = 8;
  REQUIRE(node_state_flags(info) == "ALLOCATED+DRAIN");
  info.cpus_allocated = info.jobs = 0;
  REQUIRE(node_state_code(info) == "drain");
  REQUIRE(node_state_flags(info) == "IDLE+DRAIN");
  info.node.drain = false;
  info.node.state = NodeState::lost;
  REQUIRE(node_state_code(info) == "down*");
  info.node.state = NodeState::down;
  REQUIRE(node_state_flags(info) == "DOWN");
  info.node.state = NodeState::unknown;
  REQUIRE(node_state_word(info) == "unknown*");
}

TEST_CASE("nodes are picked by words of their state", "[listing]") {
  const NodeInfo mixed = node("n1", {"debug"}, 1);
  REQUIRE(matches(parse_node_states("IDLE,mix").value(), mixed));
  REQUIRE(!matches(parse_node_states("idle").value(), mixed));
  REQUIRE(!matches(parse_node_states("powering_down").value(), mixed));
  REQUIRE(parse_node_states("idle,bogus").error().detail == "bogus");
}

TEST_CASE("a partition without nodes is told, unless nodes were asked for", "[listing]") {
  Cluster cluster;
  cluster.reply.partitions = {partition("empty", {})};
  REQUIRE(cluster.shown("%P %D %t %N") == "PARTITION NODES STATE NODELIST\nempty 0 n/a \n");
  REQUIRE(cluster.shown("%P %D", {.each_node = false, .exact = false, .with_empty = false}) ==
          "PARTITION NODES\n");
}

TEST_CASE("generic resources are shown with what is used of each kind", "[listing]") {
  NodeInfo info = node("n1", {"debug"}, 1);
  REQUIRE(gres_or_null(info.node.shape.gres) == "gpu:2");
  REQUIRE(gres_used_text(info) == "gpu:0");
  info.gres_used = {{"gpu", "", 1}};
  REQUIRE(gres_used_text(info) == "gpu:1");
  info.node.shape.gres.clear();
  REQUIRE(gres_used_text(info) == "(null)");
}
