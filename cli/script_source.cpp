// script_source.cpp: reads a script whole, any bytes.
#include "cli/script_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdlib>
#include <cstring>

#include "common/options/text.h"
#include "common/wire/frame.h"

namespace sluice {
namespace {

Error unreadable(const std::string& name, int error_number) {
  std::string text = fmt::format("Unable to open file {}", name);
  if (error_number != ENOENT) text += fmt::format(": {}", std::strerror(error_number));
  return Error{ErrorCode::script_unreadable, text};
}

Result<std::string> read_to_end(int file, const std::string& name) {
  std::string bytes;
  char part[16384];  // small: fresh pages cost a short command more than reads do
  while (true) {
    if (bytes.size() > frame_payload_bytes_max)
      return Error{ErrorCode::script_too_large,
                   fmt::format("{}: script of more than {} bytes, the limit of one submission", name,
                               frame_payload_bytes_max)};
    const ssize_t got = read(file, part, sizeof part);
    if (got == 0) return bytes;
    if (got > 0) bytes.append(part, static_cast<std::size_t>(got));
    else if (errno != EINTR) return unreadable(name, errno);
  }
}

bool is_readable_file(const std::string& path) {
  struct stat found {};
  return stat(path.c_str(), &found) == 0 && !S_ISDIR(found.st_mode) &&
         access(path.c_str(), R_OK) == 0;
}

// The working folder first, then PATH.
std::string find_script(const std::string& name) {
  const char* path = std::getenv("PATH");
  if (name.find('/') != std::string::npos || access(name.c_str(), F_OK) == 0 || !path) return name;
  for (std::string_view folder : split(path, ':')) {
    const std::string candidate = fmt::format("{}/{}", folder, name);
    if (!folder.empty() && is_readable_file(candidate)) return candidate;
  }
  return name;
}

Result<ScriptSource> load_file(const std::vector<std::string>& operands) {
  const std::string path = find_script(operands.front());
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return unreadable(operands.front(), errno);
  Result<std::string> bytes = read_to_end(file, operands.front());
  close(file);
  if (!bytes.ok()) return bytes.error();
  const std::string folder = TRY(current_folder());
  ScriptSource source{std::move(bytes).value(), operands.front(), absolute_path(path, folder),
                      path.substr(path.rfind('/') + 1), {operands.begin() + 1, operands.end()}};
  return source;
}

Result<ScriptSource> wrap_command(const std::string& command,
                                  const std::vector<std::string>& operands) {
  if (!operands.empty())
    return Error{ErrorCode::invalid_argument, "Script arguments not permitted with --wrap option"};
  return ScriptSource{fmt::format("#!/bin/sh\n# This script was made by --wrap.\n\n{}\n", command),
                      "--wrap", {}, "wrap", {}, true};
}

}  // namespace

std::string absolute_path(const std::string& path, const std::string& work_dir) {
  return !path.empty() && path.front() == '/' ? path : work_dir + "/" + path;
}

Result<std::string> current_folder() {
  char path[PATH_MAX];
  if (getcwd(path, sizeof path)) return std::string(path);
  return Error{ErrorCode::io_error, fmt::format("working directory: {}", std::strerror(errno))};
}

Result<ScriptSource> load_script(const std::optional<std::string>& wrap,
                                 const std::vector<std::string>& operands) {
  if (!operands.empty() && operands.front() == ":")
    return Error{ErrorCode::not_supported,
                 "heterogeneous jobs (a lone ':') are not supported by Sluice yet"};
  if (wrap) return wrap_command(*wrap, operands);
  if (!operands.empty()) return load_file(operands);
  return ScriptSource{TRY(read_to_end(STDIN_FILENO, "standard input")), "stdin", {}, "sbatch", {}};
}

}  // namespace sluice
