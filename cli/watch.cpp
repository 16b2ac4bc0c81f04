// watch.cpp: `sluice watch`: the controller's change feed, one JSON object a line, so that programs need
// not poll. Each line has a token from which a later `sluice watch` goes on without a gap.
#include <fmt/format.h>

#include "cli/client.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/document.h"
#include "cli/listing/options.h"
#include "cli/print.h"
#include "cli/watch_options.h"

namespace sluice {
namespace {

// A time that programs and people read, in UTC.
std::string time_of(WallTime at) {
  std::string text = utc_text(at);
  text.pop_back();
  return fmt::format("{}.{:06}Z", text, to_us(at) % 1'000'000);
}

bool print_event(const EventInfo& event) {
  Document line({}, print_result);
  line.begin_object();
  line.text("token", event.token);
  line.text("time", time_of(event.at));
  line.text("event", event.kind);
  if (event.job.value > 0) {
    line.number("job_id", event.job.value);
    line.text_or_null("job", event.shown_job);
    line.text_or_null("name", event.job_name);
    line.text_or_null("user", event.job_user);
    line.text_or_null("state", event.job_state);
  }
  line.text_or_null("node", event.node);
  line.number("by_uid", event.by_uid);
  line.text_or_null("detail", event.detail);
  line.end_object();
  return line.flush();
}

// A restart of the controller is waited for: it takes seconds, and nothing is missed.
Result<EventsReply> ask(Client& client, const WatchEvents& wanted) {
  return wanted.wait && !wanted.token.empty() ? client.call_and_wait<EventsReply>(wanted)
                                              : client.call<EventsReply>(wanted);
}

int watch(std::string_view command, Client& client, WatchOptions& options) {
  WatchEvents& wanted = options.wanted;
  for (std::uint64_t printed = 0;;) {
    const Result<EventsReply> reply = ask(client, wanted);
    if (!reply.ok()) return print_error(command, reply.error()), exit_code_of(reply.error());
    for (const EventInfo& event : reply->events) {
      if (!print_event(event)) return 1;
      if (++printed == options.count) return 0;
    }
    const bool is_all = wanted.token.empty() || reply->token == wanted.token;
    wanted.token = reply->token;
    if (is_all && !wanted.wait) return 0;
  }
}

}  // namespace

int run_watch(int argc, char** argv) {
  WatchOptions options;
  const CommandTexts texts{"sluice watch [OPTIONS]"};
  const CommandLine line = read_options<WatchOptions>(argc, argv, texts, watch_rows(), options);
  if (line.exit_code) return *line.exit_code;
  if (!line.words.empty())
    return print_error(argv[0], fmt::format("unexpected '{}'", line.words.front())), 1;
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return print_error(argv[0], config.error()), 1;
  Client client(*config);
  return watch(argv[0], client, options);
}

}  // namespace sluice
