// job_process.cpp: the child's side runs between fork and exec; it reports by a socket that closes
// at exec: its stderr (as a descriptor), then the word that it is about to exec, or why it cannot.
#include "agent/shepherd/job_process.h"

#include <fcntl.h>
#include <grp.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include "agent/exec/cgroup.h"
#include "agent/exec/environment.h"
#include "common/base/clock.h"
#include "common/base/process_limits.h"

namespace sluice::agent {
namespace {

enum class Report : char {
  error_file = 'E',
  at_exec = 'X',
  job_fault = 'J',
  not_found = 'F',
  not_executable = 'P',
  node_fault = 'N',
  lease_lapsed = 'L'
};
constexpr std::size_t report_bytes_max = 2048;

// What a report of a failed start means. Only what stopped the exec itself has an exit code: it is
// the one that the user knows from his shell.
struct FailureRow {
  Report report;
  bool node_fault;
  std::uint32_t exit_code;
};
constexpr FailureRow failure_rows[] = {
    {Report::job_fault, false, 0},
    {Report::not_found, false, 127},
    {Report::not_executable, false, 126},
    {Report::node_fault, true, 0},
};

std::string errno_text(int code) {
  std::string text = strerror(code);
  if (const char* name = strerrorname_np(code)) text.append(" (").append(name).append(")");
  return text;
}

// The child's side. Its functions do not return when they fail.
class Child {
 public:
  Child(const SpooledRun& run, const std::string& script_path, int report_fd,
        const LeasePage* lease)
      : run_(run),
        order_(run.order),
        script_path_(script_path),
        report_fd_(report_fd),
        lease_(lease) {}

  [[noreturn]] void run(std::vector<std::string> environment);

 private:
  void report(Report kind, std::string_view text, int descriptor = -1) const;
  [[noreturn]] void fail(Report kind, std::string text) const;
  [[noreturn]] void fail_with_errno(Report kind, std::string what) const;
  void become_user() const;
  void open_files() const;
  int open_as_user(const std::string& path, int flags, const char* what) const;
  void move_to(int from, int to) const;
  void enter_work_dir() const;
  void reset_signals() const;
  void set_limits() const;
  [[noreturn]] void execute(std::vector<std::string>& environment) const;
  std::string where() const { return " on " + run_.node + " as user " + run_.user.name; }

  const SpooledRun& run_;
  const LaunchOrder& order_;
  const std::string& script_path_;
  int report_fd_;
  const LeasePage* lease_;
};

void Child::report(Report kind, std::string_view text, int descriptor) const {
  char head = static_cast<char>(kind);
  std::array<iovec, 2> parts{iovec{&head, 1}, iovec{const_cast<char*>(text.data()), text.size()}};
  msghdr message{};
  message.msg_iov = parts.data();
  message.msg_iovlen = parts.size();
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  if (descriptor >= 0) {
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    cmsghdr* entry = CMSG_FIRSTHDR(&message);
    entry->cmsg_level = SOL_SOCKET;
    entry->cmsg_type = SCM_RIGHTS;
    entry->cmsg_len = CMSG_LEN(sizeof(int));
    std::memcpy(CMSG_DATA(entry), &descriptor, sizeof descriptor);
  }
  (void)sendmsg(report_fd_, &message, MSG_NOSIGNAL);
}

void Child::fail(Report kind, std::string text) const {
  if (text.size() >= report_bytes_max) text.resize(report_bytes_max - 1);
  report(kind, text);
  _exit(1);
}

void Child::fail_with_errno(Report kind, std::string what) const {
  const int code = errno;
  fail(kind, std::move(what) + ": " + errno_text(code));
}

void Child::become_user() const {
  if (!run_.change_user) return;
  const UserIdentity& user = run_.user;
  const std::string who = "cannot become uid " + std::to_string(user.uid) + " on " + run_.node;
  static_assert(sizeof(gid_t) == sizeof(std::uint32_t));
  if (setgroups(user.groups.size(), user.groups.data()) != 0 ||
      setresgid(user.gid, user.gid, user.gid) != 0 || setresuid(user.uid, user.uid, user.uid) != 0)
    fail_with_errno(Report::node_fault, who);
}

// Follows a link only where the user (or root) made it: nobody else steers where a job writes. All
// is done with the user's rights.
int Child::open_as_user(const std::string& path, int flags, const char* what) const {
  int fd = open(path.c_str(), flags | O_NOFOLLOW | O_NOCTTY | O_CLOEXEC, 0666);
  if (fd < 0 && errno == ELOOP) {
    struct stat link {};
    const bool trusted =
        lstat(path.c_str(), &link) == 0 && (link.st_uid == geteuid() || link.st_uid == 0);
    errno = ELOOP;
    if (trusted) fd = open(path.c_str(), flags | O_NOCTTY | O_CLOEXEC, 0666);
  }
  if (fd < 0)
    fail_with_errno(Report::job_fault, std::string("cannot open ") + what + " " + path + where());
  return fd;
}

void Child::move_to(int from, int to) const {
  if (dup2(from, to) < 0) fail_with_errno(Report::node_fault, "cannot set up the job's files");
  if (from > 2) close(from);
}

void Child::open_files() const {
  const int how = O_WRONLY | O_CREAT | (order_.append ? O_APPEND : O_TRUNC);
  const std::string input = order_.input_path.empty() ? "/dev/null" : order_.input_path;
  const int in = open_as_user(input, O_RDONLY, "input file");
  const int out = open_as_user(order_.output_path, how, "output file");
  const bool shared = order_.error_path.empty() || order_.error_path == order_.output_path;
  const int error = shared ? dup(out) : open_as_user(order_.error_path, how, "error file");
  move_to(in, 0);
  move_to(out, 1);
  move_to(error, 2);
  report(Report::error_file, "", 2);
}

void Child::enter_work_dir() const {
  if (chdir(order_.work_dir.c_str()) != 0)
    fail_with_errno(Report::job_fault, "cannot change to directory " + order_.work_dir + where());
}

void Child::reset_signals() const {
  struct sigaction standard {};
  standard.sa_handler = SIG_DFL;
  for (int number = 1; number < NSIG; ++number) sigaction(number, &standard, nullptr);
  sigset_t none;
  sigemptyset(&none);
  sigprocmask(SIG_SETMASK, &none, nullptr);
}

// A system call only where the limit is another; what the node's hard limits forbid is cut to them.
void Child::set_limits() const {
  for (const ProcessLimit& limit : order_.limits)
    for (const ProcessLimitRow& row : process_limits) {
      if (limit.name != row.name) continue;
      const auto resource = static_cast<__rlimit_resource_t>(row.resource);
      rlimit now{};
      if (getrlimit(resource, &now) != 0) continue;
      const rlim_t soft = std::min<rlim_t>(limit.soft.value_or(RLIM_INFINITY), now.rlim_max);
      if (soft == now.rlim_cur) continue;
      now.rlim_cur = soft;
      (void)setrlimit(resource, &now);
    }
}

// "#!/no/such thing" -> "/no/such"; empty when the file has no such line.
std::string interpreter_of(const std::string& script_path) {
  const File file{open(script_path.c_str(), O_RDONLY | O_CLOEXEC)};
  char start[256] = {};
  if (!file || read(file.fd(), start, sizeof start - 1) <= 0) return "";
  std::string_view line{start};
  line = line.substr(0, line.find('\n'));
  if (!line.starts_with("#!")) return "";
  line.remove_prefix(2);
  line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  return std::string(line.substr(0, line.find_first_of(" \t\r")));
}

void Child::execute(std::vector<std::string>& environment) const {
  std::vector<char*> arguments{const_cast<char*>(script_path_.c_str())};
  for (const std::string& argument : order_.arguments)
    arguments.push_back(const_cast<char*>(argument.c_str()));
  arguments.push_back(nullptr);
  std::vector<char*> variables;
  for (std::string& entry : environment) variables.push_back(entry.data());
  variables.push_back(nullptr);
  close_range(3, ~0U, CLOSE_RANGE_CLOEXEC);
  // All of this may have been frozen until another run of the job was started elsewhere.
  if (lease_ && read_clocks().steady >= lease_->until()) fail(Report::lease_lapsed, "");
  report(Report::at_exec, "");
  execve(script_path_.c_str(), arguments.data(), variables.data());
  const int code = errno;
  const std::string interpreter = interpreter_of(script_path_);
  const bool script_is_there = access(script_path_.c_str(), F_OK) == 0;
  const Report kind = code == ENOENT ? Report::not_found : Report::not_executable;
  const std::string what = interpreter.empty()
                               ? "cannot execute the script"
                               : "cannot execute the script: its interpreter " + interpreter;
  fail(script_is_there ? kind : Report::node_fault, what + where() + ": " + errno_text(code));
}

void Child::run(std::vector<std::string> environment) {
  if (const auto joined = join_cgroup(run_.cgroup); !joined.ok())
    fail(Report::node_fault, joined.error().detail);
  // The agent is spared when memory runs out; a job is not.
  if (geteuid() == 0) (void)write_kernel_file("/proc/self/oom_score_adj", "0").ok();
  setsid();
  become_user();
  // Without control groups the script at least dies with its shepherd.
  if (run_.cgroup.version == 0) prctl(PR_SET_PDEATHSIG, SIGKILL);
  umask(static_cast<mode_t>(order_.umask));
  enter_work_dir();
  open_files();
  reset_signals();
  set_limits();
  environment.push_back("SLURM_TASK_PID=" + std::to_string(getpid()));
  execute(environment);
}

}  // namespace

Result<JobProcess> JobProcess::start(const SpooledRun& run, const std::string& script_path,
                                     const LeasePage* lease) {
  int ends[2];
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0)
    return system_error("create", "a socket pair");
  JobProcess process;
  process.report_ = File{ends[0]};
  const File child_end{ends[1]};
  std::vector<std::string> environment = build_environment(run);
  process.pid_ = fork();
  if (process.pid_ < 0) return system_error("start", "the job's first process");
  if (process.pid_ == 0) Child{run, script_path, child_end.fd(), lease}.run(std::move(environment));
  return process;
}

JobProcess::News JobProcess::take_news() {
  while (report_) {
    char bytes[report_bytes_max];
    iovec part{bytes, sizeof bytes};
    alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
    msghdr message{};
    message.msg_iov = &part;
    message.msg_iovlen = 1;
    message.msg_control = control;
    message.msg_controllen = sizeof control;
    const ssize_t size = recvmsg(report_.fd(), &message, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0 && errno == EAGAIN) return News::nothing;
    if (size <= 0) {
      report_.reset();
      if (lease_lapsed_) return News::lease_lapsed;
      if (failure_) return News::failed;
      return at_exec_ ? News::started : News::nothing;
    }
    const std::string text(bytes + 1, static_cast<std::size_t>(size) - 1);
    const Report kind = static_cast<Report>(bytes[0]);
    switch (kind) {
      case Report::error_file:
        if (const cmsghdr* entry = CMSG_FIRSTHDR(&message)) {
          int fd = -1;
          std::memcpy(&fd, CMSG_DATA(entry), sizeof fd);
          error_ = File{fd};
        }
        break;
      case Report::at_exec:
        at_exec_ = true;
        break;
      case Report::lease_lapsed:
        lease_lapsed_ = true;
        break;
      default:
        for (const FailureRow& row : failure_rows)
          if (row.report == kind) failure_ = StartFailure{row.node_fault, text, row.exit_code};
    }
  }
  return News::nothing;
}

}  // namespace sluice::agent
