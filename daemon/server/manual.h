// manual.h: the prose of sluiced(8).
#pragma once

#include "common/options/manual.h"

namespace sluice {

ManualText sluiced_text();

}  // namespace sluice
