// reservations.h: reservations in the controller: what the planner is shown of them, and whom they
// let in. Changes come by event (handlers.h). Only files of this folder include it.
#pragma once

#include "common/base/result.h"
#include "daemon/core/site.h"

namespace sluice {

// From the store, before any job is looked at.
void load_reservations(State& state, const std::vector<Reservation>& loaded, const Now& now);
// After the configuration changed: those of all nodes, or of a partition's, follow it.
void refresh_reservations(State& state, const Now& now);

// Each exists and one of them lets the job in. Errors: reservation_invalid, reservation_access.
Result<void> check_reservations(const Site& site, const JobSpec& spec);
// Those of the job's list that let it in from this partition.
std::vector<std::string> usable_reservations(const Site& site, const JobSpec& spec,
                                             const std::string& partition);
// Takes those that are gone out of a waiting job's list. One that has none left is held, for its
// owner to release, unless `keeps_going`.
void drop_lost_reservations(State& state, JobId job, bool keeps_going);

// When the run is ended for the end of its reservation; none: not for that.
std::optional<WallTime> end_of_reservation(const State& state, const std::string& reservation);

}  // namespace sluice
