// foresee.cpp: see foresee.h.
#include "daemon/rpc/foresee.h"

#include "daemon/core/changes.h"

namespace sluice::rpc {
namespace {

template <class Message>
void send(const SendFrame& frame, const Message& message) {
  static_assert(has_codec<Message>, "its name belongs into SLUICE_ENCODED_TYPES");
  frame(Message::type, to_bytes(message));
}

}  // namespace

ReadTask trial_task(std::shared_ptr<const Trial> trial, bool with_changes) {
  return [trial = std::move(trial), with_changes](ReadContext& context, const SendFrame& frame) {
    const Outlook& outlook = *context.snapshot->outlook;
    const SupposedJob job{trial->record, *trial->spec};
    const Foresight foresight(outlook, job.record.id);
    SubmitReply reply = trial->base;
    reply.planned = foresight.starts_of(job);
    if (!with_changes) return send(frame, reply);
    PlanReply plan{outlook.view.now, reply.notes, reply.planned, {}};
    for (Proposal& row : helpful_changes(foresight, outlook, job, reply.planned.front(), false))
      plan.changes.push_back(std::move(row.change));
    send(frame, plan);
  };
}

}  // namespace sluice::rpc
