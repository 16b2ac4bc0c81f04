// manual.h: the prose of sluice-agent(8).
#pragma once

#include "common/options/manual.h"

namespace sluice::agent {

ManualText agent_text();

}  // namespace sluice::agent
