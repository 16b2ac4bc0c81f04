// connection.h: one blocking connection of a measuring program to the controller of SLUICE_CONF.
// Whatever goes wrong ends the program: it measures, and has nothing to repair.
#pragma once

#include <sys/socket.h>
#include <sys/un.h>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <string_view>
#include <utility>

#include "common/base/result.h"
#include "common/options/config_file.h"
#include "common/wire/frame.h"
#include "common/wire/message_type.h"

namespace sluice::bench {

[[noreturn]] inline void give_up(const std::string& why) {
  std::fprintf(stderr, "%s: %s\n", program_invocation_short_name, why.c_str());
  std::exit(1);
}

template <class T>
T must(Result<T> result) {
  if (!result.ok()) give_up(to_text(result.error()));
  return std::move(result).value();
}

inline int connect_to_controller() {
  const std::string path = must(find_and_read_config()).config.paths.controller_socket;
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  path.copy(address.sun_path, sizeof address.sun_path - 1);
  const int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (connect(fd, reinterpret_cast<sockaddr*>(&address), sizeof address) != 0) give_up(path);
  return fd;
}

inline void send_frame(int fd, MessageType type, std::uint32_t request,
                       const std::string& payload) {
  const std::string bytes = to_bytes(FrameHeader{static_cast<std::uint32_t>(payload.size()),
                                                 static_cast<std::uint16_t>(type), request}) +
                            payload;
  std::string_view left = bytes;
  while (!left.empty()) {
    const ssize_t sent = send(fd, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent <= 0) give_up("the controller closed the connection");
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
}

inline std::string receive_exactly(int fd, std::size_t size) {
  std::string bytes(size, '\0');
  if (size > 0 && recv(fd, bytes.data(), size, MSG_WAITALL) != static_cast<ssize_t>(size))
    give_up("the controller closed the connection");
  return bytes;
}

struct Frame {
  MessageType type{};
  std::string payload;
};

inline Frame receive_frame(int fd) {
  const FrameHeader header =
      must(parse_frame_header(receive_exactly(fd, frame_header_bytes), frame_payload_bytes_max));
  return {static_cast<MessageType>(header.type), receive_exactly(fd, header.payload_bytes)};
}

}  // namespace sluice::bench
