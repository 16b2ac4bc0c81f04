// sinfo.cpp: `sinfo`: partitions and nodes as the controller sees them. Parse, ask, render.
#include <algorithm>

#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/node_order.h"
#include "cli/listing/options.h"
#include "cli/listing/records.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/listing/show_text.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/base/hostlist.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct SinfoOptions {
  bool has_heading = true;
  bool is_long = false;
  bool tells_date = false;
  bool each_node = false;
  bool summarizes = false;
  bool lists_reasons = false;
  bool exact = false;
  bool only_answering = false;
  bool only_dead = false;
  bool lists_reservations = false;
  std::optional<DocumentStyle> document;  // --json, --yaml
  std::vector<NodeSortKey> order;
  std::string letters;
  std::string fields;
  std::string cluster;
  std::vector<std::string> partitions;
  std::vector<std::string> nodes;
  bool names_nodes = false;
  NodeStateFilter states;
  unsigned repeat_s = 0;

  bool filters() const {
    return names_nodes || only_answering || only_dead || lists_reasons || !states.words.empty();
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
Result<void> set_order(SinfoOptions& options, std::string_view value) {
  Result<std::vector<NodeSortKey>> order = parse_node_order(value);
  if (!order.ok())
    return refused(fmt::format("Invalid sort specification: {}", order.error().detail));
  options.order = std::move(order).value();
  return {};
}
template <bool IsYaml>
Result<void> set_document(SinfoOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
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

constexpr const char* text_variables = "SINFO_FORMAT SINFO_FORMAT2";

constexpr Row rows[] = {
    {"all", 'a', none, "SINFO_ALL", already_so<SinfoOptions>, "show all partitions"},
    {"clusters", 'M', required, "SLURM_CLUSTERS", set_text<&SinfoOptions::cluster>,
     "this cluster's name, or all"},
    {"dead", 'd', none, nullptr, set_to<&SinfoOptions::only_dead, true>,
     "nodes that do not answer only"},
    {"exact", 'e', none, nullptr, set_to<&SinfoOptions::exact, true>,
     "put only nodes of the same size on one line"},
    {"federation", 0, none, nullptr, already_so<SinfoOptions>, "show this cluster (it is alone)"},
    {"format", 'o', required, "SINFO_FORMAT", set_letters, "columns, as \"%9P %.5a\"",
     "SINFO_FORMAT2"},
    {"Format", 'O', required, "SINFO_FORMAT2", set_fields,
     "columns by name, \"field[:[.]width],...\"", "SINFO_FORMAT"},
    {"future", 'F', none, nullptr, already_so<SinfoOptions>, "show future nodes too"},
    {"hide", 0, none, nullptr, already_so<SinfoOptions>, "do not show hidden partitions"},
    {"iterate", 'i', required, nullptr, set_repeat, "repeat every VALUE seconds"},
    {"json", 0, OptionArgument::optional, nullptr, set_document<false>,
     "nodes and partitions as one JSON document", text_variables},
    {"list-reasons", 'R', none, nullptr, set_to<&SinfoOptions::lists_reasons, true>,
     "why nodes are down or drained", text_variables},
    {"local", 0, none, nullptr, already_so<SinfoOptions>, "show this cluster only"},
    {"long", 'l', none, nullptr, set_to<&SinfoOptions::is_long, true>, "long report",
     text_variables},
    {"noconvert", 0, none, nullptr, already_so<SinfoOptions>,
     "do not convert amounts to larger units"},
    {"Node", 'N', none, nullptr, set_to<&SinfoOptions::each_node, true>, "one line for each node"},
    {"nodes", 'n', required, nullptr, set_nodes, "these nodes only"},
    {"noheader", 'h', none, nullptr, set_to<&SinfoOptions::has_heading, false>, "no heading"},
    {"partition", 'p', required, "SINFO_PARTITION", set_words<&SinfoOptions::partitions>,
     "comma separated list of partitions"},
    {"reservation", 'T', none, nullptr, set_to<&SinfoOptions::lists_reservations, true>,
     "reservations"},
    {"responding", 'r', none, nullptr, set_to<&SinfoOptions::only_answering, true>,
     "nodes that answer only"},
    {"sort", 'S', required, "SINFO_SORT", set_order,
     "letters of columns to sort by, - before one for descending, #P as configured"},
    {"states", 't', required, nullptr, set_states, "comma separated list of states of nodes"},
    {"summarize", 's', none, nullptr, set_to<&SinfoOptions::summarizes, true>,
     "one line for each partition", text_variables},
    {"verbose", 'v', none, nullptr, set_to<&SinfoOptions::tells_date, true>, "with the date above"},
    {"yaml", 0, OptionArgument::optional, nullptr, set_document<true>, "the same in YAML",
     text_variables},
};

std::string default_letters(const SinfoOptions& options, const NodesReply& reply) {
  if (options.summarizes) return "%9P %.5a %.10l %.16F %N";
  if (options.lists_reasons) return options.is_long ? "%20E %12U %19H %6t %N" : "%20E %9u %19H %N";
  if (!options.each_node)
    return options.is_long ? "%9P %.5a %.10l %.10s %.4r %.8h %.10g %.6D %.11T %N"
                           : "%9P %.5a %.10l %.6D %.6t %N";
  std::size_t width = 9;
  for (const NodeInfo& info : reply.nodes) width = std::max(width, info.node.name.size());
  return fmt::format(
      "%{}N {}", width,
      options.is_long ? "%.6D %.9P %.11T %4c %.8z %.6m %.8d %.6w %.8f %20E" : "%.6D %.9P %6t");
}

// -O all: every column that has a letter.
std::string all_letters() {
  std::string format;
  for (const Column<NodeRow>& column : node_columns())
    if (column.letter != 0) format.append(format.empty() ? "%" : "|%").push_back(column.letter);
  return format;
}

Layout<NodeRow> layout_of(const SinfoOptions& options, const NodesReply& reply) {
  if (equals_ignoring_case(options.fields, "all"))
    return parse_letters(node_columns(), all_letters());
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
    if (options.only_dead && info.node.state == NodeState::up) continue;
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

bool is_in_one_of(const NodeInfo& info, const std::vector<const PartitionConfig*>& partitions) {
  return std::any_of(partitions.begin(), partitions.end(), [&](const PartitionConfig* partition) {
    return contains(info.partitions, partition->name);
  });
}

// False: a column by name does not exist. One by letter stays on the line as it was written.
bool tell_unknown(const SinfoOptions& options, const Layout<NodeRow>& layout) {
  for (const std::string& unknown : layout.unknown)
    std::fprintf(stderr, "Invalid node format specification: %s\n", unknown.c_str());
  return options.fields.empty() || layout.unknown.empty();
}

int show_document(const SinfoOptions& options, const char* command, Client& client,
                  ListingContext& context) {
  const Result<NodesReply> reply = client.call<NodesReply>(QueryNodes{});
  if (!reply.ok())
    return fail_document(*options.document, command, "openapi", reply.error(),
                         fail_load("slurm_load_partitions", reply.error()));
  context.as_of = reply->as_of;
  DocumentOutput output(*options.document, command, "openapi");
  Document& document = output.document();
  const std::vector<const PartitionConfig*> partitions = chosen_partitions(options, *reply);
  document.begin_list("nodes");
  for (const NodeInfo* info : chosen_nodes(options, *reply))
    if (options.partitions.empty() || is_in_one_of(*info, partitions))
      write_node_record(document, *info, context);
  document.end_list();
  document.begin_list("partitions");
  for (const PartitionConfig* partition : partitions)
    write_partition_record(document, *partition, reply->nodes, context);
  document.end_list();
  return output.finish(0);
}

int show_once(const SinfoOptions& options, Client& client, ListingContext& context) {
  const Result<NodesReply> reply = client.call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return fail_load("slurm_load_partitions", reply.error());
  context.as_of = reply->as_of;
  const Layout<NodeRow> layout = layout_of(options, *reply);
  if (!tell_unknown(options, layout)) return 1;
  const std::vector<const PartitionConfig*> partitions = chosen_partitions(options, *reply);
  const NodeGrouping grouping{options.each_node, options.exact,
                              !options.filters() && !partitions.empty()};
  std::vector<NodeRow> lines =
      node_rows(chosen_nodes(options, *reply), partitions, layout, grouping, context);
  sort_node_rows(options.order, partitions, context, lines);
  std::string out;
  const bool tells_date = options.is_long || options.tells_date || options.repeat_s > 0;
  if (options.has_heading && tells_date) out += date_line(context.as_of) + '\n';
  if (options.has_heading) append_heading(layout, out);
  for (const NodeRow& line : lines) append_line(layout, line, context, out);
  if (options.repeat_s > 0) out += '\n';
  return print_result(out) ? 0 : 1;
}

int show_reservation_table(const SinfoOptions& options, Client& client,
                           const ListingContext& context) {
  const Result<ReservationsReply> reply = client.call<ReservationsReply>(QueryReservations{});
  if (!reply.ok()) return fail_load("slurm_load_reservations", reply.error());
  if (reply->reservations.empty())
    return print_result("No reservations in the system\n") ? 0 : 1;
  return print_result(reservation_table(*reply, options.has_heading, context)) ? 0 : 1;
}

}  // namespace

std::vector<ManualOption> sinfo_options() { return manual_options(texts_of<SinfoOptions>(rows)); }

int run_sinfo(int argc, char** argv) {
  SinfoOptions options;
  const CommandTexts texts{"sinfo [OPTIONS]"};
  const CommandLine line = read_options<SinfoOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return end_early(line, argc, argv, "openapi");
  const auto refuse = [&](std::string text) {
    return fail_command(argv[0], options.document, "openapi", std::move(text));
  };
  if (!line.words.empty())
    return refuse(fmt::format("Unrecognized argument: {}", line.words.front()));
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  const Result<void> cluster = check_cluster(options.cluster, *config);
  if (!cluster.ok()) return refuse(cluster.error().detail);
  ListingContext context = context_of(*config);
  Client client(*config);
  return repeat_every(options.repeat_s, [&] {
    if (options.lists_reservations) return show_reservation_table(options, client, context);
    return options.document ? show_document(options, argv[0], client, context)
                            : show_once(options, client, context);
  });
}

}  // namespace sluice
