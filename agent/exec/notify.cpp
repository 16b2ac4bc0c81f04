// notify.cpp: one unconnected datagram.
#include "agent/exec/notify.h"

#include "common/base/service_manager.h"

namespace sluice::agent {

void send_notice(const std::string& socket_path, const StartedNotice& notice) {
  (void)send_datagram(socket_path, {reinterpret_cast<const char*>(&notice), sizeof notice});
}

}  // namespace sluice::agent
