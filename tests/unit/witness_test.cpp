// witness_test.cpp: the witness protocol on loopback: who is answered, who is not, and what counts.
#include "common/net/witness.h"

#include <catch2/catch.hpp>
#include <sys/socket.h>

#include <boost/asio/io_context.hpp>
#include <optional>

#include "common/net/sockets.h"
#include "common/net/witness_packet.h"

using namespace sluice;

namespace {

const std::string secret(32, 's');
const std::string old_secret(32, 'o');

WitnessPacket question() {
  WitnessPacket packet;
  packet.nonce = std::string(witness_nonce_bytes, 'n');
  packet.list = 7;
  packet.from = "n1";
  return packet;
}

struct Responder {
  std::unique_ptr<WitnessResponder> responder;
  std::vector<std::string> asked_by;

  Responder(IoContext& io, std::uint64_t silence_ms, WitnessSecrets secrets = {secret}) {
    auto made = open_witness_responder(io, {"127.0.0.1", 0}, std::move(secrets),
                                       [this, silence_ms](const std::string& from) {
                                         asked_by.push_back(from);
                                         return WitnessStatus{.list = 7, .silence_ms = silence_ms};
                                       });
    REQUIRE(made);
    responder = *std::move(made);
  }
  Witness place(const std::string& node) const { return {node, "127.0.0.1", responder->port()}; }
};

std::vector<WitnessAnswer> ask(IoContext& io, std::vector<Witness> witnesses,
                               WitnessSecrets secrets = {secret},
                               std::chrono::milliseconds wait = std::chrono::seconds{20}) {
  std::optional<std::vector<WitnessAnswer>> answers;
  const auto round =
      ask_witnesses(io, {.from = "n1", .list = 7, .witnesses = std::move(witnesses), .wait = wait},
                    std::move(secrets), [&](const auto& came) { answers = came; });
  while (!answers) {
    io.restart();
    io.run_one_for(std::chrono::seconds{1});
  }
  return *answers;
}

}  // namespace

TEST_CASE("a sealed witness packet opens with its secret only, and only whole", "[net]") {
  const std::string sealed = seal_witness_packet(question(), secret);
  const std::vector<std::string> both{old_secret, secret};
  const auto opened = open_witness_packet(sealed, both);
  REQUIRE(opened);
  CHECK(opened->packet == question());
  CHECK(opened->secret_index == 1);
  CHECK_FALSE(open_witness_packet(sealed, std::vector{old_secret}));
  for (std::size_t size = 0; size < sealed.size(); ++size)
    REQUIRE_FALSE(open_witness_packet(sealed.substr(0, size), both));
  for (std::size_t at = 0; at < sealed.size(); ++at) {
    std::string changed = sealed;
    changed[at] = static_cast<char>(changed[at] ^ 1);
    REQUIRE_FALSE(open_witness_packet(changed, both));
  }
}

TEST_CASE("an answer is never longer than its question", "[net]") {
  WitnessPacket answer = question();
  answer.kind = WitnessKind::answer;
  answer.from.clear();
  CHECK(seal_witness_packet(answer, secret).size() < seal_witness_packet(question(), secret).size());
}

TEST_CASE("all witnesses are asked, and their silence is told", "[net]") {
  IoContext io;
  Responder near{io, 10};
  Responder silent{io, 90'000};
  const auto answers = ask(io, {near.place("n2"), silent.place("n3")});
  REQUIRE(answers.size() == 2);
  for (const WitnessAnswer& answer : answers) {
    CHECK(answer.status.list == 7);
    CHECK(answer.status.silence_ms == (answer.node == "n2" ? 10 : 90'000));
  }
  CHECK(near.asked_by == std::vector<std::string>{"n1"});
}

TEST_CASE("witnesses that are gone or have another key do not answer", "[net]") {
  IoContext io;
  Responder near{io, 10};
  Responder stranger{io, 10, {old_secret}};
  const Witness gone = [&] {
    Responder closed{io, 10};
    return closed.place("n4");
  }();
  const auto answers = ask(io, {near.place("n2"), stranger.place("n3"), gone, {"n5", "nowhere", 1}},
                           {secret}, std::chrono::milliseconds{300});
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].node == "n2");
  CHECK(stranger.asked_by.empty());
}

TEST_CASE("nobody to ask is answered at once", "[net]") {
  IoContext io;
  CHECK(ask(io, {}).empty());
  const Witness gone = [&] {
    Responder closed{io, 10};
    return closed.place("n2");
  }();
  CHECK(ask(io, {gone}).empty());  // refused by the host: no need to wait
}

TEST_CASE("both secrets of a rotation are answered, in the secret of the question", "[net]") {
  IoContext io;
  Responder rotated{io, 10, {secret, old_secret}};
  CHECK(ask(io, {rotated.place("n2")}, {old_secret}).size() == 1);
  CHECK(ask(io, {rotated.place("n2")}, {secret}).size() == 1);
  rotated.responder->set_secrets({secret});
  CHECK(ask(io, {rotated.place("n2")}, {old_secret}, std::chrono::milliseconds{100}).empty());
}

TEST_CASE("an answer to another question is not taken", "[net]") {
  IoContext io;
  // A witness that answers with a nonce of its own, and with an echo of the question.
  const Result<SocketAddress> address = make_socket_address("127.0.0.1", 0);
  REQUIRE(address);
  const Descriptor forger{socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0)};
  REQUIRE(bind(forger.get(), address->get(), address->size) == 0);
  bool is_done = false;
  std::vector<WitnessAnswer> answers;
  const auto round = ask_witnesses(
      io,
      {.from = "n1", .list = 7, .witnesses = {{"n2", "127.0.0.1", port_of(forger.get())}},
       .wait = std::chrono::milliseconds{200}},
      {secret}, [&](const auto& came) {
        answers = came;
        is_done = true;
      });
  char bytes[witness_packet_bytes_max];
  SocketAddress sender;
  sender.size = sizeof sender.storage;
  const ssize_t count =
      recvfrom(forger.get(), bytes, sizeof bytes, 0, sender.get(), &sender.size);
  REQUIRE(count > 0);
  const std::string echo{bytes, static_cast<std::size_t>(count)};
  WitnessPacket stale = question();
  stale.kind = WitnessKind::answer;
  stale.from.clear();
  for (const std::string& sent : {echo, seal_witness_packet(stale, secret)})
    REQUIRE(sendto(forger.get(), sent.data(), sent.size(), 0, sender.get(), sender.size) > 0);
  while (!is_done) {
    io.restart();
    io.run_one_for(std::chrono::seconds{1});
  }
  CHECK(answers.empty());
}
