// commands.cpp: requests that change something become events.
#include <algorithm>

#include <fmt/format.h>

#include "daemon/rpc/handlers.h"
#include "daemon/rpc/known_ends.h"

namespace sluice::rpc {
namespace {

// Nothing of who the caller is may come from the wire. Root counts where it is an administrator.
Result<void> set_owner(const Caller& caller, SubmitJob& message) {
  if ((message.as_uid || message.as_gid) && !(caller.uid == 0 && caller.is_admin))
    return Error{ErrorCode::access_denied,
                 "--uid and --gid are for root on the controller's host and on SluiceAdminHosts"};
  message.spec.uid = message.as_uid.value_or(caller.uid);
  message.spec.gid = message.as_gid.value_or(caller.gid);
  return {};
}

Result<void> check_script(const ClusterConfig& config, const SubmitJob& message) {
  if (message.script.empty()) return Error{ErrorCode::script_empty, ""};
  if (message.script.size() > config.max_script_bytes)
    return Error{ErrorCode::script_too_large,
                 fmt::format("{} bytes exceed MaxScriptSize={}", message.script.size(),
                             config.max_script_bytes)};
  if (!message.spec.batch.work_dir.starts_with('/'))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("work directory {} is not absolute", message.spec.batch.work_dir)};
  return {};
}

// A typing error in the age must not empty the accounts of today.
Result<void> check_purge(const PurgeJobs& message) {
  constexpr std::uint64_t day_s = 86400;
  constexpr std::uint64_t century_s = 36500 * day_s;
  if (!message.path.starts_with('/'))
    return Error{ErrorCode::invalid_argument,
                 fmt::format("'{}' is not absolute: the archive is a file on the controller's host",
                             message.path)};
  if (message.older_s < day_s)
    return Error{
        ErrorCode::invalid_time,
        fmt::format("jobs stay for a day at least: {} s is less than 1d", message.older_s)};
  if (message.older_s > century_s)
    return Error{ErrorCode::invalid_time, fmt::format("{} s is more than 100y", message.older_s)};
  return {};
}

StoredBlob take_blob(Services& services, std::string& bytes) {
  StoredBlob blob;
  blob.id = services.content_id(bytes);
  blob.bytes = std::make_shared<const std::string>(std::move(bytes));
  bytes.clear();
  return blob;
}

// Calls `then` on the loop, with the event's history filled in where its dependency needs that.
template <class Event>
void with_known_ends(Services& services, std::shared_ptr<Event> event, const Dependency& dependency,
                     std::function<void()> then) {
  const JobFilter filter = jobs_to_look_up(services.state(), dependency);
  if (filter.jobs.empty()) return then();
  services.with_history(
      [event, filter](HistoryReader& history) { event->history = known_ends(history, filter); },
      std::move(then));
}

}  // namespace

namespace {

void judge_job(Call& call, SubmitJob& message, bool plan) {
  Services& services = call.services;
  if (services.store_is_full() && !message.test_only)
    return call.refuse({ErrorCode::store_full, "running work goes on; free space and submit again"});
  if (auto owner = set_owner(call.session.caller, message); !owner) return call.refuse(owner.error());
  if (auto script = check_script(*services.state().config, message); !script)
    return call.refuse(script.error());
  auto event = std::make_shared<JobSubmitted>();
  event->plan = plan;
  event->from = call.ref();
  event->caller = call.session.caller;
  event->script = take_blob(services, message.script);
  event->environment = take_blob(services, message.environment);
  message.spec.batch.script_id = event->script.id;
  message.spec.batch.environment_id = event->environment.id;
  event->request = std::move(message);
  const JobSpec& spec = event->request.spec;
  services.with_user_names(
      spec.uid, spec.gid, [&services, event](std::string user, std::string group) {
        event->request.spec.user = std::move(user);
        event->request.spec.group = std::move(group);
        with_known_ends(services, event, event->request.spec.start.dependency, [&services, event] {
          if (!event->request.test_only) services.keep_blob(event->script);
          if (!event->request.test_only) services.keep_blob(event->environment);
          services.feed(std::move(*event));
        });
      });
}

}  // namespace

void submit_job(Call& call, SubmitJob& message) { judge_job(call, message, false); }

void plan_job(Call& call, PlanJob& message) {
  message.submission.test_only = true;
  judge_job(call, message.submission, true);
}

void cancel_jobs(Call& call, CancelJobs& message) {
  call.services.feed(JobsCancelled{call.ref(), call.session.caller, std::move(message)});
}

void update_jobs(Call& call, UpdateJobs& message) {
  Services& services = call.services;
  auto event = std::make_shared<JobsUpdated>(
      JobsUpdated{call.ref(), call.session.caller, std::move(message), {}});
  with_known_ends(services, event, event->request.spec.start.dependency,
                  [&services, event] { services.feed(std::move(*event)); });
}

void update_nodes(Call& call, UpdateNodes& message) {
  call.services.feed(NodesUpdated{call.ref(), call.session.caller, std::move(message)});
}

void change_reservation(Call& call, ChangeReservation& message) {
  call.services.feed(ReservationChanged{call.ref(), call.session.caller, std::move(message)});
}

void wait_job(Call& call, WaitJob& message) {
  call.services.feed(JobAwaited{call.ref(), message});
}

void reconfigure(Call& call, Reconfigure&) {
  if (auto done = call.services.reconfigure(call.ref()); !done) call.refuse(done.error());
}

void shut_down(Call& call, Shutdown&) {
  call.answer(OkReply{});
  call.services.shut_down();
}

void purge_jobs(Call& call, PurgeJobs& message) {
  if (auto right = check_purge(message); !right) return call.refuse(right.error());
  call.services.purge(call.ref(), message);
}

void back_up(Call& call, Backup& message) { call.services.backup(call.ref(), message.path); }

}  // namespace sluice::rpc
