// service_manager.cpp: the protocol of sd_notify(3), which is short enough to need no library.
#include "common/base/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>

#include <cstddef>
#include <cstdlib>
#include <cstring>
#include <ctime>

#include "common/base/file.h"

namespace sluice {

bool send_datagram(const std::string& socket_path, std::string_view bytes) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (socket_path.empty() || socket_path.size() >= sizeof address.sun_path) return false;
  std::memcpy(address.sun_path, socket_path.data(), socket_path.size());
  if (socket_path.front() == '@') address.sun_path[0] = '\0';
  // Of an abstract name every byte counts: the length says where it ends.
  const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + socket_path.size());
  const UniqueFd sender{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0)};
  return sender && sendto(sender.get(), bytes.data(), bytes.size(), MSG_NOSIGNAL,
                          reinterpret_cast<const sockaddr*>(&address),
                          size) == static_cast<ssize_t>(bytes.size());
}

ServiceManager ServiceManager::from_environment() {
  constexpr const char* variable = "NOTIFY_SOCKET";
  const char* path = std::getenv(variable);
  ServiceManager manager{path ? path : ""};
  unsetenv(variable);
  return manager;
}

// systemd 253 and later (Type=notify-reload) wants the time too, to tell this reload from the last.
void ServiceManager::reloading() const {
  timespec now{};
  clock_gettime(CLOCK_MONOTONIC, &now);
  const auto us = static_cast<long long>(now.tv_sec) * 1'000'000 + now.tv_nsec / 1000;
  tell("RELOADING=1\nMONOTONIC_USEC=" + std::to_string(us));
}

void ServiceManager::tell(std::string_view state) const {
  if (!socket_path_.empty()) (void)send_datagram(socket_path_, state);
}

}  // namespace sluice
