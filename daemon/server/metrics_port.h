// metrics_port.h: serves GET /metrics over HTTP/1.1, and nothing else, on an address of its own
// (SluiceMetricsAddr). Anyone who reaches it may read it: it tells user and account names, so the
// default is loopback. Peers are bounded in number, in bytes and in time. Runs on the loop; the
// text is made elsewhere.
#pragma once

#include <functional>
#include <memory>
#include <string>

#include "common/base/result.h"
#include "common/net/io_fwd.h"

namespace sluice {

class MetricsPort {
 public:
  // Makes the text and hands it to `then`, on the loop, later.
  using Scrape = std::function<void(std::function<void(std::string text)> then)>;

  // `place`: "127.0.0.1:6829", "[::1]:6829". Errors: invalid_argument, io_error.
  static Result<std::unique_ptr<MetricsPort>> listen(IoContext& io, const std::string& place,
                                                     Scrape scrape);
  virtual ~MetricsPort() = default;  // closes the port; answers under way are dropped
};

// Where metrics are served now, if anywhere.
class MetricsService {
 public:
  MetricsService(IoContext& io, MetricsPort::Scrape scrape) : io_(io), scrape_(std::move(scrape)) {}

  // Serves at `place` (empty: nowhere) and no longer where it did; peers of the old place are not
  // answered any more. On an error, config_invalid with the key, nothing changes.
  Result<void> move_to(const std::string& place);

 private:
  IoContext& io_;
  MetricsPort::Scrape scrape_;
  std::string place_;
  std::unique_ptr<MetricsPort> port_;
};

}  // namespace sluice
