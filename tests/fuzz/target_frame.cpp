// target_frame.cpp: the bytes of a socket become the same frames in whatever parts they arrive, and
// frames are nothing but those bytes.
#include "common/net/frame_reader.h"
#include "common/wire/frame.h"
#include "tests/fuzz/fuzz.h"
#include "tests/fuzz/memory_watch.h"

using namespace sluice;
using namespace sluice::fuzz;

namespace {

struct Reading {
  std::string frames;  // written again, one behind the other
  bool is_refused = false;
  bool is_mid_frame = false;

  bool operator==(const Reading&) const = default;
};

Reading read_in_parts(std::string_view stream, std::size_t part_bytes, std::uint32_t payload_max) {
  Reading reading;
  FrameReader reader(payload_max);
  while (!stream.empty() && !reading.is_refused) {
    const std::string_view part = stream.substr(0, part_bytes);
    stream.remove_prefix(part.size());
    const Result<void> fed =
        reader.feed(part, [&](const FrameHeader& header, const std::string& payload) {
          require(payload.size() == header.payload_bytes, "a payload has the size its header says");
          require(header.payload_bytes <= payload_max, "a payload is not larger than allowed");
          reading.frames += to_bytes(header) + payload;
          return true;
        });
    if (!fed.ok()) require_refusal(fed.error(), {ErrorCode::protocol_error});
    reading.is_refused = !fed.ok();
  }
  reading.is_mid_frame = !reading.is_refused && reader.is_mid_frame();
  return reading;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Bytes bytes(text_of(data, size));
  const auto payload_max = static_cast<std::uint32_t>(bytes.number());
  const std::size_t part_bytes = 1 + bytes.byte() % 40;
  const std::string_view stream = bytes.rest();
  const Reading whole = in_proportion(
      stream, 8, [&] { return read_in_parts(stream, stream.size() + 1, payload_max); });
  require(whole == read_in_parts(stream, part_bytes, payload_max), "parts change nothing");
  require(stream.starts_with(whole.frames), "frames are the bytes of the stream");
  if (!whole.is_refused && !whole.is_mid_frame)
    require(stream == whole.frames, "no byte is lost between frames");
  return 0;
}
