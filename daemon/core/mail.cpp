// mail.cpp: which mail a job asked for, and its subject, in Slurm's words. The controller's driver
// sends it.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/core/handlers.h"

namespace sluice {
namespace {

struct ShareOfLimit {
  MailType type;
  std::int64_t percent;
};
constexpr ShareOfLimit shares[] = {
    {MailType::TIME_LIMIT_50, 50}, {MailType::TIME_LIMIT_80, 80}, {MailType::TIME_LIMIT_90, 90}};

bool asks_for(const JobSpec& spec, MailType type) {
  const auto& types = spec.mail.types;
  return std::find(types.begin(), types.end(), type) != types.end();
}

std::string clock_text(Duration time) {
  const auto seconds = std::max<std::int64_t>(0, time / std::chrono::seconds{1});
  const std::int64_t days = seconds / 86400;
  return fmt::format("{}{:02}:{:02}:{:02}", days > 0 ? fmt::format("{}-", days) : "",
                     seconds / 3600 % 24, seconds / 60 % 60, seconds % 60);
}

std::string exit_text(const ExitStatus& status) {
  return status.signal != 0 ? fmt::format("Signal {}", status.signal)
                            : fmt::format("ExitCode {}", status.code);
}

std::string ended_text(const JobRecord& record) {
  return fmt::format(", Run time {}, {}, {}", clock_text(record.times.elapsed),
                     state_word(record.state, record.end), exit_text(record.end->status));
}

// The ends of all tasks in one: their common word, or "Mixed", and the range of their codes.
std::string array_ended_text(const State& state, const ArrayTasks& tasks) {
  std::string word;
  std::uint32_t lowest = UINT32_MAX;
  std::uint32_t highest = 0;
  for (const auto& [task, id] : tasks.records) {
    const JobRecord& record = state.job(id);
    if (!record.end) continue;
    const char* of_task = state_word(record.state, record.end);
    word = word.empty() || word == of_task ? of_task : "Mixed";
    lowest = std::min(lowest, record.end->status.code);
    highest = std::max(highest, record.end->status.code);
  }
  return lowest < highest ? fmt::format(", {}, ExitCode [{}-{}]", word, lowest, highest)
                          : fmt::format(", {}, ExitCode {}", word, highest);
}

const char* words_of(MailType type) {
  switch (type) {
    case MailType::BEGIN:
      return "Began";
    case MailType::END:
      return "Ended";
    case MailType::FAIL:
      return "Failed";
    case MailType::REQUEUE:
      return "Requeued";
    case MailType::INVALID_DEPEND:
      return "Invalid dependency";
    case MailType::TIME_LIMIT:
      return "Reached time limit";
    case MailType::TIME_LIMIT_90:
      return "Reached 90% of time limit";
    case MailType::TIME_LIMIT_80:
      return "Reached 80% of time limit";
    case MailType::TIME_LIMIT_50:
      return "Reached 50% of time limit";
    case MailType::STAGE_OUT:
    case MailType::ARRAY_TASKS:
      break;
  }
  return "";
}

// A line of a mail's head: no byte of a job's name may begin another.
std::string on_one_line(std::string text) {
  std::replace_if(
      text.begin(), text.end(),
      [](char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7f; }, '?');
  return text;
}

std::string title_of(const JobRecord& record, const JobSpec& spec) {
  const std::string name = on_one_line(spec.name);
  if (!record.array) return fmt::format("Slurm Job_id={} Name={} ", record.id.value, name);
  const std::uint32_t array = record.array->array_id.value;
  if (asks_for(spec, MailType::ARRAY_TASKS) && record.array->task)
    return fmt::format("Slurm Array Task Job_id={}_{} ({}) Name={} ", array, *record.array->task,
                       record.id.value, name);
  return fmt::format("Slurm Array Summary Job_id={}_* ({}) Name={} ", array, array, name);
}

std::string receiver_of(const JobSpec& spec, const EndConfig& config) {
  std::string user = !spec.mail.user.empty() ? spec.mail.user
                     : !spec.user.empty()    ? spec.user
                                             : fmt::format("{}", spec.uid);
  if (!config.mail_domain.empty() && user.find('@') == std::string::npos)
    user += "@" + config.mail_domain;
  return user;
}

void send(const State& state, const JobRecord& record, MailType type, const std::string& more,
          Effects& out) {
  const JobSpec& spec = state.spec(record.id);
  out.list.push_back(SendMail{receiver_of(spec, state.config->ends),
                              title_of(record, spec) + words_of(type) + more});
}

// Of an array the first of its tasks to start speaks for all. Another that started is found soon:
// the lowest tasks start first.
bool is_first_of_array(const State& state, const JobRecord& record) {
  const auto& tasks = state.arrays.at(record.array->array_id).records;
  return record.run.value == 0 && std::none_of(tasks.begin(), tasks.end(), [&](const auto& task) {
           const JobRecord& other = state.job(task.second);
           return task.second != record.id && (other.times.started || other.run.value > 0);
         });
}

bool speaks_for_itself(const JobRecord& record, const JobSpec& spec) {
  return !record.array || asks_for(spec, MailType::ARRAY_TASKS);
}

}  // namespace

Result<void> check_mail(const JobSpec& spec) {
  const std::string& user = spec.mail.user;
  const bool is_word = std::all_of(user.begin(), user.end(), [](char c) {
    return static_cast<unsigned char>(c) > 0x20 && c != 0x7f;
  });
  if (is_word && !user.starts_with('-')) return {};
  return Error{ErrorCode::invalid_argument,
               fmt::format("--mail-user: \"{}\" cannot be an address: a blank, or a '-' in front",
                           on_one_line(user))};
}

void mail_job(const State& state, JobId id, MailType type, Effects& out) {
  const JobRecord& record = state.job(id);
  const JobSpec& spec = state.spec(id);
  if (!asks_for(spec, type)) return;
  if (type != MailType::BEGIN) return send(state, record, type, "", out);
  if (!speaks_for_itself(record, spec) && !is_first_of_array(state, record)) return;
  const WallTime started = record.times.started.value_or(record.times.eligible);
  send(state, record, type, ", Queued time " + clock_text(started - record.times.submitted), out);
}

void mail_end(const State& state, JobId id, Effects& out) {
  const JobRecord& record = state.job(id);
  const JobSpec& spec = state.spec(id);
  if (spec.mail.types.empty()) return;
  if (record.end->cause.kind == CauseKind::time_limit)
    mail_job(state, id, MailType::TIME_LIMIT, out);
  const ArrayTasks* tasks = nullptr;
  if (!speaks_for_itself(record, spec)) {
    const auto at = state.arrays.find(record.array->array_id);
    if (at != state.arrays.end()) tasks = &at->second;
    const JobEntry* master = state.find_job(record.array->array_id);
    const bool is_last =
        (!tasks || tasks->open == 0) && (!master || master->record.state == JobState::ended);
    if (!is_last) return;
  }
  const Outcome outcome = record.end->outcome;
  const bool failed =
      tasks ? tasks->bad > 0 : outcome != Outcome::completed && outcome != Outcome::cancelled;
  const std::string text = tasks ? array_ended_text(state, *tasks) : ended_text(record);
  if (failed && asks_for(spec, MailType::FAIL)) send(state, record, MailType::FAIL, text, out);
  else if (asks_for(spec, MailType::END)) send(state, record, MailType::END, text, out);
}

void schedule_limit_mails(State& state, JobId id, const Now& now) {
  const JobRecord& record = state.job(id);
  if (!record.time_limit || record.time_limit->unlimited || !record.times.started) return;
  for (const ShareOfLimit& share : shares) {
    if (!asks_for(state.spec(id), share.type)) continue;
    const WallTime at = *record.times.started +
                        std::chrono::seconds{record.time_limit->minutes * 60 * share.percent / 100};
    if (at > now.wall) state.limit_mails.insert({at, {id, record.run}, share.type});
  }
}

// What was scheduled under another limit, or for an earlier run, is passed over.
void send_limit_mails(State& state, const Now& now, Effects& out) {
  while (!state.limit_mails.empty() && state.limit_mails.begin()->at <= now.wall) {
    const LimitMail due = *state.limit_mails.begin();
    state.limit_mails.erase(state.limit_mails.begin());
    const JobEntry* entry = state.find_job(due.run.job);
    if (!entry || entry->record.run != due.run.run || entry->record.state != JobState::running)
      continue;
    const std::int64_t percent =
        std::find_if(std::begin(shares), std::end(shares), [&](const ShareOfLimit& share) {
          return share.type == due.type;
        })->percent;
    const auto limit = entry->record.time_limit;
    const bool holds = limit && !limit->unlimited &&
                       due.at == *entry->record.times.started +
                                     std::chrono::seconds{limit->minutes * 60 * percent / 100};
    if (holds) mail_job(state, due.run.job, due.type, out);
  }
}

}  // namespace sluice
