// grammar.h: the small grammars of option values: text -> value of the model. Pure; nothing here
// knows which option a text was given to. The error's detail quotes the value and says what is valid.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "common/base/result.h"
#include "common/model/request.h"

namespace sluice {

// "90", "1:30", "1:2:59", "1-2", "1-2:30", "1-2:30:00", "1-", "UNLIMITED". Seconds round up to the
// next minute; zero and -1 mean unlimited. Errors: invalid_time.
Result<TimeLimit> parse_time_limit(std::string_view text);

// "100" (MB), "4G", "1024K", "512MB"; rounded up to MB. Errors: invalid_memory.
Result<std::uint64_t> parse_memory_mb(std::string_view text);

// "1", "0-15:4", "1,3,5-7%2", "[1-3]"; a limit may follow any element and holds for all; %0 is none.
// The tasks come out ascending and without duplicates. Memory taken never grows with the numbers in
// the text. How many tasks a site allows is the controller's business. Errors: invalid_array.
Result<ArrayRequest> parse_array(std::string_view text);
// The same without a limit: "1-3,7", for parts of an array.
Result<IndexSet> parse_index_set(std::string_view text);

// "afterok:12:13,afterany:14_3,after:15+10,singleton": all joined by ',' (and) or all by '?' (or).
// "0" is none. Errors: invalid_dependency, not_supported (expand).
Result<Dependency> parse_dependency(std::string_view text);

struct NodeCount {
  std::uint32_t min = 1;
  std::uint32_t max = 1;

  bool operator==(const NodeCount&) const = default;
};
// "2", "1-3", "1k" (1024); "0" says nothing. Errors: node_count_invalid, whose detail is Slurm's
// whole sentence.
Result<std::optional<NodeCount>> parse_node_count(std::string_view text);

// "USR1", "SIGUSR1", "usr1", "10". Errors: invalid_signal.
Result<std::uint32_t> parse_signal(std::string_view text);
// "USR1"; a number without a name comes back as the number.
std::string signal_name(std::uint32_t signal);
// "USR2", "USR2@90", "B:USR2@30". Errors: invalid_signal, not_supported (R: reservations).
Result<SignalRequest> parse_signal_request(std::string_view text);
std::string to_text(const SignalRequest& request);

// "END,FAIL", "ALL", "NONE", in any case; each once, in the order of the enumeration.
// Errors: invalid_argument.
Result<std::vector<MailType>> parse_mail_types(std::string_view text);

// Where a login environment comes from (--get-user-env): "", "8", "8L", "S".
struct LoginEnvironment {
  std::uint32_t timeout_s = 8;
  bool is_login = true;  // mode L: as at a login; S: of the plain shell

  bool operator==(const LoginEnvironment&) const = default;
};
// Errors: invalid_argument.
Result<LoginEnvironment> parse_login_environment(std::string_view text);

// "gpu", "gpu:2", "gpu:a100:2", with or without "gres:" in front; several divided by commas;
// "none" is none. Errors: invalid_gres.
Result<std::vector<GresCount>> parse_gres(std::string_view text);

// "a,b": the names in the order given. Errors: invalid_argument when one is empty.
Result<std::vector<std::string>> parse_names(std::string_view text);

// "ALL", "NONE", "NOFILE,rlimit_core": names of process_limits.h, "ALL" or "NONE".
// Errors: invalid_argument.
Result<std::vector<std::string>> parse_limit_names(std::string_view text);

// A job as commands are told of one: "5", "5_3", "5_[1-3]", "5.batch".
struct JobReference {
  JobId job;
  IndexSet tasks;     // empty: the job, or all of the array
  std::string step;   // behind the dot; empty: none

  bool operator==(const JobReference&) const = default;
};
// Errors: invalid_job_id with the text.
Result<JobReference> parse_job_reference(std::string_view text);

}  // namespace sluice
