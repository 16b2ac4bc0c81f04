// output_queue.h: frames waiting to be written, as few large pieces of bytes. Small frames share a
// piece, a large payload stays the string it came in. Pure.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <string_view>

#include "common/wire/frame.h"

namespace sluice {

// Urgent frames pass bulk frames (script and environment chunks) that were queued before them.
enum class Priority { urgent, bulk };

class OutputQueue {
 public:
  // Sets payload_bytes of the header.
  void push(FrameHeader header, std::string payload, Priority priority);

  bool empty() const { return bytes_ == 0; }
  std::size_t bytes() const { return bytes_; }

  // The next bytes to write; not empty unless the queue is. Stays the beginning of what a later call
  // gives until it was taken, as a half-written TLS record requires.
  std::string_view front();
  void pop(std::size_t bytes);

 private:
  struct Piece {
    std::string bytes;
    bool ends_frame = true;  // another queue's piece may follow
  };
  using Pieces = std::deque<Piece>;

  Pieces& queue_of(Priority priority) { return priority == Priority::urgent ? urgent_ : bulk_; }

  Pieces urgent_;
  Pieces bulk_;
  Pieces* current_ = nullptr;    // the queue whose first piece is partly written, or must go on
  std::size_t written_ = 0;      // of current_'s first piece
  std::size_t bytes_ = 0;
  std::string spare_;            // a drained piece, to be filled again
};

}  // namespace sluice
