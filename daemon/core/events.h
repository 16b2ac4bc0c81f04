// events.h: everything that can happen to the controller, in the past tense. The order of events is
// the truth: replaying them gives the same state. No event carries a time; `Now` comes beside it.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "common/model/config.h"
#include "common/model/rows.h"
#include "common/wire/messages.h"
#include "common/wire/messages_accounts.h"
#include "common/wire/messages_reservation.h"
#include "common/wire/messages_step.h"
#include "daemon/sched/view.h"

namespace sluice {

// Where an answer goes: a connection and the request's number on it. Meaningless after a restart.
struct RequestRef {
  std::uint64_t connection = 0;
  std::uint32_t request = 0;

  auto operator<=>(const RequestRef&) const = default;
};

// Who asks, as the kernel or the node's key proved it.
struct Caller {
  std::uint32_t uid = 0;
  std::uint32_t gid = 0;
  bool is_admin = false;  // root or SlurmUser, from a place where they count
};

// How a job, or a task of an array, ended that a dependency names and that left the controller's
// memory; looked up before the event, because the core reads no store.
struct KnownEnd {
  JobId named;  // by the dependency: the job, or its array
  std::optional<std::uint32_t> task;
  JobId record;
  bool is_array = false;  // `named` is an array
  std::string shown_id;
  JobEnd end;
  WallTime started;  // of what never started its end
};

struct JobSubmitted {
  RequestRef from;
  Caller caller;
  SubmitJob request;        // script and environment moved out into the blobs
  StoredBlob script;
  StoredBlob environment;
  std::vector<KnownEnd> history = {};  // of the dependency's ids; sorted by name and task
  std::optional<CreateStep> step = {};  // srun alone: its one step, by the same request
  bool plan = false;  // with request.test_only: answered by a PlanReply (`sluice plan`)
};
struct JobsCancelled {
  RequestRef from;
  Caller caller;
  CancelJobs request;
};
struct JobsUpdated {
  RequestRef from;
  Caller caller;
  UpdateJobs request;
  std::vector<KnownEnd> history = {};  // the same, of the new dependency
};
struct NodesUpdated {
  RequestRef from;
  Caller caller;
  UpdateNodes request;
};
struct JobAwaited {
  RequestRef from;
  WaitJob request;
};
struct ClientGone {
  std::uint64_t connection = 0;
};
struct NodeRegistered {
  std::uint64_t connection = 0;  // replaces the node's former one
  std::uint32_t request = 0;
  RegisterNode request_body;
};
struct NodeAnswered {  // a heartbeat
  std::string node;
  std::uint64_t connection = 0;
  Heartbeat heartbeat;
};
struct NodeDisconnected {
  std::string node;
  std::uint64_t connection = 0;
};
struct RunAcceptedByNode {
  std::string node;
  RunAccepted message;
};
struct RunRefusedByNode {
  std::string node;
  RunRefused message;
};
struct RunStartedOnNode {
  std::string node;
  RunStarted message;
};
struct RunExitedOnNode {
  std::string node;
  RunExited message;
};
struct PlanReady {
  Plan plan;
};
struct IdsReserved {
  JobId first;
  JobId end;  // exclusive
};
struct ConfigChanged {
  ClusterConfig config;
  std::optional<RequestRef> asked_by = {};  // is answered; none: a signal
};
struct ReservationChanged {
  RequestRef from;
  Caller caller;
  ChangeReservation request;
};
// Accounts, users, associations and QOS were changed by sacctmgr.
struct AccountsChanged {
  RequestRef from;
  Caller caller;
  std::string user;  // the caller's name, as the controller's host knows it; empty: none
  ChangeAccounts request;
};
struct AllocationAwaited {
  RequestRef from;
  Caller caller;
  WaitAllocation request;
};
struct JobReleased {
  RequestRef from;
  Caller caller;
  ReleaseJob request;
};
struct StepAsked {
  RequestRef from;
  Caller caller;
  CreateStep request;
};
struct StepSignalled {
  RequestRef from;
  Caller caller;
  SignalStep request;
};
struct StepStartedOnNode {
  std::string node;
  StepStarted message;
};
struct StepRefusedByNode {
  std::string node;
  StepRefused message;
};
struct StepExitedOnNode {
  std::string node;
  StepExited message;
};
struct StepsFoundOnNode {  // behind NodeRegistered
  std::string node;
  StepsFound message;
};
// An agent measured what its steps use; nothing of it is kept.
struct StepsMeasuredOnNode {
  std::string node;
  StepsMeasured message;
};
struct TimePassed {};  // a timer that the core asked for is due

using Event =
    std::variant<JobSubmitted, JobsCancelled, JobsUpdated, NodesUpdated, JobAwaited, ClientGone,
                 NodeRegistered, NodeAnswered, NodeDisconnected, RunAcceptedByNode,
                 RunRefusedByNode, RunStartedOnNode, RunExitedOnNode, PlanReady, IdsReserved,
                 ConfigChanged, ReservationChanged, AccountsChanged, AllocationAwaited, JobReleased,
                 StepAsked, StepSignalled, StepStartedOnNode, StepRefusedByNode, StepExitedOnNode,
                 StepsFoundOnNode, StepsMeasuredOnNode, TimePassed>;

}  // namespace sluice
