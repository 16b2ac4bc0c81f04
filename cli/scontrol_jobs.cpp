// scontrol_jobs.cpp: keywords that act on jobs: hold, uhold, release, requeue, requeuehold, write.
#include <cstdio>

#include <fmt/format.h>

#include "cli/listing/selectors.h"
#include "cli/print.h"
#include "cli/scontrol.h"
#include "cli/scontrol_actions.h"
#include "common/options/text.h"

namespace sluice {
namespace {

// Ids as "1 2", "1,2", "job=1", "jobid=1"; names as "name=x", "jobname=x".
Result<JobFilter> jobs_meant(Words words) {
  JobFilter filter;
  for (const std::string& word : words) {
    const std::size_t equals = word.find('=');
    const std::string_view key = std::string_view(word).substr(0, equals);
    const std::string_view value = equals == std::string::npos
                                       ? std::string_view(word)
                                       : std::string_view(word).substr(equals + 1);
    const bool by_name = equals != std::string::npos && (equals_ignoring_case(key, "name") ||
                                                         equals_ignoring_case(key, "jobname"));
    const bool by_id = equals == std::string::npos || equals_ignoring_case(key, "job") ||
                       equals_ignoring_case(key, "jobid");
    if (!by_name && !by_id) return Error{ErrorCode::not_supported, word};
    if (by_name) {
      for (std::string& name : parse_word_list(value)) filter.names.push_back(std::move(name));
      continue;
    }
    std::vector<JobSelector> selectors = TRY(parse_job_selectors(value));
    filter.jobs.insert(filter.jobs.end(), selectors.begin(), selectors.end());
  }
  return filter;
}

struct ActionTexts {
  const char* keyword;
  const char* what;  // Slurm's name of the call, told once after the errors; null: not told
};

// "incomplete" and "State=SpecialExit" stand before the ids.
Words take_modes(Words words, UpdateJobs& request) {
  const bool holds = request.action == JobAction::requeue_hold;
  const bool requeues = holds || request.action == JobAction::requeue;
  for (; words.size() > 1; words = words.subspan(1)) {
    if (requeues && equals_ignoring_case(words.front(), "incomplete")) request.incomplete = true;
    else if (holds && equals_ignoring_case(words.front(), "state=specialexit"))
      request.special_exit = true;
    else break;
  }
  return words;
}

int act(Control& control, Words words, JobAction action, const ActionTexts& texts) {
  if (words.empty())
    return control.fail(fmt::format("too few arguments for keyword:{}", texts.keyword));
  UpdateJobs request;
  request.action = action;
  words = take_modes(words, request);
  Result<JobFilter> filter = jobs_meant(words);
  if (!filter.ok())
    return control.fail(fmt::format("scontrol: error: {}", to_text(filter.error())));
  request.filter = std::move(filter).value();
  return perform(control, request, texts.what);
}

// The id of one job or task, which may be named "5_3".
Result<JobId> job_named(Client& client, const std::string& name) {
  const std::vector<JobSelector> selectors = TRY(parse_job_selectors(name));
  if (selectors.size() != 1) return Error{ErrorCode::invalid_job_id, name};
  if (selectors.front().tasks.empty()) return selectors.front().job;
  QueryJobs query;
  query.source = JobSource::history;
  query.filter.jobs = selectors;
  query.groups = {"run"};
  const JobsAnswer answer = TRY(ask_jobs(client, query));
  if (answer.jobs.empty()) return Error{ErrorCode::invalid_job_id, name};
  return answer.jobs.front().id;
}

bool write_file(const std::string& path, const std::string& bytes) {
  std::FILE* file = std::fopen(path.c_str(), "w");
  if (!file) return false;
  const bool written = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  return std::fclose(file) == 0 && written;
}

int fail_script(const Control& control, const Error& error) {
  control.fail(fmt::format("job script retrieval failed: {}", to_text(error)));
  return exit_code_of(error);
}

}  // namespace

int hold(Control& control, Words words) {
  return act(control, words, JobAction::hold, {"hold", "slurm_suspend"});
}
int user_hold(Control& control, Words words) {
  return act(control, words, JobAction::uhold, {"uhold", "slurm_suspend"});
}
int release(Control& control, Words words) {
  return act(control, words, JobAction::release, {"release", "slurm_suspend"});
}
int requeue(Control& control, Words words) {
  return act(control, words, JobAction::requeue, {"requeue", nullptr});
}
int requeue_hold(Control& control, Words words) {
  return act(control, words, JobAction::requeue_hold, {"requeuehold", nullptr});
}

int write_batch_script(Control& control, Words words) {
  if (words.size() < 2 || !equals_ignoring_case(words[0], "batch_script"))
    return control.fail("invalid write argument: use batch_script JOB [FILE|-]");
  Client* client = control.client();
  if (!client) return 1;
  const Result<JobId> job = job_named(*client, words[1]);
  if (!job.ok()) return fail_script(control, job.error());
  const Result<ScriptReply> reply = client->call<ScriptReply>(GetScript{*job});
  if (!reply.ok()) return fail_script(control, reply.error());
  if (words.size() == 3 && words[2] == "-") return print_result(reply->script) ? 0 : 1;
  const std::string path = words.size() == 3 ? words[2] : fmt::format("slurm-{}.sh", words[1]);
  if (!write_file(path, reply->script))
    return control.fail(fmt::format("scontrol: error: cannot write {}", path));
  if (!control.quiet)
    print_result(fmt::format("batch script for job {} written to {}\n", words[1], path));
  return 0;
}

}  // namespace sluice
