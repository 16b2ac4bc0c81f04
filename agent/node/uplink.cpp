// uplink.cpp: dial, prove, start, and again.
#include "agent/node/uplink.h"

#include <random>
#include <utility>

#include "agent/node/asio_reactor.h"
#include "common/base/clock.h"
#include "common/log/log.h"

namespace sluice::agent {

Uplink::Uplink(IoContext& io, AsioReactor& reactor, DialTarget target, std::string key_file,
               UplinkHandlers handlers)
    : io_(io), reactor_(reactor), target_(std::move(target)), key_file_(std::move(key_file)),
      handlers_(std::move(handlers)) {}

Uplink::~Uplink() {
  if (connection_) connection_->close();
}

void Uplink::start() { dial(); }

Result<std::string> Uplink::reload_keys() {
  const Now now = read_clocks();
  if (keys_) TRY(keys_->reload(now));
  else keys_ = std::make_shared<KeyRing>(TRY(KeyRing::load(key_file_, now)));
  return keys_->description(now);
}

void Uplink::dial() {
  const Now now = read_clocks();
  // A key that is put there, or changed, while the agent runs is used at the next dial.
  if (keys_) {
    if (const auto reloaded = keys_->reload_if_changed(now); !reloaded.ok())
      log_warning(to_text(reloaded.error()));
  } else {
    auto keys = KeyRing::load(key_file_, now);
    if (!keys.ok()) return dial_later(keys.error());
    keys_ = std::make_shared<KeyRing>(std::move(*keys));
  }
  dial_ = dial_tls(io_, target_, keys_, [this](Result<ConnectionPtr> outcome) {
    on_dialled(std::move(outcome));
  });
}

void Uplink::on_dialled(Result<ConnectionPtr> outcome) {
  dial_.reset();
  if (!outcome.ok()) return dial_later(outcome.error());
  connection_ = std::move(*outcome);
  last_error_.clear();
  log_info("connected to the controller at " + target_.host);
  ConnectionHandlers handlers;
  handlers.on_frame = [this](const FrameHeader& header, std::string payload) {
    attempt_ = 0;  // it speaks: the next loss begins with short waits again
    handlers_.on_frame(header, std::move(payload));
  };
  handlers.on_closed = [this](const Error& why) { on_lost(why); };
  connection_->start(std::move(handlers));
  handlers_.on_connected();
}

void Uplink::on_lost(const Error& why) {
  connection_.reset();
  handlers_.on_disconnected();
  dial_later(why);
}

void Uplink::drop(const std::string& why) {
  if (!connection_) return;
  connection_->close();
  on_lost(Error{ErrorCode::io_error, why});
}

void Uplink::dial_later(const Error& why) {
  const std::string text = to_text(why);
  if (text != last_error_) log_warning("controller at " + target_.host + ": " + text);
  last_error_ = text;
  static std::minstd_rand random{std::random_device{}()};
  reactor_.at("dial " + target_.node, read_clocks().steady + retry_delay(++attempt_, random()),
              [this] { dial(); });
}

}  // namespace sluice::agent
