// sacctmgr_entities.cpp: see sacctmgr_entities.h.
#include "cli/sacctmgr_entities.h"

#include <fmt/format.h>

#include <algorithm>

#include "common/options/text.h"

namespace sluice {
namespace {

struct EntityWord {
  const char* name;
  std::size_t letters_min;
  Entity entity;
};
constexpr EntityWord words[] = {
    {"accounts", 1, Entity::account},
    {"acct", 4, Entity::account},
    {"associations", 2, Entity::association},
    {"clusters", 2, Entity::cluster},
    {"coordinators", 2, Entity::coordinator},
    {"qos", 1, Entity::qos},
    {"users", 1, Entity::user},
};

struct ChoiceWord {
  const char* name;
  std::size_t letters_min;
  std::vector<std::string> Chosen::*member;  // null: taken; there is one cluster
};
constexpr ChoiceWord choices[] = {
    {"accounts", 2, &Chosen::accounts},
    {"acct", 4, &Chosen::accounts},
    {"clusters", 1, nullptr},
    {"defaultaccount", 8, &Chosen::default_accounts},
    {"names", 1, &Chosen::names},
    {"parents", 4, &Chosen::parents},
    {"partitions", 4, &Chosen::partitions},
    {"users", 1, &Chosen::users},
};

}  // namespace

std::optional<Entity> parse_entity(std::string_view word) {
  for (const EntityWord& row : words)
    if (!word.empty() && abbreviates(word, row.name, row.letters_min)) return row.entity;
  return std::nullopt;
}

bool take_choice(const Clause& clause, Entity entity, Chosen& chosen) {
  std::vector<std::string> names = names_of(clause.value);
  std::vector<std::string> Chosen::*member = &Chosen::names;
  if (!clause.key.empty()) {
    const auto row = std::find_if(std::begin(choices), std::end(choices), [&](const auto& word) {
      return abbreviates(clause.key, word.name, word.letters_min);
    });
    const bool is_qos = entity == Entity::qos && abbreviates(clause.key, "qos", 1);
    if (row == std::end(choices) && !is_qos) return false;
    if (!is_qos) member = row->member;
    if (!member) return true;
    // An account's own name, and a user's.
    if (entity == Entity::account && member == &Chosen::accounts) member = &Chosen::names;
    if (entity == Entity::user && member == &Chosen::users) member = &Chosen::names;
  }
  const bool is_account = member == &Chosen::accounts || member == &Chosen::parents ||
                          member == &Chosen::default_accounts ||
                          (member == &Chosen::names && entity == Entity::account);
  for (std::string& name : names)
    (chosen.*member).push_back(is_account ? lower_case(name) : std::move(name));
  return true;
}

std::string lower_case(std::string_view text) {
  std::string out{text};
  for (char& c : out)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return out;
}

bool is_among(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

Account* live_account(AccountBook& book, const std::string& name) {
  const auto at = book.accounts.find(name);
  return at == book.accounts.end() || at->second.deleted ? nullptr : &at->second;
}

AccountUser* live_user(AccountBook& book, const std::string& name) {
  const auto at = book.users.find(name);
  return at == book.users.end() || at->second.deleted ? nullptr : &at->second;
}

Qos* live_qos(AccountBook& book, const std::string& name) {
  for (auto& [id, row] : book.qos)
    if (!row.deleted && row.name == name) return &row;
  return nullptr;
}

Association& add_association(AccountBook& book) {
  const std::uint32_t last =
      book.associations.empty() ? 0 : book.associations.rbegin()->first.value;
  const AssociationId id{last + 1};
  Association& row = book.associations[id];
  row.id = id;
  return row;
}

Qos& add_qos(AccountBook& book) {
  const std::uint32_t last = book.qos.empty() ? 0 : book.qos.rbegin()->first.value;
  const QosId id{last + 1};
  Qos& row = book.qos[id];
  row.id = id;
  return row;
}

Planned say(const AccountBook& before, std::string text, int exit_code) {
  return {before, std::move(text), false, exit_code};
}

Planned unknown_option(const AccountBook& before, const Clause& clause) {
  return say(
      before,
      fmt::format(" Unknown option: {}\n Use keyword 'where' to modify condition\n", clause.text),
      1);
}

std::string association_line(const Association& row, const std::string& cluster) {
  std::string line = fmt::format("C = {:<10} A = ", cluster);
  if (row.user.empty() && row.parent.empty()) return line + row.account;
  if (row.user.empty()) return line + fmt::format("{} of {}", row.account, row.parent);
  line += fmt::format("{:<20} U = {:<9}", row.account, row.user);
  return row.partition.empty() ? line : line + fmt::format(" P = {}", row.partition);
}

}  // namespace sluice
