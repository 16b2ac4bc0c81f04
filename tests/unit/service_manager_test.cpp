// service_manager_test.cpp: what the service manager is told, and that nothing else is.
#include "common/base/service_manager.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <cstddef>
#include <cstdlib>
#include <cstring>

#include <catch2/catch.hpp>

#include "common/base/file.h"
#include "tests/unit/net_support.h"

using namespace sluice;
using namespace sluice::net_test;

namespace {

constexpr const char* variable = "NOTIFY_SOCKET";

// The manager's end. `name` begins with '@' for an abstract one.
class Inbox {
 public:
  explicit Inbox(const std::string& name) {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    REQUIRE(name.size() < sizeof address.sun_path);
    std::memcpy(address.sun_path, name.data(), name.size());
    if (name.front() == '@') address.sun_path[0] = '\0';
    const auto size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + name.size());
    REQUIRE(bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), size) == 0);
  }
  // The next message; empty: there is none.
  std::string next() {
    char bytes[256];
    const ssize_t size = recv(socket_.get(), bytes, sizeof bytes, MSG_DONTWAIT);
    return size > 0 ? std::string(bytes, static_cast<std::size_t>(size)) : std::string{};
  }

 private:
  UniqueFd socket_{socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
};

}  // namespace

TEST_CASE("the service manager is told of readiness, reload and end", "[service]") {
  const Folder folder;
  for (const std::string& name : {folder.path + "/notify", "@sluice-test-" + folder.path}) {
    INFO(name);
    Inbox inbox{name};
    setenv(variable, name.c_str(), 1);
    const ServiceManager manager = ServiceManager::from_environment();
    CHECK(std::getenv(variable) == nullptr);  // children do not speak for this program
    CHECK(inbox.next().empty());
    manager.ready();
    manager.reloading();
    manager.stopping();
    CHECK(inbox.next() == "READY=1");
    const std::string reloading = inbox.next();
    CHECK(reloading.starts_with("RELOADING=1\nMONOTONIC_USEC="));
    CHECK(std::strtoull(reloading.c_str() + reloading.rfind('=') + 1, nullptr, 10) > 0);
    CHECK(inbox.next() == "STOPPING=1");
  }
}

TEST_CASE("a program that no manager started, or one that is gone, tells nobody", "[service]") {
  unsetenv(variable);
  ServiceManager::from_environment().ready();
  const Folder folder;
  CHECK_FALSE(send_datagram(folder.path + "/nobody", "READY=1"));
  CHECK_FALSE(send_datagram(std::string(200, 'x'), "READY=1"));
  CHECK_FALSE(send_datagram("", "READY=1"));
}
