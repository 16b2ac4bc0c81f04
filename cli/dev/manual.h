// manual.h: the prose of sluice-dev(1).
#pragma once

#include "common/options/manual.h"

namespace sluice::dev {

ManualText dev_text();

}  // namespace sluice::dev
