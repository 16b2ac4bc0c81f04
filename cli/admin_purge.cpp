// admin_purge.cpp: `sluice admin purge`: the controller moves old jobs into an archive.
#include <fmt/format.h>

#include <optional>
#include <string>

#include "cli/admin.h"
#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/listing/time_text.h"
#include "cli/print.h"
#include "common/options/age.h"

namespace sluice {
namespace {

struct PurgeOptions {
  std::optional<std::uint64_t> older_s;
  std::string older;  // as it was said
  std::string path;
};

Result<void> set_older(PurgeOptions& options, std::string_view value) {
  const Result<std::uint64_t> age = parse_age(value);
  if (!age.ok()) return Error{ErrorCode::invalid_argument, "--older: " + age.error().detail};
  options.older_s = *age;
  options.older = value;
  return {};
}

Result<void> set_path(PurgeOptions& options, std::string_view value) {
  options.path = value;
  return {};
}

using enum ArgumentKind;
constexpr OptionRow<PurgeOptions> rows[] = {
    {"older", 0, required, nullptr, set_older,
     "jobs that ended so long ago: 1y, 6months, 90d, 36h; a day at least (month: 30 d)"},
    {"to", 0, required, nullptr, set_path,
     "absolute path on the controller's host: a new file, or an archive, which grows"},
};

constexpr const char* usage =
    "sluice admin purge --older AGE --to FILE\n"
    "Moves finished jobs with their runs, scripts, environments and audit out of the controller's\n"
    "state into FILE, an SQLite file of the same tables, while it runs. Jobs that open jobs "
    "depend\n"
    "on, and arrays that are not over, stay. Broken off, it goes on when it is called again.\n";

std::string times(const PurgeReply& moved) {
  if (!moved.first_ended || !moved.last_ended) return {};
  const TimeText text;
  return fmt::format(" that ended from {} to {}", text.text(*moved.first_ended),
                     text.text(*moved.last_ended));
}

std::string report(const PurgeOptions& options, const PurgeReply& moved) {
  if (moved.jobs == 0 && moved.events == 0)
    return fmt::format("no finished job is older than {}; nothing was moved\n", options.older);
  return fmt::format(
      "{0} jobs{1} moved to {2}, with {3} events of the audit\n"
      "{4:.1f} MB of the state file are free for new jobs; the file keeps its size\n"
      "to read them: sqlite3 -readonly {2} \"SELECT job_id, name, state, "
      "datetime(ended_us / 1000000, 'unixepoch') FROM job JOIN spec USING (spec_id)\"\n",
      moved.jobs, times(moved), options.path, moved.events,
      static_cast<double>(moved.bytes_freed) / 1e6);
}

int fail(const char* name, const Error& error) {
  print_error(name, error);
  return exit_code_of(error);
}

}  // namespace

std::vector<ManualOption> purge_options() {
  return manual_options(texts_of(std::span<const OptionRow<PurgeOptions>>(rows)));
}

int run_admin_purge(int argc, char** argv) {
  PurgeOptions options;
  const CommandLine line = read_options<PurgeOptions>(argc, argv, {usage}, rows, options);
  if (line.exit_code) return *line.exit_code;
  if (!line.words.empty())
    return print_error(argv[0], fmt::format("'{}' is not understood", line.words.front())), 1;
  if (!options.older_s || options.path.empty())
    return print_error(argv[0],
                       "say --older AGE and --to FILE, such as --older 1y --to "
                       "/archive/jobs.db"),
           1;
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  const Result<PurgeReply> moved =
      client.call_and_wait<PurgeReply>(PurgeJobs{options.path, *options.older_s});
  if (!moved.ok()) return fail(argv[0], moved.error());
  return print_result(report(options, *moved)) ? 0 : 1;
}

}  // namespace sluice
