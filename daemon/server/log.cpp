// log.cpp: spdlog with {fmt} from outside (common/base/fmt_impl.cpp has its compiled part).
#include "daemon/server/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/spdlog.h>

namespace sluice {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::info: return spdlog::level::info;
    case LogLevel::warning: return spdlog::level::warn;
    case LogLevel::error: return spdlog::level::err;
    case LogLevel::critical: return spdlog::level::critical;
  }
  return spdlog::level::critical;
}

}  // namespace

void open_log(const std::string& path) {
  if (!path.empty()) spdlog::set_default_logger(spdlog::basic_logger_mt("sluiced", path));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  spdlog::flush_on(spdlog::level::info);
}

void log_line(LogLevel level, std::string_view text) {
  spdlog::log(level_of(level), spdlog::string_view_t(text.data(), text.size()));
}

void close_log() { spdlog::shutdown(); }

}  // namespace sluice
