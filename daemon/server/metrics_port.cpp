// metrics_port.cpp: Boost.Beast does the HTTP.
#include "daemon/server/metrics_port.h"

#include <fmt/format.h>

#include <boost/asio/ip/tcp.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <charconv>

namespace sluice {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = boost::beast::http;
using asio::ip::tcp;

constexpr std::size_t peers_max = 32;
constexpr std::uint32_t header_bytes_max = 8192;
constexpr std::chrono::seconds idle_max{120};  // longer than scrapes are apart
constexpr const char* content_type = "application/openmetrics-text; version=1.0.0; charset=utf-8";

using Response = http::response<http::string_body>;

struct Shared {
  MetricsPort::Scrape scrape;
  std::size_t peers = 0;
  bool closed = false;
};

// One peer: request after request until it goes, is silent or breaks the protocol.
class Peer : public std::enable_shared_from_this<Peer> {
 public:
  Peer(tcp::socket socket, std::shared_ptr<Shared> shared)
      : stream_(std::move(socket)), shared_(std::move(shared)) {
    ++shared_->peers;
  }
  ~Peer() { --shared_->peers; }

  void read() {
    parser_.emplace();
    parser_->header_limit(header_bytes_max);
    parser_->body_limit(0);
    stream_.expires_after(idle_max);
    http::async_read(stream_, buffer_, *parser_,
                     [self = shared_from_this()](beast::error_code error, std::size_t) {
                       if (!error) self->answer();
                     });
  }

 private:
  void answer() {
    if (shared_->closed) return;
    const auto& request = parser_->get();
    const auto path = request.target().substr(0, request.target().find('?'));
    const bool reads = request.method() == http::verb::get || request.method() == http::verb::head;
    if (!reads) return send(http::status::method_not_allowed, "text/plain", "only GET is served\n");
    if (path != "/metrics")
      return send(http::status::not_found, "text/plain", "only /metrics is served\n");
    shared_->scrape([self = shared_from_this()](std::string text) {
      self->send(http::status::ok, content_type, std::move(text));
    });
  }

  void send(http::status status, const char* type, std::string body) {
    const auto& request = parser_->get();
    response_ = Response(status, request.version());
    response_.set(http::field::content_type, type);
    response_.keep_alive(request.keep_alive());
    const std::size_t size = body.size();
    if (request.method() != http::verb::head) response_.body() = std::move(body);
    response_.content_length(size);
    stream_.expires_after(idle_max);
    http::async_write(stream_, response_,
                      [self = shared_from_this()](beast::error_code error, std::size_t) {
                        if (!error && self->response_.keep_alive()) self->read();
                      });
  }

  beast::tcp_stream stream_;
  std::shared_ptr<Shared> shared_;
  beast::flat_buffer buffer_{header_bytes_max};
  std::optional<http::request_parser<http::empty_body>> parser_;
  Response response_;
};

class Port : public MetricsPort {
 public:
  Port(tcp::acceptor acceptor, Scrape scrape)
      : acceptor_(std::move(acceptor)), shared_(std::make_shared<Shared>()) {
    shared_->scrape = std::move(scrape);
    accept();
  }
  ~Port() override { shared_->closed = true; }

 private:
  // A peer may have been taken while the port was closed: then `this` is gone.
  void accept() {
    acceptor_.async_accept([this, shared = shared_](beast::error_code error, tcp::socket socket) {
      if (shared->closed || error == asio::error::operation_aborted) return;
      if (!error && shared_->peers < peers_max)
        std::make_shared<Peer>(std::move(socket), shared_)->read();
      accept();
    });
  }

  tcp::acceptor acceptor_;
  std::shared_ptr<Shared> shared_;
};

Result<tcp::endpoint> parse_place(const std::string& place) {
  const std::size_t colon = place.rfind(':');
  std::string host = place.substr(0, colon);
  if (host.starts_with('[') && host.ends_with(']')) host = host.substr(1, host.size() - 2);
  std::uint16_t port = 0;
  const char* end = place.data() + place.size();
  const bool has_port =
      colon != std::string::npos && std::from_chars(place.data() + colon + 1, end, port).ptr == end;
  beast::error_code error;
  const auto address = asio::ip::make_address(host, error);
  if (!has_port || error)
    return Error{ErrorCode::invalid_argument,
                 fmt::format("{} is no numeric address with a port", place)};
  return tcp::endpoint(address, port);
}

}  // namespace

Result<std::unique_ptr<MetricsPort>> MetricsPort::listen(IoContext& io, const std::string& place,
                                                         Scrape scrape) {
  const tcp::endpoint endpoint = TRY(parse_place(place));
  tcp::acceptor acceptor(io);
  beast::error_code error;
  acceptor.open(endpoint.protocol(), error);
  if (!error) acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) acceptor.bind(endpoint, error);
  if (!error) acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error) return Error{ErrorCode::io_error, fmt::format("{}: {}", place, error.message())};
  return std::unique_ptr<MetricsPort>(
      std::make_unique<Port>(std::move(acceptor), std::move(scrape)));
}

Result<void> MetricsService::move_to(const std::string& place) {
  if (place == place_ && (port_ || place.empty())) return {};
  Result<std::unique_ptr<MetricsPort>> next = std::unique_ptr<MetricsPort>();
  if (!place.empty()) next = MetricsPort::listen(io_, place, scrape_);
  if (!next && port_) {
    // The old place may be a part of the new one: 127.0.0.1:6829 of 0.0.0.0:6829.
    port_.reset();
    next = MetricsPort::listen(io_, place, scrape_);
    if (!next)
      if (auto again = MetricsPort::listen(io_, place_, scrape_)) port_ = std::move(again).value();
  }
  if (!next)
    return Error{ErrorCode::config_invalid,
                 fmt::format("SluiceMetricsAddr={}", next.error().detail)};
  port_ = std::move(next).value();
  place_ = place;
  return {};
}

}  // namespace sluice
