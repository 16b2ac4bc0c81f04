// gpus.h: graphics processors of this machine, without linking to any vendor's library.
#pragma once

#include <string>
#include <vector>

#include "common/model/request.h"

namespace sluice::agent {

// "NVIDIA A100-SXM4-40GB" -> "nvidia_a100-sxm4-40gb": lower case, blanks as underscores.
std::string gpu_type_of(const std::string& product);
// One entry a type, "gpu:TYPE:COUNT".
std::vector<GresCount> find_gpus();

}  // namespace sluice::agent
