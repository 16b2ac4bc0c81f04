// witnesses.cpp: one responder, and one round at a time.
#include "agent/node/witnesses.h"

#include <utility>

#include "common/log/log.h"

namespace sluice::agent {

Witnesses::Witnesses(IoContext& io, std::string node, std::uint16_t port,
                     std::function<WitnessStatus()> status, std::function<void(Event)> report)
    : io_(io), node_(std::move(node)), port_(port), status_(std::move(status)),
      report_(std::move(report)) {}

void Witnesses::accept(const NodeAccepted& accepted) {
  accepted_ = accepted;
  if (!accepted_.leases || accepted_.witness_key.empty()) return;
  if (responder_) responder_->set_secrets({accepted_.witness_key});
  else open_port();
}

void Witnesses::open_port() {
  auto opened = open_witness_responder(io_, {"", port_}, {accepted_.witness_key},
                                       [this](const std::string&) { return status_(); });
  if (opened.ok()) responder_ = std::move(*opened);
  else log_warning("this node cannot be a witness: " + to_text(opened.error()));
}

void Witnesses::ask(const AskWitnesses& order) {
  WitnessQuestion question;
  question.from = node_;
  question.list = order.list;
  for (const Witness& witness : accepted_.witnesses)
    if (witness.node != node_) question.witnesses.push_back(witness);
  if (question.witnesses.empty()) return;
  round_ = ask_witnesses(
      io_, std::move(question), {accepted_.witness_key},
      [this, round = order.round](const std::vector<WitnessAnswer>& answers) {
        for (const WitnessAnswer& answer : answers)
          report_(WitnessAnswered{answer.node, answer.status.list, round,
                                  std::chrono::milliseconds{answer.status.silence_ms}});
      });
}

}  // namespace sluice::agent
