// signal.cpp: signals by name and number.
#include <fmt/format.h>

#include <csignal>

#include "common/options/grammar.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct SignalRow {
  const char* name;
  int number;
};

constexpr SignalRow signals[] = {
    {"HUP", SIGHUP},   {"INT", SIGINT},       {"QUIT", SIGQUIT}, {"ILL", SIGILL},
    {"TRAP", SIGTRAP}, {"ABRT", SIGABRT},     {"BUS", SIGBUS},   {"FPE", SIGFPE},
    {"KILL", SIGKILL}, {"USR1", SIGUSR1},     {"SEGV", SIGSEGV}, {"USR2", SIGUSR2},
    {"PIPE", SIGPIPE}, {"ALRM", SIGALRM},     {"TERM", SIGTERM}, {"CHLD", SIGCHLD},
    {"CONT", SIGCONT}, {"STOP", SIGSTOP},     {"TSTP", SIGTSTP}, {"TTIN", SIGTTIN},
    {"TTOU", SIGTTOU}, {"URG", SIGURG},       {"XCPU", SIGXCPU}, {"XFSZ", SIGXFSZ},
    {"PROF", SIGPROF}, {"VTALRM", SIGVTALRM}, {"IO", SIGIO},     {"PWR", SIGPWR},
    {"SYS", SIGSYS},   {"WINCH", SIGWINCH},   {"IOT", SIGABRT},  {"POLL", SIGIO}};

constexpr std::uint64_t signal_max = 64;

}  // namespace

Result<std::uint32_t> parse_signal(std::string_view text) {
  const auto number = parse_number(text);
  if (number && *number >= 1 && *number <= signal_max) return static_cast<std::uint32_t>(*number);
  std::string_view name = text;
  if (name.size() > 3 && equals_ignoring_case(name.substr(0, 3), "SIG")) name.remove_prefix(3);
  for (const SignalRow& row : signals)
    if (equals_ignoring_case(name, row.name)) return static_cast<std::uint32_t>(row.number);
  return Error{ErrorCode::invalid_signal, std::string(text)};
}

std::string signal_name(std::uint32_t signal) {
  for (const SignalRow& row : signals)
    if (row.number == static_cast<int>(signal)) return row.name;
  return fmt::format("{}", signal);
}

}  // namespace sluice
