// wire_test.cpp: what is encoded comes back; what is broken is refused.
#include <catch2/catch.hpp>

#include "common/wire/codec.h"
#include "common/wire/frame.h"
#include "common/wire/messages.h"

using namespace sluice;

namespace {
struct Older {
  std::string name;
  bool operator==(const Older&) const = default;
};
BOOST_DESCRIBE_STRUCT(Older, (), (name))
struct Newer {
  std::uint32_t added = 0;
  std::string name;
  bool operator==(const Newer&) const = default;
};
BOOST_DESCRIBE_STRUCT(Newer, (), (added, name))

SubmitJob example_submit() {
  SubmitJob submit;
  submit.key = std::string("\0\1\xff key", 7);
  submit.spec.name = "na\xffme";
  submit.spec.request.ntasks = 0;
  submit.spec.start.array.tasks.ranges = {{1, 9, 2}};
  submit.spec.start.nice = -5;
  submit.script = std::string(70'000, 'x');
  submit.spec.start.dependency.terms = {{DependencyType::afterok, JobId{7}, 3}};
  return submit;
}
}  // namespace

TEST_CASE("a message survives its encoding, any bytes included") {
  const SubmitJob submit = example_submit();
  const Result<SubmitJob> back = from_bytes<SubmitJob>(to_bytes(submit));
  REQUIRE(back.ok());
  REQUIRE(*back == submit);
  REQUIRE(back->spec.request.ntasks.has_value());  // said, though it equals the default
}

TEST_CASE("an older reader skips what it does not know, a newer one fills in defaults") {
  REQUIRE(from_bytes<Older>(to_bytes(Newer{7, "n"}))->name == "n");
  REQUIRE(from_bytes<Newer>(to_bytes(Older{"n"})).value() == Newer{0, "n"});
}

TEST_CASE("every cut of a message is refused or decodes, and never reads past its end") {
  const std::string bytes = to_bytes(example_submit());
  for (std::size_t size = 0; size < bytes.size(); size += size < 300 ? 1 : 997) {
    const std::string cut = bytes.substr(0, size);
    (void)from_bytes<SubmitJob>(cut).ok();
  }
}

TEST_CASE("frame headers: magic, reserved bits and size are checked") {
  const std::string good = to_bytes(FrameHeader{12, 10, 99});
  REQUIRE(parse_frame_header(good, 100).value() == FrameHeader{12, 10, 99});
  REQUIRE(parse_frame_header(good, 11).error().code == ErrorCode::protocol_error);
  std::string bad = good;
  bad[0] = 'X';
  REQUIRE_FALSE(parse_frame_header(bad, 100).ok());
  bad = good;
  bad[10] = 1;
  REQUIRE_FALSE(parse_frame_header(bad, 100).ok());
}
