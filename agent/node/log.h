// log.h: the agent's log, on standard error. Heavy library behind four functions.
#pragma once

#include <string>

namespace sluice::agent {

void start_log(const std::string& node);
void log_debug(const std::string& text);
void log_info(const std::string& text);
void log_warning(const std::string& text);
void log_error(const std::string& text);

}  // namespace sluice::agent
