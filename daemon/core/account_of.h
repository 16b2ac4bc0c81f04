// account_of.h: all that is known of why a job waits, in figures; explain.cpp puts it into words.
// Pure; on a thread of readers.
#pragma once

#include "common/wire/messages_foresee.h"
#include "daemon/core/state.h"

namespace sluice {

// Of a job that does not wait only what it is and its times. Limits and changes are told where the
// snapshot has an outlook; changes cost a few passes and are looked for where `wants_changes`.
WhyJob account_of(const Snapshot& snapshot, const JobEntry& entry, bool wants_changes);

}  // namespace sluice
