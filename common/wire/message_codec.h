// message_codec.h: to_bytes() and from_bytes() of messages and records, compiled once. Whoever encodes
// or decodes one of them includes this, not codec.h: instantiating a codec costs seconds a file.
#pragma once

#include "common/wire/codec.h"
#include "common/wire/messages.h"
#include "common/wire/messages_accounts.h"
#include "common/wire/messages_agent.h"
#include "common/wire/messages_foresee.h"
#include "common/wire/messages_priority.h"
#include "common/wire/messages_reservation.h"
#include "common/wire/messages_step.h"

// Every message and every record that is stored or spooled has its name here, in the group whose
// codec_*.cpp compiles its codec.
#define SLUICE_COMMAND_TYPES(X)                                                                   \
  X(ErrorReply) X(OkReply) X(SubmitJob) X(SubmitReply) X(CancelJobs) X(UpdateJobs)                \
  X(ActionReply) X(UpdateNodes) X(WaitJob) X(WaitReply) X(Ping) X(PingReply) X(Reconfigure)       \
  X(Shutdown) X(Backup) X(PurgeJobs) X(PurgeReply) X(GetScript) X(ScriptReply) X(JobSpec)
#define SLUICE_LISTING_TYPES(X)                                                                   \
  X(QueryJobs) X(JobsReply) X(QueryNodes) X(NodesReply) X(QueryConfig) X(ConfigReply)             \
  X(WatchEvents) X(EventsReply) X(ClusterConfig) X(JobInfo)
#define SLUICE_AGENT_TYPES(X)                                                                     \
  X(RegisterNode) X(NodeAccepted) X(Heartbeat) X(HeartbeatReply) X(LaunchRun) X(RunAccepted)      \
  X(RunRefused) X(RunStarted) X(RunExited) X(ExitCommitted) X(KillRun) X(SignalRun)               \
  X(SetTimeLimit) X(ReconfigureNode) X(GetBlob) X(BlobChunk) X(Relay) X(ExitRecord)               \
  X(LaunchOrder)
#define SLUICE_RECORD_TYPES(X)                                                                    \
  X(JobRecord) X(RunRecord) X(NodeRecord)
#define SLUICE_RESERVATION_TYPES(X)                                                               \
  X(ChangeReservation) X(ReservationChangedReply) X(QueryReservations) X(ReservationsReply)       \
  X(Reservation)
#define SLUICE_PRIORITY_TYPES(X)                                                                  \
  X(QueryPriorities) X(PrioritiesReply) X(QueryShares) X(SharesReply) X(QueryStatistics)          \
  X(StatisticsReply)
#define SLUICE_ACCOUNT_TYPES(X)                                                                   \
  X(ChangeAccounts) X(ChangeAccountsReply) X(QueryAccounts) X(AccountsReply) X(Account)           \
  X(AccountUser) X(Association) X(Qos)
#define SLUICE_STEP_TYPES(X)                                                                      \
  X(WaitAllocation) X(AllocationReply) X(ReleaseJob) X(CreateStep) X(RunStep) X(StepReply)        \
  X(StepEnded) X(SignalStep) X(QuerySteps) X(StepsReply) X(LaunchStep) X(StepStarted)             \
  X(StepRefused) X(StepExited) X(StepCommitted) X(KillStep) X(SignalTasks) X(StepsFound)          \
  X(MeasureSteps) X(StepsMeasured) X(StepRecord) X(StepOrder) X(StepExit)
#define SLUICE_FORESEE_TYPES(X)                                                                   \
  X(QueryWhy) X(WhyReply) X(PlanJob) X(PlanReply)
#define SLUICE_ENCODED_TYPES(X)                                                                   \
  SLUICE_COMMAND_TYPES(X) SLUICE_LISTING_TYPES(X) SLUICE_AGENT_TYPES(X) SLUICE_RECORD_TYPES(X)    \
  SLUICE_RESERVATION_TYPES(X) SLUICE_PRIORITY_TYPES(X) SLUICE_ACCOUNT_TYPES(X)    \
  SLUICE_STEP_TYPES(X) SLUICE_FORESEE_TYPES(X)

#define SLUICE_DEFINE_CODEC(Type)               \
  template std::string to_bytes(const Type&);   \
  template Result<Type> from_bytes(std::string_view);

namespace sluice {
#define SLUICE_DECLARE_CODEC(Type)                     \
  extern template std::string to_bytes(const Type&);   \
  extern template Result<Type> from_bytes(std::string_view);
SLUICE_ENCODED_TYPES(SLUICE_DECLARE_CODEC)
#undef SLUICE_DECLARE_CODEC

// Is the codec compiled once? One whose name is missing above is compiled by every file that uses it.
template <class Type>
inline constexpr bool has_codec = false;
#define SLUICE_NOTE_CODEC(Type) \
  template <>                   \
  inline constexpr bool has_codec<Type> = true;
SLUICE_ENCODED_TYPES(SLUICE_NOTE_CODEC)
#undef SLUICE_NOTE_CODEC
}  // namespace sluice
