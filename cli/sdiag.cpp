// sdiag.cpp: `sdiag`: what the controller did since it started, or since the last reset.
#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/options.h"
#include "cli/listing/setters.h"
#include "cli/listing/statistics_text.h"
#include "cli/manuals.h"
#include "cli/print.h"

namespace sluice {
namespace {

struct SdiagOptions {
  bool resets = false;
  StatisticsOrder order;
  std::string cluster;
};

Result<void> sort_by_message(SdiagOptions& options, std::string_view) {
  options.order.by_message = true;
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SdiagOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SdiagOptions>;

using Row = OptionRow<SdiagOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"all", 'a', none, nullptr, already_so<SdiagOptions>, "all there is, which is shown anyhow"},
    {"cluster", 'M', required, "SLURM_CLUSTERS", set_text<&SdiagOptions::cluster>,
     "this cluster's name, or all"},
    {"reset", 'r', none, nullptr, set_to<&SdiagOptions::resets, true>,
     "begin to count anew; administrators only"},
    {"sort-by-id", 'i', none, nullptr, sort_by_message, "messages by their names"},
    {"sort-by-time", 't', none, nullptr, nullptr, "messages by the time they took"},
    {"sort-by-time2", 'T', none, nullptr, nullptr, "messages by the mean time they took"},
};

}  // namespace

std::vector<ManualOption> sdiag_options() { return manual_options(texts_of<SdiagOptions>(rows)); }

int run_sdiag(int argc, char** argv) {
  SdiagOptions options;
  const CommandTexts texts{"sdiag [OPTIONS]"};
  const CommandLine line = read_options<SdiagOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return *line.exit_code;
  const auto refuse = [&](std::string text) { return print_error(argv[0], text), 1; };
  if (!line.words.empty())
    return refuse(fmt::format("Unrecognized argument: {}", line.words.front()));
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  if (const auto cluster = check_cluster(options.cluster, *config); !cluster)
    return refuse(cluster.error().detail);
  Client client(*config);
  const Result<StatisticsReply> reply =
      client.call<StatisticsReply>(QueryStatistics{options.resets});
  if (!reply.ok()) return fail_load("slurm_get_statistics", reply.error());
  if (options.resets) return print_result("Reset scheduling statistics\n") ? 0 : 1;
  return print_result(statistics_text(*reply, options.order)) ? 0 : 1;
}

}  // namespace sluice
