// print.cpp: the two streams of a command.
#include "cli/print.h"

#include <cstdio>

namespace sluice {
namespace {

void print_lines(std::string_view prefix, std::string_view text) {
  std::string out;
  while (true) {
    const std::size_t end = text.find('\n');
    out.append(prefix).append(text.substr(0, end)).push_back('\n');
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  std::fwrite(out.data(), 1, out.size(), stderr);
}

}  // namespace

void print_error(std::string_view command, std::string_view text) {
  print_lines(std::string(command) + ": error: ", text);
}

void print_error(std::string_view command, const Error& error) {
  print_error(command, to_text(error));
}

void print_note(std::string_view command, std::string_view text) {
  print_lines(std::string(command) + ": ", text);
}

void print_usage_problem(std::string_view command, const Error& error) {
  print_note(command, error.detail);
  const std::string hint = "Try \"" + std::string(command) + " --help\" for more information\n";
  std::fwrite(hint.data(), 1, hint.size(), stderr);
}

int exit_code_of(const Error& error) {
  if (error.code == ErrorCode::no_controller) return exit_no_controller;
  if (error.code == ErrorCode::outcome_unknown) return exit_outcome_unknown;
  return 1;
}

bool print_result(std::string_view text) {
  const bool written = std::fwrite(text.data(), 1, text.size(), stdout) == text.size();
  return std::fflush(stdout) == 0 && written;
}

}  // namespace sluice
