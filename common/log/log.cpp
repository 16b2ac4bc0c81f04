// log.cpp: spdlog with {fmt} from outside (common/base/fmt_impl.cpp has its compiled part).
#include "common/log/log.h"

#include <spdlog/sinks/basic_file_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace sluice {
namespace {

spdlog::level::level_enum level_of(LogLevel level) {
  switch (level) {
    case LogLevel::debug:
      return spdlog::level::debug;
    case LogLevel::info:
      return spdlog::level::info;
    case LogLevel::warning:
      return spdlog::level::warn;
    case LogLevel::error:
      return spdlog::level::err;
    case LogLevel::critical:
      return spdlog::level::critical;
  }
  return spdlog::level::critical;
}

}  // namespace

void open_log(const std::string& path) {
  if (!path.empty()) spdlog::set_default_logger(spdlog::basic_logger_mt("sluiced", path));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e %^%l%$ %v");
  spdlog::flush_on(spdlog::level::info);
}

void open_error_log(const std::string& name) {
  auto logger =
      std::make_shared<spdlog::logger>(name, std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %n %l: %v");
  logger->set_level(std::getenv("SLUICE_DEBUG") ? spdlog::level::debug : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void close_log() { spdlog::shutdown(); }

void log_line(LogLevel level, std::string_view text) {
  spdlog::log(level_of(level), spdlog::string_view_t(text.data(), text.size()));
}

}  // namespace sluice
