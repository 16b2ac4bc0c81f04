// amount_text.cpp: amounts to text.
#include "cli/listing/amount_text.h"

#include <algorithm>

#include <fmt/format.h>

namespace sluice {
namespace {

constexpr char units[] = {'K', 'M', 'G', 'T', 'P'};

// In the unit asked for, with two digits where it is not whole.
void append_in_unit(std::uint64_t amount, std::size_t unit, char wanted, std::string& out) {
  auto value = static_cast<double>(amount);
  const auto place = static_cast<std::size_t>(std::find(units, std::end(units), wanted) - units);
  for (; unit < place; ++unit) value /= 1024;
  for (; unit > place; --unit) value *= 1024;
  const auto whole = static_cast<std::uint64_t>(value);
  if (static_cast<double>(whole) == value)
    fmt::format_to(std::back_inserter(out), "{}{}", whole, wanted);
  else fmt::format_to(std::back_inserter(out), "{:.2f}{}", value, wanted);
}

void append_amount(std::uint64_t amount, std::size_t unit, MemStyle style, std::string& out) {
  if (style.unit != 0 && amount > 0) return append_in_unit(amount, unit, style.unit, out);
  while (!style.exact && amount > 0 && amount % 1024 == 0 && unit + 1 < std::size(units)) {
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

std::vector<NamedAmount> named_amounts(const TresAmounts& amounts, MemStyle style) {
  std::vector<NamedAmount> named;
  const auto add = [&](std::string name, std::uint64_t value) {
    if (value > 0) named.push_back({std::move(name), fmt::format("{}", value)});
  };
  add("cpu", amounts.cpus);
  if (amounts.mem_mb > 0) {
    std::string mem;
    append_mem_mb(amounts.mem_mb, style, mem);
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

void append_mem_mb(std::uint64_t mem_mb, MemStyle style, std::string& out) {
  append_amount(mem_mb, 1, style, out);
}

void append_mem_kb(std::uint64_t mem_kb, MemStyle style, std::string& out) {
  append_amount(mem_kb, 0, style, out);
}

std::string tres_text(const TresAmounts& amounts, MemStyle style) {
  return joined(named_amounts(amounts, style));
}

std::string tres_text_by_name(const TresAmounts& amounts, MemStyle style) {
  std::vector<NamedAmount> named = named_amounts(amounts, style);
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
