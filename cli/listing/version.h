// version.h: what the commands with Slurm's names answer to --version. Clients read the number to
// learn which options and columns they may use, so it is that of the Slurm whose behaviour they
// get.
#pragma once

namespace sluice {

inline constexpr const char* version_line = "slurm 22.05.8";

}  // namespace sluice
