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
constexpr std::uint64_t before_s_max = 65535;

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

Result<SignalRequest> parse_signal_request(std::string_view text) {
  SignalRequest request;
  const auto refuse = [&](std::string_view why) {
    return Error{ErrorCode::invalid_signal, fmt::format("\"{}\": {}", text, why)};
  };
  std::string_view signal = text;
  if (const std::size_t colon = text.find(':'); colon != std::string_view::npos) {
    for (const char letter : text.substr(0, colon)) {
      if (letter == 'R' || letter == 'r')
        return Error{ErrorCode::not_supported, fmt::format("={}", text)};
      if (letter != 'B' && letter != 'b') return refuse("only B: may stand in front");
      request.batch_only = true;
    }
    signal.remove_prefix(colon + 1);
  }
  if (const std::size_t at = signal.find('@'); at != std::string_view::npos) {
    const auto seconds = parse_number(signal.substr(at + 1));
    if (!seconds || *seconds > before_s_max)
      return refuse(fmt::format("behind @ stand seconds, 0 to {}", before_s_max));
    request.before_s = static_cast<std::uint32_t>(*seconds);
    signal = signal.substr(0, at);
  }
  const Result<std::uint32_t> number = parse_signal(signal);
  if (!number.ok()) return refuse("no such signal; USR1, SIGUSR1 and 10 are the same");
  request.signal = *number;
  return request;
}

std::string to_text(const SignalRequest& request) {
  return fmt::format("{}{}@{}", request.batch_only ? "B:" : "", signal_name(request.signal),
                     request.before_s);
}

}  // namespace sluice
