// service_manager.h: tells the service manager that started this program (systemd, Type=notify)
// what becomes of it: one datagram to the socket that NOTIFY_SOCKET names. Without one all does
// nothing.
#pragma once

#include <string>
#include <string_view>

namespace sluice {

// False: it could not be sent; best effort. A path that begins with '@' is of the abstract
// namespace.
bool send_datagram(const std::string& socket_path, std::string_view bytes);

class ServiceManager {
 public:
  // Takes NOTIFY_SOCKET out of the environment: what this program starts must not speak for it.
  // To be called before there are threads.
  static ServiceManager from_environment();

  // It serves from now on, or again after reloading().
  void ready() const { tell("READY=1"); }
  // The configuration is read again; ready() must follow.
  void reloading() const;
  void stopping() const { tell("STOPPING=1"); }

 private:
  explicit ServiceManager(std::string socket_path) : socket_path_(std::move(socket_path)) {}
  void tell(std::string_view state) const;

  std::string socket_path_;  // empty: nobody wants to know
};

}  // namespace sluice
