// accounting.cpp: looks things up in the book.
#include "common/model/accounting.h"

namespace sluice {

AccountBook first_book() {
  AccountBook book;
  book.accounts["root"] = {.name = "root",
                           .description = "default root account",
                           .organization = "root",
                           .coordinators = {}};
  book.users["root"] = {.name = "root",
                        .default_account = "root",
                        .default_wckey = {},
                        .admin_level = AdminLevel::Administrator};
  Association top;
  top.id = AssociationId{1};
  top.account = "root";
  top.qos = {"normal"};
  Association user;
  user.id = AssociationId{2};
  user.account = "root";
  user.user = "root";
  book.associations = {{top.id, top}, {user.id, user}};
  Qos normal;
  normal.id = QosId{1};
  normal.name = "normal";
  normal.description = "Normal QOS default";
  book.qos[normal.id] = normal;
  return book;
}

AccountBook known_book(const AccountBook& stored) {
  return stored == AccountBook{} ? first_book() : stored;
}

const Association* find_association(const AccountBook& book, const std::string& account,
                                    const std::string& user, const std::string& partition) {
  const Association* of_all = nullptr;
  for (const auto& [id, row] : book.associations) {
    if (row.deleted || row.account != account || row.user != user) continue;
    if (!partition.empty() && row.partition == partition) return &row;
    if (row.partition.empty()) of_all = &row;
  }
  return of_all;
}

const Association* find_account_row(const AccountBook& book, const std::string& account) {
  return find_association(book, account, "", "");
}

const Association* parent_of(const AccountBook& book, const Association& association) {
  if (!association.user.empty()) return find_account_row(book, association.account);
  return association.parent.empty() ? nullptr : find_account_row(book, association.parent);
}

std::vector<std::string> qos_of(const AccountBook& book, const Association& association) {
  const Association* row = &association;
  for (std::size_t steps = 0; row && steps <= book.associations.size(); ++steps) {
    if (!row->qos.empty()) return row->qos;
    row = parent_of(book, *row);
  }
  return {};
}

std::string default_qos_of(const AccountBook& book, const Association& association) {
  const Association* row = &association;
  for (std::size_t steps = 0; row && steps <= book.associations.size(); ++steps) {
    if (!row->default_qos.empty()) return row->default_qos;
    row = parent_of(book, *row);
  }
  return {};
}

const Qos* find_qos(const AccountBook& book, const std::string& name) {
  for (const auto& [id, row] : book.qos)
    if (!row.deleted && row.name == name) return &row;
  return nullptr;
}

// --- the index

namespace {

std::string lower(std::string text) {
  for (char& c : text)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return text;
}

// No name has a NUL in it: they come from command lines and files.
std::string key_of(const std::string& account, const std::string& user,
                   const std::string& partition) {
  std::string key;
  key.reserve(account.size() + user.size() + partition.size() + 2);
  return ((key += account) += '\0').append(user).append(1, '\0').append(partition);
}

}  // namespace

AccountIndex::AccountIndex(std::shared_ptr<const AccountBook> book) : book_(std::move(book)) {
  is_untouched_ = *book_ == AccountBook{} || *book_ == first_book();
  for (const auto& [id, row] : book_->associations)
    if (!row.deleted) associations_[key_of(row.account, row.user, row.partition)] = &row;
  for (const auto& [id, row] : book_->qos)
    if (!row.deleted) qos_[lower(row.name)] = &row;
}

const Association* AccountIndex::association(const std::string& account, const std::string& user,
                                             const std::string& partition) const {
  auto at = associations_.find(key_of(account, user, partition));
  if (at == associations_.end() && !partition.empty())
    at = associations_.find(key_of(account, user, ""));
  return at == associations_.end() ? nullptr : at->second;
}

const Association* AccountIndex::account(const std::string& name) const {
  return association(name, "", "");
}

const Association* AccountIndex::parent(const Association& row) const {
  if (!row.user.empty()) return account(row.account);
  return row.parent.empty() ? nullptr : account(row.parent);
}

const Qos* AccountIndex::qos(const std::string& name) const {
  const auto at = qos_.find(lower(name));
  return at == qos_.end() ? nullptr : at->second;
}

const std::vector<std::string>& AccountIndex::qos_of(const Association& association) const {
  static const std::vector<std::string> none;
  for (const Association* row = &association; row; row = parent(*row))
    if (!row->qos.empty()) return row->qos;
  return none;
}

const std::string& AccountIndex::default_qos_of(const Association& association) const {
  static const std::string none;
  for (const Association* row = &association; row; row = parent(*row))
    if (!row->default_qos.empty()) return row->default_qos;
  return none;
}

}  // namespace sluice
