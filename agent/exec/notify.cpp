// notify.cpp: one unconnected datagram.
#include "agent/exec/notify.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <cstring>

#include "agent/exec/file.h"

namespace sluice::agent {

void send_notice(const std::string& socket_path, const StartedNotice& notice) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.size() >= sizeof address.sun_path) return;
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  const File socket_file{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  if (!socket_file) return;
  (void)sendto(socket_file.fd(), &notice, sizeof notice, MSG_NOSIGNAL,
               reinterpret_cast<const sockaddr*>(&address), sizeof address);
}

}  // namespace sluice::agent
