// amount_text.cpp: amounts to text.
#include "cli/listing/amount_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

void append_amount(std::uint64_t amount, std::size_t unit, bool exact, std::string& out) {
  static constexpr char units[] = {'K', 'M', 'G', 'T', 'P'};
  while (!exact && amount > 0 && amount % 1024 == 0 && unit + 1 < std::size(units)) {
    amount /= 1024;
    ++unit;
  }
  fmt::format_to(std::back_inserter(out), "{}", amount);
  if (amount > 0) out += units[unit];
}

struct NamedAmount {
  std::string name;
  std::string value;
};

std::vector<NamedAmount> named_amounts(const TresAmounts& amounts, bool exact) {
  std::vector<NamedAmount> named;
  const auto add = [&](std::string name, std::uint64_t value) {
    if (value > 0) named.push_back({std::move(name), fmt::format("{}", value)});
  };
  add("cpu", amounts.cpus);
  if (amounts.mem_mb > 0) {
    std::string mem;
    append_mem_mb(amounts.mem_mb, exact, mem);
    named.push_back({"mem", mem});
  }
  add("node", amounts.nodes);
  add("billing", amounts.billing);
  for (const GresCount& gres : amounts.gres) add("gres/" + gres.name, gres.count);
  return named;
}

std::string joined(const std::vector<NamedAmount>& named) {
  std::string out;
  for (const NamedAmount& amount : named) {
    if (!out.empty()) out += ',';
    out.append(amount.name).append("=").append(amount.value);
  }
  return out;
}

}  // namespace

void append_mem_mb(std::uint64_t mem_mb, bool exact, std::string& out) {
  append_amount(mem_mb, 1, exact, out);
}

void append_mem_kb(std::uint64_t mem_kb, bool exact, std::string& out) {
  append_amount(mem_kb, 0, exact, out);
}

std::string tres_text(const TresAmounts& amounts, bool exact) {
  return joined(named_amounts(amounts, exact));
}

std::string tres_text_by_name(const TresAmounts& amounts, bool exact) {
  std::vector<NamedAmount> named = named_amounts(amounts, exact);
  std::sort(named.begin(), named.end(),
            [](const NamedAmount& a, const NamedAmount& b) { return a.name < b.name; });
  return joined(named);
}

void add_gres(std::vector<GresCount>& total, const std::vector<GresCount>& more,
              std::uint64_t times) {
  for (const GresCount& gres : more) {
    auto same = std::find_if(total.begin(), total.end(),
                             [&](const GresCount& g) { return g.name == gres.name; });
    if (same == total.end()) same = total.insert(total.end(), GresCount{gres.name, "", 0});
    same->count += static_cast<std::uint32_t>(gres.count * times);
  }
}

}  // namespace sluice
