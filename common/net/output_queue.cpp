// output_queue.cpp: see output_queue.h.
#include "common/net/output_queue.h"

#include <utility>

#include "common/base/assert.h"

namespace sluice {
namespace {

constexpr std::size_t shared_piece_bytes = 64U << 10;
constexpr std::size_t small_payload_bytes = 8U << 10;
constexpr std::size_t spare_bytes_max = 2 * shared_piece_bytes;

}  // namespace

void OutputQueue::push(FrameHeader header, std::string payload, Priority priority) {
  header.payload_bytes = static_cast<std::uint32_t>(payload.size());
  Pieces& pieces = queue_of(priority);
  const bool is_small = payload.size() <= small_payload_bytes;
  const bool shares = !pieces.empty() && pieces.back().ends_frame &&
                      pieces.back().bytes.size() + payload.size() <= shared_piece_bytes;
  bytes_ += frame_header_bytes + payload.size();
  if (!shares) pieces.push_back({std::exchange(spare_, {}), true});
  pieces.back().bytes += to_bytes(header);
  if (is_small) {
    pieces.back().bytes += payload;
    return;
  }
  pieces.back().ends_frame = false;
  pieces.push_back({std::move(payload), true});
}

std::string_view OutputQueue::front() {
  if (!current_) {
    if (empty()) return {};
    current_ = urgent_.empty() ? &bulk_ : &urgent_;
  }
  return std::string_view{current_->front().bytes}.substr(written_);
}

void OutputQueue::pop(std::size_t bytes) {
  ASSERT(current_ != nullptr);
  Piece& piece = current_->front();
  written_ += bytes;
  ASSERT(written_ <= piece.bytes.size());
  bytes_ -= bytes;
  if (written_ < piece.bytes.size()) return;
  written_ = 0;
  const bool ends_frame = piece.ends_frame;
  if (spare_.capacity() == 0 && piece.bytes.capacity() <= spare_bytes_max) {
    spare_ = std::move(piece.bytes);
    spare_.clear();
  }
  current_->pop_front();
  if (ends_frame) current_ = nullptr;
}

}  // namespace sluice
