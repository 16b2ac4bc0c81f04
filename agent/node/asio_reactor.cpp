// asio_reactor.cpp: descriptors, timers and the helper thread.
#include "agent/node/asio_reactor.h"

#include <boost/asio/io_context.hpp>
#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>

#include "common/base/clock.h"

namespace sluice::agent {

namespace asio = boost::asio;

struct AsioReactor::Parts {
  explicit Parts(IoContext& loop) : io(loop) {}

  IoContext& io;
  std::unordered_map<int, asio::posix::stream_descriptor> watched;
  std::map<std::string, asio::steady_timer> named;
  asio::thread_pool helper{1};
};

AsioReactor::AsioReactor(IoContext& io) : parts_(std::make_unique<Parts>(io)) {}

AsioReactor::~AsioReactor() {
  // The descriptors belong to their owners.
  for (auto& [fd, descriptor] : parts_->watched) descriptor.release();
  parts_->helper.join();
}

void AsioReactor::when_readable(int fd, std::function<void()> ready) {
  auto at = parts_->watched.find(fd);
  if (at == parts_->watched.end())
    at = parts_->watched.emplace(fd, asio::posix::stream_descriptor{parts_->io, fd}).first;
  at->second.async_wait(asio::posix::stream_descriptor::wait_read,
                        [ready = std::move(ready)](const boost::system::error_code& failed) {
                          if (!failed) ready();
                        });
}

void AsioReactor::forget(int fd) {
  const auto at = parts_->watched.find(fd);
  if (at == parts_->watched.end()) return;
  at->second.release();
  parts_->watched.erase(at);
}

void AsioReactor::after(Duration delay, std::function<void()> due) {
  auto timer = std::make_shared<asio::steady_timer>(parts_->io, delay);
  timer->async_wait([timer, due = std::move(due)](const boost::system::error_code& failed) {
    if (!failed) due();
  });
}

void AsioReactor::in_background(std::function<void()> work, std::function<void()> done) {
  // The loop must not end while a work is out: keep it busy until `done` was queued.
  asio::post(parts_->helper, [this, work = std::move(work), done = std::move(done)]() mutable {
    work();
    asio::post(parts_->io, std::move(done));
  });
}

void AsioReactor::at(const std::string& name, SteadyTime when, std::function<void()> due) {
  const auto delay = std::max(when - read_clocks().steady, Duration::zero());
  auto timer = parts_->named.find(name);
  if (timer == parts_->named.end())
    timer = parts_->named.emplace(name, asio::steady_timer{parts_->io}).first;
  timer->second.expires_after(delay);  // cancels what was armed before
  timer->second.async_wait(
      [this, name, due = std::move(due)](const boost::system::error_code& failed) {
        if (failed) return;
        parts_->named.erase(name);
        due();
      });
}

}  // namespace sluice::agent
