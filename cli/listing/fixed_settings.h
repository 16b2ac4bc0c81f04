// fixed_settings.h: keys of Slurm's configuration that have one answer here.
#pragma once

#include <span>

namespace sluice {

struct FixedSetting {
  const char* key;
  const char* value;
};

std::span<const FixedSetting> fixed_settings();

}  // namespace sluice
