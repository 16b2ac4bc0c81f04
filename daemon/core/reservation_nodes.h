// reservation_nodes.h: which nodes, cores and licences a reservation gets, and whether they are
// there for it. Pure. Only files of this folder include it.
#pragma once

#include "common/base/result.h"
#include "common/wire/messages_reservation.h"
#include "daemon/core/state.h"

namespace sluice {

// Fills in the nodes, cores and licences that are asked for; those it has are taken first. The
// window, flags, partition and features are what the reservation says. Errors: invalid_partition,
// invalid_node, invalid_feature, invalid_license, node_count_invalid, nodes_busy,
// reservation_overlap; the detail names who is in the way.
Result<void> choose_resources(const State& state, const ReservedAmount& amount,
                              Reservation& reservation);

// The same checks of what it has already: after its window, flags or nodes changed.
Result<void> check_resources(const State& state, const Reservation& reservation);

}  // namespace sluice
