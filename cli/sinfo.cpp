// sinfo.cpp: `sinfo`: partitions and nodes as the controller sees them. Parse, ask, render.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/node_columns.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

struct SinfoOptions {
  bool has_heading = true;
  bool is_long = false;
  bool each_node = false;
  bool summarizes = false;
  bool lists_reasons = false;
  bool exact = false;
  bool only_answering = false;
  std::string letters;
  std::string fields;
  std::string cluster;
  std::vector<std::string> partitions;
  std::vector<std::string> nodes;
  bool names_nodes = false;
  NodeStateFilter states;
  unsigned repeat_s = 0;

  bool filters() const {
    return names_nodes || only_answering || lists_reasons || !states.words.empty();
  }
};

Error refused(std::string detail) { return Error{ErrorCode::invalid_option, std::move(detail)}; }

Result<void> set_letters(SinfoOptions& options, std::string_view value) {
  options.letters = value;
  options.fields.clear();
  return {};
}
Result<void> set_fields(SinfoOptions& options, std::string_view value) {
  options.fields = value;
  options.letters.clear();
  return {};
}
Result<void> set_nodes(SinfoOptions& options, std::string_view value) {
  Result<std::vector<std::string>> nodes = expand_hostlist(value);
  if (!nodes.ok()) return refused(to_text(nodes.error()));
  options.nodes = std::move(nodes).value();
  options.names_nodes = true;
  return {};
}
Result<void> set_states(SinfoOptions& options, std::string_view value) {
  Result<NodeStateFilter> states = parse_node_states(value);
  if (!states.ok())
    return refused(fmt::format("Bad state string: \"{}\"\nValid states are: {}",
                               states.error().detail, node_state_list()));
  options.states = std::move(states).value();
  return {};
}
Result<void> set_repeat(SinfoOptions& options, std::string_view value) {
  const auto seconds = parse_number(value);
  if (!seconds || *seconds == 0 || *seconds > 86400)
    return refused(fmt::format("Invalid --iterate value: {}", value));
  options.repeat_s = static_cast<unsigned>(*seconds);
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SinfoOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SinfoOptions>;
template <auto Member>
constexpr auto set_words = SetWords<Member>::template apply<SinfoOptions>;

using Row = OptionRow<SinfoOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"all", 'a', none, "SINFO_ALL", already_so<SinfoOptions>, "show all partitions"},
    {"clusters", 'M', required, "SLURM_CLUSTERS", set_text<&SinfoOptions::cluster>,
     "this cluster's name, or all"},
    {"dead", 'd', none, nullptr, nullptr, ""},
    {"exact", 'e', none, nullptr, set_to<&SinfoOptions::exact, true>,
     "put only nodes of the same size on one line"},
    {"federation", 0, none, nullptr, nullptr, ""},
    {"format", 'o', required, "SINFO_FORMAT", set_letters, "columns, as \"%9P %.5a\""},
    {"Format", 'O', required, "SINFO_FORMAT2", set_fields,
     "columns by name, \"field[:[.]width],...\""},
    {"future", 'F', none, nullptr, nullptr, ""},
    {"hide", 0, none, nullptr, already_so<SinfoOptions>, "do not show hidden partitions"},
    {"iterate", 'i', required, nullptr, set_repeat, "repeat every VALUE seconds"},
    {"json", 0, OptionArgument::optional, nullptr, nullptr, ""},
    {"list-reasons", 'R', none, nullptr, set_to<&SinfoOptions::lists_reasons, true>,
     "why nodes are down or drained"},
    {"local", 0, none, nullptr, already_so<SinfoOptions>, "show this cluster only"},
    {"long", 'l', none, nullptr, set_to<&SinfoOptions::is_long, true>, "long report"},
    {"noconvert", 0, none, nullptr, already_so<SinfoOptions>,
     "do not convert amounts to larger units"},
    {"Node", 'N', none, nullptr, set_to<&SinfoOptions::each_node, true>, "one line for each node"},
    {"nodes", 'n', required, nullptr, set_nodes, "these nodes only"},
    {"noheader", 'h', none, nullptr, set_to<&SinfoOptions::has_heading, false>, "no heading"},
    {"partition", 'p', required, "SINFO_PARTITION", set_words<&SinfoOptions::partitions>,
     "comma separated list of partitions"},
    {"reservation", 'T', none, nullptr, nullptr, ""},
    {"responding", 'r', none, nullptr, set_to<&SinfoOptions::only_answering, true>,
     "nodes that answer only"},
    {"sort", 'S', required, "SINFO_SORT", nullptr, ""},
    {"states", 't', required, nullptr, set_states, "comma separated list of states of nodes"},
    {"summarize", 's', none, nullptr, set_to<&SinfoOptions::summarizes, true>,
     "one line for each partition"},
    {"verbose", 'v', none, nullptr, nullptr, ""},
    {"yaml", 0, OptionArgument::optional, nullptr, nullptr, ""},
};

std::string default_letters(const SinfoOptions& options, const NodesReply& reply) {
  if (options.summarizes) return "%9P %.5a %.10l %.16F %N";
  if (options.lists_reasons) return options.is_long ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (!options.each_node)
    return options.is_long ? "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
                           : "%9P %.5a %.10l %.6D %.6t %N";
  std::size_t width = 10;
  for (const NodeInfo& info : reply.nodes) width = std::max(width, info.node.name.size());
  return fmt::format(
      "%{}N {}", width,
      options.is_long ? "%.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E" : "%.6D %.9P %6t");
}

Layout<NodeRow> layout_of(const SinfoOptions& options, const NodesReply& reply) {
  if (!options.fields.empty()) return parse_fields(node_columns(), options.fields);
  return parse_letters(node_columns(),
                       options.letters.empty() ? default_letters(options, reply) : options.letters);
}

bool contains(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

std::vector<const NodeInfo*> chosen_nodes(const SinfoOptions& options, const NodesReply& reply) {
  std::vector<const NodeInfo*> nodes;
  for (const NodeInfo& info : reply.nodes) {
    if (options.names_nodes && !contains(options.nodes, info.node.name)) continue;
    if (options.only_answering && info.node.state != NodeState::up) continue;
    if (options.lists_reasons && info.node.reason.empty()) continue;
    if (matches(options.states, info)) nodes.push_back(&info);
  }
  return nodes;
}

std::vector<const PartitionConfig*> chosen_partitions(const SinfoOptions& options,
                                                      const NodesReply& reply) {
  std::vector<const PartitionConfig*> partitions;
  for (const PartitionConfig& partition : reply.partitions)
    if (options.partitions.empty() || contains(options.partitions, partition.name))
      partitions.push_back(&partition);
  return partitions;
}

// False: a column by name does not exist. One by letter stays on the line as it was written.
bool tell_unknown(const SinfoOptions& options, const Layout<NodeRow>& layout) {
  for (const std::string& unknown : layout.unknown)
    std::fprintf(stderr, "Invalid node format specification: %s\n", unknown.c_str());
  return options.fields.empty() || layout.unknown.empty();
}

int show_once(const SinfoOptions& options, Client& client, ListingContext& context) {
  const Result<NodesReply> reply = client.call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return fail_load("slurm_load_partitions", reply.error());
  context.as_of = reply->as_of;
  const Layout<NodeRow> layout = layout_of(options, *reply);
  if (!tell_unknown(options, layout)) return 1;
  const NodeGrouping grouping{options.each_node, options.exact, !options.filters()};
  const std::vector<NodeRow> lines = node_rows(
      chosen_nodes(options, *reply), chosen_partitions(options, *reply), layout, grouping, context);
  std::string out;
  if (options.is_long || options.repeat_s > 0) out += date_line(context.as_of) + '\n';
  if (options.has_heading) append_heading(layout, out);
  for (const NodeRow& line : lines) append_line(layout, line, context, out);
  return print_result(out) ? 0 : 1;
}

int fail(const char* command, const std::string& text) {
  print_error(command, text);
  return 1;
}

}  // namespace

std::vector<ManualOption> sinfo_options() { return manual_options(texts_of<SinfoOptions>(rows)); }

int run_sinfo(int argc, char** argv) {
  SinfoOptions options;
  const CommandTexts texts{"sinfo [OPTIONS]"};
  const CommandLine line = read_options<SinfoOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return *line.exit_code;
  if (!line.words.empty())
    return fail(argv[0], fmt::format("Unrecognized argument: {}", line.words.front()));
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail(argv[0], to_text(config.error()));
  const Result<void> cluster = check_cluster(options.cluster, *config);
  if (!cluster.ok()) return fail(argv[0], cluster.error().detail);
  ListingContext context = context_of(*config);
  Client client(*config);
  while (true) {
    const int exit_code = show_once(options, client, context);
    if (options.repeat_s == 0 || exit_code != 0) return exit_code;
    sleep(options.repeat_s);
  }
}

}  // namespace sluice
