// submission.cpp: takes from the machine what a job inherits from its submitter.
#include "cli/submission.h"

#include <fmt/format.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <limits>

#include "cli/accounts_of_machine.h"
#include "cli/login_environment.h"
#include "common/base/process_limits.h"
#include "common/options/text.h"

namespace sluice {
namespace {

constexpr std::size_t key_bytes = 16;
// What the kernel allows: 32 pages for a string; for all of them a quarter of the stack's limit,
// never more than 6 MB.
constexpr std::size_t exec_string_bytes_max = 128 * 1024;
constexpr std::size_t exec_total_bytes_max = 6 * 1024 * 1024;
// Left for what the node adds.
constexpr std::size_t exec_reserve_bytes = 16 * 1024;

Result<std::string> make_key() {
  std::string key(key_bytes, '\0');
  if (getrandom(key.data(), key.size(), 0) == static_cast<ssize_t>(key.size())) return key;
  return Error{ErrorCode::io_error, "no random bytes from the kernel"};
}

std::string host_name() {
  char name[256] = {};
  gethostname(name, sizeof name - 1);
  return name;
}

std::uint32_t read_umask() {
  const mode_t mask = umask(022);
  umask(mask);
  return mask;
}

std::vector<ProcessLimit> read_limits() {
  std::vector<ProcessLimit> limits;
  for (const ProcessLimitRow& row : process_limits) {
    rlimit value{};
    if (getrlimit(static_cast<__rlimit_resource_t>(row.resource), &value) != 0) continue;
    limits.push_back({row.name, std::nullopt});
    if (value.rlim_cur != RLIM_INFINITY) limits.back().soft = value.rlim_cur;
  }
  return limits;
}

ExecLimits exec_limits() {
  rlimit stack{};
  std::size_t total = exec_total_bytes_max;
  if (getrlimit(RLIMIT_STACK, &stack) == 0 && stack.rlim_cur != RLIM_INFINITY)
    total = std::min<std::size_t>(total, stack.rlim_cur / 4);
  return ExecLimits{exec_string_bytes_max, total - std::min(total, exec_reserve_bytes)};
}

Result<void> set_user(SubmitJob& message, const std::string& user) {
  const auto number = parse_account_number(user);
  const auto entry = number ? find_user(*number) : find_user(user);
  if (!entry && !number)
    return Error{ErrorCode::unknown_user, fmt::format("Invalid --uid specification: no user {}", user)};
  message.as_uid = entry ? entry->uid : *number;
  if (entry) message.as_gid = entry->gid;
  return {};
}

Result<void> set_group(SubmitJob& message, const std::string& group) {
  message.as_gid = parse_account_number(group);
  if (message.as_gid) return {};
  message.as_gid = find_group(group);
  if (!message.as_gid)
    return Error{ErrorCode::unknown_user,
                 fmt::format("Invalid --gid specification: no group {}", group)};
  return {};
}

Result<void> set_owner(SubmitJob& message, const SubmitRequest& request) {
  if (!request.user && !request.group) return {};
  if (geteuid() != 0)
    return Error{ErrorCode::access_denied, fmt::format("--{} only permitted by root user",
                                                       request.user ? "uid" : "gid")};
  if (request.user) TRY(set_user(message, *request.user));
  if (request.group) TRY(set_group(message, *request.group));
  return {};
}

void set_batch(JobSpec& spec, const SubmitRequest& request, const ScriptSource& script,
               const std::string& folder) {
  if (spec.name.empty()) spec.name = script.default_name;
  spec.batch.arguments = script.arguments;
  spec.batch.command = script.path;
  spec.batch.submit_dir = folder;
  spec.batch.work_dir = absolute_path(request.work_dir.value_or(folder), folder);
  spec.batch.submit_host = host_name();
  spec.batch.umask = read_umask();
  spec.batch.limits = read_limits();
}

// A login shell's variables are the weakest, those of a file the strongest.
Result<Environment> gather_environment(const SubmitRequest& request, const Environment& caller,
                                       std::uint32_t uid) {
  Environment selected = select_environment(request.export_rule, caller);
  if (request.login_environment)
    selected = merged(TRY(read_login_environment(uid, *request.login_environment)), selected);
  if (request.export_file)
    selected = merged(std::move(selected), TRY(read_export_file(*request.export_file)));
  return selected;
}

}  // namespace

Environment environment_of_process() {
  Environment environment;
  for (char** entry = environ; *entry; ++entry) environment.emplace_back(*entry);
  return environment;
}

Result<Submission> make_submission(const SubmitRequest& request, ScriptSource script) {
  Submission submission;
  SubmitJob& message = submission.message;
  message.key = TRY(make_key());
  message.spec = request.spec;
  message.test_only = request.test_only;
  set_batch(message.spec, request, script, TRY(current_folder()));
  TRY(set_owner(message, request));

  const bool is_of_another = message.as_uid && *message.as_uid != getuid();
  const Environment caller =
      is_of_another ? without_identity(environment_of_process()) : environment_of_process();
  const Environment selected =
      TRY(gather_environment(request, caller, message.as_uid.value_or(getuid())));
  TRY(check_environment(selected, exec_limits()));
  message.environment = joined(selected);
  for (const std::string& word : suspicious_words(request.export_rule, caller))
    submission.notes.push_back(fmt::format(
        "Warning: --export: {} is no variable here; quote a value that holds commas", word));
  message.script = std::move(script.bytes);
  return submission;
}

}  // namespace sluice
