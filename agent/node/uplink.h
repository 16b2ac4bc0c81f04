// uplink.h: the one connection of this node to its controller: dialled again and again, with a growing
// wait. It knows frames, not what they mean.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

#include "common/model/config.h"
#include "common/net/connection.h"
#include "common/net/dialer.h"
#include "common/net/io_fwd.h"
#include "common/wire/frame.h"

namespace sluice::agent {

class AsioReactor;

struct UplinkHandlers {
  std::function<void()> on_connected;
  std::function<void(const FrameHeader&, std::string payload)> on_frame;
  std::function<void()> on_disconnected;
};

class Uplink {
 public:
  Uplink(IoContext& io, AsioReactor& reactor, DialTarget target, std::string key_file,
         UplinkHandlers handlers);
  ~Uplink();

  void start();
  bool is_connected() const { return connection_ != nullptr; }
  template <class Message>
  void send(std::uint32_t request, const Message& message, Priority priority = Priority::urgent) {
    if (connection_) connection_->send_message(request, message, priority);
  }
  // Of the next dial.
  void set_target(DialTarget target) { target_ = std::move(target); }
  // Looks at the key file again; the keys that are accepted from now on, in words. The present
  // connection stays. Errors: key_unusable, and the former keys stay.
  Result<std::string> reload_keys();
  // Ends the present connection; on_disconnected follows, and another dial.
  void drop(const std::string& why);

 private:
  void dial();
  void on_dialled(Result<ConnectionPtr> outcome);
  void on_lost(const Error& why);
  void dial_later(const Error& why);

  IoContext& io_;
  AsioReactor& reactor_;
  DialTarget target_;
  std::string key_file_;
  UplinkHandlers handlers_;
  std::shared_ptr<KeyRing> keys_;
  DialPtr dial_;
  ConnectionPtr connection_;
  std::uint32_t attempt_ = 0;
  std::string last_error_;  // said once, not at every attempt
};

}  // namespace sluice::agent
