// log.h: the log of a daemon: lines with time and level. The library behind it takes ten seconds to
// compile, so it stays in log.cpp.
#pragma once

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>

namespace sluice {

enum class LogLevel { debug, info, warning, error, critical };

// Until then lines go to standard output. `path`: empty: there they stay.
void open_log(const std::string& path);
// To standard error, every line with this name. With $SLUICE_DEBUG set also what is said for
// debugging.
void open_error_log(const std::string& name);
void close_log();

void log_line(LogLevel level, std::string_view text);

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
// Texts that are whole already; braces in them mean nothing.
inline void log_debug(const std::string& text) { log_line(LogLevel::debug, text); }
inline void log_info(const std::string& text) { log_line(LogLevel::info, text); }
inline void log_warning(const std::string& text) { log_line(LogLevel::warning, text); }
inline void log_error(const std::string& text) { log_line(LogLevel::error, text); }

}  // namespace sluice
