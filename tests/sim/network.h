// network.h: who can reach whom, and connections that behave as TCP's do: ordered, late, cut without a
// word on one side or both. Hosts are numbered: 0 is the controller's, 1 .. n the nodes.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <utility>
#include <vector>

#include "tests/sim/timeline.h"

namespace sluice::sim {

using Host = std::size_t;

// One connection. `ends[0]` is the side that dialled (a node), `ends[1]` the controller's.
struct Connection {
  struct End {
    Host host = 0;
    bool open = true;               // this side still uses it
    Task on_closed;                 // the other side went, or the kernel gave up
    std::deque<Task> stuck;         // sent from here while the way was cut
    Duration last_arrival{};        // at the other side: order is kept
  };
  std::uint64_t id = 0;
  bool broken = false;              // what is under way is lost
  End ends[2];
};
using ConnectionRef = std::shared_ptr<Connection>;

class Network {
 public:
  Network(Timeline& timeline, Random& random, std::size_t hosts);
  Network(const Network&) = delete;
  Network& operator=(const Network&) = delete;
  ~Network();

  bool can_send(Host from, Host to) const { return cuts_[from][to] == 0; }
  // Cuts add up; heal takes one back. One direction.
  void cut(Host from, Host to) { ++cuts_[from][to]; }
  void heal(Host from, Host to);

  Duration delay();
  void set_delay_max(Duration most) { delay_max_ = most; }

  // A datagram: may be lost.
  void datagram(Host from, Host to, Task on_arrival);
  ConnectionRef connect(Host from, Host to);
  // `side` sends; the task runs at the other side, unless the connection broke.
  void send(const ConnectionRef& connection, int side, Task on_arrival);
  // `side` closes: what it sent still arrives, then the other side learns.
  void close(const ConnectionRef& connection, int side);
  // Lost on the way, as by a router that forgot it: both sides learn, at different times.
  void reset(const ConnectionRef& connection);
  // The side's machine lost its power: nothing is said. The other side learns when it sends,
  // or when its kernel gets no answer (keep-alive).
  void vanish(const ConnectionRef& connection, int side);

 private:
  void flush(Host from, Host to);
  void deliver(const ConnectionRef& connection, int side, Task on_arrival);
  void tell_closed(const ConnectionRef& connection, int side);

  Timeline& timeline_;
  Random& random_;
  std::vector<std::vector<int>> cuts_;
  std::vector<std::weak_ptr<Connection>> connections_;
  std::uint64_t next_id_ = 1;
  Duration delay_max_ = ms(5);
};

}  // namespace sluice::sim
