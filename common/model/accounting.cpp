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

}  // namespace sluice
