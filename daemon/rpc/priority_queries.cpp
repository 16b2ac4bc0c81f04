// priority_queries.cpp: reads of priorities, shares and statistics.
#include <fmt/format.h>

#include "daemon/core/shares_listing.h"
#include "daemon/rpc/handlers.h"

namespace sluice::rpc {

void query_priorities(Call& call, QueryPriorities& message) {
  call.services.read(call.ref(),
                     [query = std::move(message)](ReadContext& context, const SendFrame& frame) {
                       frame(PrioritiesReply::type,
                             to_bytes(list_priorities(*context.snapshot, query, context.as_of)));
                     });
}

void query_shares(Call& call, QueryShares& message) {
  call.services.read(
      call.ref(), [query = std::move(message)](ReadContext& context, const SendFrame& frame) {
        frame(SharesReply::type, to_bytes(list_shares(*context.snapshot, query, context.as_of)));
      });
}

void query_statistics(Call& call, QueryStatistics& message) {
  if (message.reset && !call.session.caller.is_admin)
    return call.refuse({ErrorCode::access_denied,
                        fmt::format("uid {} is not an administrator", call.session.caller.uid)});
  if (message.reset) call.services.reset_statistics();
  call.answer(call.services.statistics());
}

}  // namespace sluice::rpc
