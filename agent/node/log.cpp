// log.cpp: spdlog with {fmt} from outside (common/base/fmt_impl.cpp has its compiled part).
#include "agent/node/log.h"

#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <cstdlib>

namespace sluice::agent {

void start_log(const std::string& node) {
  auto logger = std::make_shared<spdlog::logger>(
      node, std::make_shared<spdlog::sinks::stderr_sink_st>());
  logger->set_pattern("%Y-%m-%dT%H:%M:%S.%e %n %l: %v");
  logger->set_level(std::getenv("SLUICE_DEBUG") ? spdlog::level::debug : spdlog::level::info);
  spdlog::set_default_logger(std::move(logger));
}

void log_debug(const std::string& text) { spdlog::debug("{}", text); }
void log_info(const std::string& text) { spdlog::info("{}", text); }
void log_warning(const std::string& text) { spdlog::warn("{}", text); }
void log_error(const std::string& text) { spdlog::error("{}", text); }

}  // namespace sluice::agent
