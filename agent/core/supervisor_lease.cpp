// supervisor_lease.cpp: until when leased runs may live. Two things prolong the lease: an answer of the
// controller, by one lease from the moment the question was sent; and a strict majority of the voters
// (the controller and the witnesses, this node too where it is listed) that has not answered the
// controller for a quarter of a lease, by one lease from the moment they were asked. The controller
// gives a run away only after a lease and more of unbroken answers from such a majority; the two
// majorities share a voter, so both cannot hold at once.
#include <algorithm>

#include "agent/core/supervisor.h"
#include "common/base/assert.h"

namespace sluice::agent {

Duration Supervisor::lease_length() const {
  ASSERT(accepted_.has_value());
  return std::chrono::seconds{accepted_->timeouts.lease_s};
}

bool Supervisor::lease_is_valid(const Now& now) const {
  return !fenced_ || (lease_until_ && now.steady < *lease_until_);
}

void Supervisor::set_lease(std::optional<SteadyTime> until, const Now&, Effects& out) {
  if (until && lease_until_ && *until <= *lease_until_) return;
  lease_until_ = until;
  out.add(SetLease{until});
}

void Supervisor::handle(const HeartbeatReply& event, const Now& now, Effects& out) {
  if (!registered_ || heartbeats_unanswered_.empty())
    return out.add(Ignored{"a reply to no heartbeat"});
  nonce_ = event.nonce;
  const SteadyTime sent = heartbeats_unanswered_.front();
  heartbeats_unanswered_.pop_front();
  if (!fenced_) return;
  set_lease(sent + lease_length(), now, out);
  spawn_waiting(now, out);
}

void Supervisor::handle(const AcceptanceFound& event, const Now& now, Effects& out) {
  accepted_ = event.accepted;
  fenced_ = event.accepted.leases;
  if (fenced_) out.add(ArmTimer{TimerKind::witness_round, {}, now.steady + lease_length() / 8});
}

bool Supervisor::is_voter(const std::string& node) const {
  return std::any_of(accepted_->witnesses.begin(), accepted_->witnesses.end(),
                     [&](const Witness& witness) { return witness.node == node; });
}

void Supervisor::handle(const WitnessRoundDue&, const Now& now, Effects& out) {
  if (!fenced_ || !accepted_) return;
  out.add(ArmTimer{TimerKind::witness_round, {}, now.steady + lease_length() / 8});
  const bool has_leased = std::any_of(runs_.begin(), runs_.end(), [](const auto& entry) {
    return entry.second.leased && entry.second.phase == RunPhase::tended;
  });
  if (!has_leased || silent_for(now) < lease_length() / 4) return;
  round_ += 1;
  round_sent_ = now.steady;
  votes_.clear();
  if (is_voter(self_.node)) votes_.insert(self_.node);
  out.add(AskWitnesses{round_, accepted_->witness_list});
  count_votes(now, out);
}

void Supervisor::handle(const WitnessAnswered& event, const Now& now, Effects& out) {
  const bool counts = fenced_ && accepted_ && event.round == round_ && round_ != 0 &&
                      event.list == accepted_->witness_list && is_voter(event.node);
  if (!counts) return out.add(Ignored{"a late or foreign word of witness " + event.node});
  // All votes are for one instant, that of the question: witnesses that are silent in turn are no
  // majority at any time.
  if (event.silent_for - (now.steady - round_sent_) < lease_length() / 4) return;
  votes_.insert(event.node);
  count_votes(now, out);
}

void Supervisor::count_votes(const Now& now, Effects& out) {
  const std::size_t voters = accepted_->witnesses.size() + 1;  // and the controller
  if (2 * votes_.size() > voters) set_lease(round_sent_ + lease_length(), now, out);
}

}  // namespace sluice::agent
