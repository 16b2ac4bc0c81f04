// network.cpp: see network.h.
#include "tests/sim/network.h"

#include <algorithm>

namespace sluice::sim {

Network::Network(Timeline& timeline, Random& random, std::size_t hosts)
    : timeline_(timeline), random_(random), cuts_(hosts, std::vector<int>(hosts, 0)) {}

// What waits for a close holds its connection.
Network::~Network() {
  for (const auto& known : connections_)
    if (const ConnectionRef connection = known.lock())
      for (Connection::End& end : connection->ends) end.on_closed = {};
}

Duration Network::delay() { return random_.skewed(Duration{50}, delay_max_); }

void Network::heal(Host from, Host to) {
  if (--cuts_[from][to] == 0) flush(from, to);
}

void Network::flush(Host from, Host to) {
  std::erase_if(connections_, [](const auto& known) { return known.expired(); });
  for (const auto& known : connections_) {
    const ConnectionRef connection = known.lock();
    for (int side = 0; side < 2; ++side) {
      Connection::End& end = connection->ends[side];
      if (end.host != from || connection->ends[1 - side].host != to) continue;
      std::deque<Task> stuck = std::exchange(end.stuck, {});
      for (Task& task : stuck) deliver(connection, side, std::move(task));
    }
  }
}

void Network::datagram(Host from, Host to, Task on_arrival) {
  if (!can_send(from, to) || random_.one_in(20)) return;
  timeline_.after(delay(), std::move(on_arrival));
}

ConnectionRef Network::connect(Host from, Host to) {
  auto connection = std::make_shared<Connection>();
  connection->id = next_id_++;
  connection->ends[0].host = from;
  connection->ends[1].host = to;
  connections_.push_back(connection);
  return connection;
}

void Network::send(const ConnectionRef& connection, int side, Task on_arrival) {
  Connection::End& from = connection->ends[side];
  const Connection::End& to = connection->ends[1 - side];
  if (!can_send(from.host, to.host)) return from.stuck.push_back(std::move(on_arrival));
  if (connection->broken) {
    // A reset comes back for what nobody expects any more.
    if (can_send(to.host, from.host))
      timeline_.after(2 * delay(), [this, connection, side] { tell_closed(connection, side); });
    return;
  }
  deliver(connection, side, std::move(on_arrival));
}

void Network::deliver(const ConnectionRef& connection, int side, Task on_arrival) {
  Connection::End& from = connection->ends[side];
  const Duration arrival = std::max(from.last_arrival, timeline_.now() + delay());
  from.last_arrival = arrival;
  timeline_.after(arrival - timeline_.now(), [connection, side, task = std::move(on_arrival)] {
    if (!connection->broken && connection->ends[1 - side].open) task();
  });
}

void Network::tell_closed(const ConnectionRef& connection, int side) {
  Connection::End& end = connection->ends[side];
  if (!end.open) return;
  end.open = false;
  const Task on_closed = std::exchange(end.on_closed, {});
  if (on_closed) on_closed();
}

void Network::close(const ConnectionRef& connection, int side) {
  Connection::End& end = connection->ends[side];
  if (!end.open) return;
  end.open = false;
  end.on_closed = {};
  send(connection, side, [this, connection, side] { tell_closed(connection, 1 - side); });
}

void Network::reset(const ConnectionRef& connection) {
  connection->broken = true;
  for (int side = 0; side < 2; ++side)
    timeline_.after(random_.skewed(ms(1), seconds(20)),
                    [this, connection, side] { tell_closed(connection, side); });
}

void Network::vanish(const ConnectionRef& connection, int side) {
  connection->ends[side].open = false;
  connection->ends[side].on_closed = {};
  connection->broken = true;
  timeline_.after(random_.between(seconds(5), seconds(60)),
                  [this, connection, side] { tell_closed(connection, 1 - side); });
}

}  // namespace sluice::sim
