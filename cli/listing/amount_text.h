// amount_text.h: amounts of resources as Slurm writes them. Pure.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "common/model/request.h"

namespace sluice {

// How memory is written: in the largest unit that divides it ("1G", but 4001M stays), in the unit
// it is kept in (`exact`, --noconvert), or in one of K M G T P ("0.15G", --units).
struct MemStyle {
  constexpr MemStyle(bool exact_unit = false, char fixed_unit = 0)
      : exact(exact_unit), unit(fixed_unit) {}

  bool exact;
  char unit;  // 0: none in particular
};

// "100M", "1G"; from KiB "4140K", "1M". No unit behind a zero.
void append_mem_mb(std::uint64_t mem_mb, MemStyle style, std::string& out);
void append_mem_kb(std::uint64_t mem_kb, MemStyle style, std::string& out);

// What TRES= shows. Zero members are left out.
struct TresAmounts {
  std::uint64_t cpus = 0;
  std::uint64_t mem_mb = 0;
  std::uint64_t nodes = 0;
  std::uint64_t billing = 0;
  std::vector<GresCount> gres;
};

// scontrol's order: "cpu=3,mem=150M,node=2,billing=3,gres/gpu=1".
std::string tres_text(const TresAmounts& amounts, MemStyle style);
// sacct's order, by name: "billing=3,cpu=3,gres/gpu=1,mem=150M,node=2".
std::string tres_text_by_name(const TresAmounts& amounts, MemStyle style);

// Sums counts of one name over its types.
void add_gres(std::vector<GresCount>& total, const std::vector<GresCount>& more,
              std::uint64_t times);

}  // namespace sluice
