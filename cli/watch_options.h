// watch_options.h: THE option table of `sluice watch`.
#pragma once

#include <cstdint>
#include <span>

#include "cli/listing/options.h"
#include "common/wire/messages.h"

namespace sluice {

struct WatchOptions {
  WatchEvents wanted;
  std::uint64_t count = 0;  // events to print before the end; 0: no end
};

std::span<const OptionRow<WatchOptions>> watch_rows();

}  // namespace sluice
