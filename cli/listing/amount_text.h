// amount_text.h: amounts of resources as Slurm writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/request.h"

namespace sluice {

// "100M", "1G" (only units that are exact: 4001M stays). With `exact` the unit stays M.
void append_mem_mb(std::uint64_t mem_mb, bool exact, std::string& out);
// The same from KiB: "4140K", "1M".
void append_mem_kb(std::uint64_t mem_kb, bool exact, std::string& out);

// What TRES= shows. Zero members are left out.
struct TresAmounts {
  std::uint64_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::uint64_t nodes = 0;
  std::uint64_t billing = 0;
  std::vector<GresCount> gres;
};

// scontrol's order: "cpu=3,mem=150M,node=2,billing=3,gres/gpu=1".
std::string tres_text(const TresAmounts& amounts, bool exact);
// sacct's order, by name: "billing=3,cpu=3,gres/gpu=1,mem=150M,node=2".
std::string tres_text_by_name(const TresAmounts& amounts, bool exact);

// Sums counts of one name over its types.
void add_gres(std::vector<GresCount>& total, const std::vector<GresCount>& more,
              std::uint64_t times);

}  // namespace sluice
