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

namespace {
// A member that is a list, with as many elements of no bytes as there are bytes.
std::string empty_elements(std::string_view member, std::size_t count) {
  const std::uint16_t tag = codec::tag_of(member);
  std::string bytes{static_cast<char>(tag & 0xff), static_cast<char>(tag >> 8)};
  codec::put_varint(bytes, count);
  return bytes.append(count, '\0');
}

std::string one_range(std::uint32_t first, std::uint32_t last, std::uint32_t step) {
  return to_bytes(IndexSet{{{first, last, step}}});
}
}  // namespace

TEST_CASE("a list of elements without bytes cannot take memory without end") {
  REQUIRE(from_bytes<QueryNodes>(empty_elements("nodes", 1000))->nodes.size() == 1000);
  REQUIRE(from_bytes<JobsReply>(empty_elements("jobs", 1000))->jobs.size() == 1000);
  const std::string many = empty_elements("jobs", 1'000'000);
  const Result<JobsReply> decoded = from_bytes<JobsReply>(many);
  REQUIRE_FALSE(decoded.ok());
  REQUIRE(decoded.error().code == ErrorCode::protocol_error);
}

TEST_CASE("a set of tasks that could not be walked through is not decoded") {
  REQUIRE(from_bytes<IndexSet>(one_range(0, 8, 2)).value() == IndexSet{{{0, 8, 2}}});
  REQUIRE_FALSE(from_bytes<IndexSet>(one_range(0, 5, 0)).ok());
  REQUIRE_FALSE(from_bytes<IndexSet>(one_range(5, 0, 1)).ok());
  REQUIRE_FALSE(from_bytes<IndexSet>(one_range(0, 7, 2)).ok());
  const IndexSet falling{{{5, 6, 1}, {1, 2, 1}}};
  REQUIRE_FALSE(from_bytes<IndexSet>(to_bytes(falling)).ok());
  SubmitJob submit = example_submit();
  submit.spec.start.array.tasks.ranges = {{1, 9, 0}};
  REQUIRE_FALSE(from_bytes<SubmitJob>(to_bytes(submit)).ok());
}

TEST_CASE("a number that is too large for its code is refused, not cut") {
  std::string bytes = to_bytes(ErrorReply{ErrorCode::invalid_time, {}, {}});
  REQUIRE(from_bytes<ErrorReply>(bytes)->code == ErrorCode::invalid_time);
  bytes.erase(2);
  codec::put_varint(bytes, 3);
  codec::put_varint(bytes, 65536 + 2);
  REQUIRE_FALSE(from_bytes<ErrorReply>(bytes).ok());
}
