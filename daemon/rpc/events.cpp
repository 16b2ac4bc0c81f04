// events.cpp: reads the audit. A token is the id of an event and its time, so that one of a state
// before a restore is not taken for another event of the same id.
#include "daemon/rpc/events.h"

#include <fmt/format.h>

#include <charconv>
#include <set>

#include "daemon/core/select.h"
#include "daemon/rpc/handlers.h"

namespace sluice {
namespace {

constexpr std::size_t events_max = 500;
constexpr std::size_t looked_at_max = 20'000;  // of which those are chosen that are wanted

struct Token {
  std::int64_t event = 0;
  std::int64_t at_us = 0;
};

std::string to_text(const Token& token) { return fmt::format("{}.{}", token.event, token.at_us); }
Token token_of(const StoredEvent& event) { return {event.id, to_us(event.row.at)}; }

// "0" stands before the first event.
Result<Token> parse_token(const std::string& text) {
  Token token;
  const char* end = text.data() + text.size();
  auto read = std::from_chars(text.data(), end, token.event);
  if (read.ec == std::errc{} && read.ptr != end && *read.ptr == '.')
    read = std::from_chars(read.ptr + 1, end, token.at_us);
  if (read.ec != std::errc{} || read.ptr != end || token.event < 0)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("'{}' is no token of a change feed", text)};
  return token;
}

Result<Token> check_token(HistoryReader& history, const std::string& text) {
  const Token token = TRY(parse_token(text));
  if (token.event == 0) return token;
  const std::optional<StoredEvent> event = TRY(history.find_event(token.event));
  if (event && to_us(event->row.at) == token.at_us) return token;
  return Error{
      ErrorCode::invalid_argument,
      fmt::format("token {} names no event of this state: it was restored from a backup since, "
                  "or the event was purged; begin anew",
                  text)};
}

Result<std::optional<JobEntry>> find_job(ReadContext& context, JobId id) {
  if (id.value == 0) return std::optional<JobEntry>{};
  if (const JobEntry* entry = context.snapshot->jobs.find(id.value)) return std::optional{*entry};
  const std::optional<HistoryRow> row = TRY(context.history.find_job(id));
  if (!row) return std::optional<JobEntry>{};
  return std::optional{JobEntry{*row->job, row->spec}};
}

bool is_wanted(const WatchEvents& wanted, const std::optional<JobEntry>& job) {
  JobFilter filter;
  filter.jobs = wanted.jobs;
  filter.uids = wanted.uids;
  return job ? matches(*job, filter) : wanted.jobs.empty() && wanted.uids.empty();
}

EventInfo make_info(const StoredEvent& event, const std::optional<JobEntry>& job) {
  EventInfo info;
  info.token = to_text(token_of(event));
  info.at = event.row.at;
  info.kind = event.row.kind;
  info.job = event.row.job;
  info.node = event.row.node;
  info.by_uid = event.row.uid;
  info.detail = event.row.text;
  if (!job) return info;
  info.shown_job = shown_id(job->record.id, job->record.array);
  info.job_name = job->spec->name;
  info.job_user = job->spec->user;
  info.job_state = state_word(job->record.state, job->record.end, job->record.special_exit);
  return info;
}

}  // namespace

Result<EventsReply> read_events(ReadContext& context, const WatchEvents& wanted) {
  EventsReply reply;
  if (wanted.token.empty()) {
    const std::optional<StoredEvent> newest = TRY(context.history.newest_event());
    reply.token = to_text(newest ? token_of(*newest) : Token{});
    return reply;
  }
  Token token = TRY(check_token(context.history, wanted.token));
  // A set: the peer chose how many there are.
  const std::set<std::string_view> kinds(wanted.kinds.begin(), wanted.kinds.end());
  std::vector<StoredEvent> found;
  std::size_t looked_at = 0;
  TRY(context.history.events_after(token.event, [&](const StoredEvent& event) {
    token = token_of(event);
    if (kinds.empty() || kinds.contains(event.row.kind)) found.push_back(event);
    return found.size() < events_max && ++looked_at < looked_at_max;
  }));
  for (const StoredEvent& event : found) {
    const std::optional<JobEntry> job = TRY(find_job(context, event.row.job));
    if (is_wanted(wanted, job)) reply.events.push_back(make_info(event, job));
  }
  reply.token = to_text(token);
  return reply;
}

namespace rpc {
void watch_events(Call& call, WatchEvents& message) {
  call.services.watch(call.ref(), std::move(message));
}
}  // namespace rpc

}  // namespace sluice
