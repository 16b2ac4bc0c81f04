// context.h: what a column needs beside the record it shows. Rendering is pure given this.
#pragma once

#include <cstdint>
#include <string>

#include "cli/listing/amount_text.h"
#include "cli/listing/time_text.h"
#include "common/base/time.h"

namespace sluice {

struct ListingContext {
  WallTime as_of{};  // the controller's clock: elapsed times are against it
  TimeText times;    // how points in time are written (SLURM_TIME_FORMAT)
  std::string cluster;
  MemStyle mem;  // --noconvert, --units
  // Names of ids the record has no name for; both return the number as text when there is none.
  std::string (*user_name)(std::uint32_t uid) = nullptr;
  std::string (*group_name)(std::uint32_t gid) = nullptr;
};

}  // namespace sluice
