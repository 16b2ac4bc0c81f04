// log.h: the controller's log, a file or standard output. The library behind it takes ten seconds to
// compile, so it stays in log.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class LogLevel { info, warning, error, critical };

// `path`: empty: standard output.
void open_log(const std::string& path);
void log_line(LogLevel level, std::string_view text);
void close_log();

template <class... Values>
void log_info(fmt::format_string<Values...> form, Values&&... values) {
  log_line(LogLevel::info, fmt::format(form, std::forward<Values>(values)...));
}
template <class... Values>
void log_warning(fmt::format_string<Values...> form, Values&&... values) {
  log_line(LogLevel::warning, fmt::format(form, std::forward<Values>(values)...));
}
template <class... Values>
void log_error(fmt::format_string<Values...> form, Values&&... values) {
  log_line(LogLevel::error, fmt::format(form, std::forward<Values>(values)...));
}
template <class... Values>
void log_critical(fmt::format_string<Values...> form, Values&&... values) {
  log_line(LogLevel::critical, fmt::format(form, std::forward<Values>(values)...));
}

}  // namespace sluice
