// accounting.cpp: looks things up in the book.
#include "common/model/accounting.h"

namespace sluice {

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

const Qos* find_qos(const AccountBook& book, const std::string& name) {
  for (const auto& [id, row] : book.qos)
    if (!row.deleted && row.name == name) return &row;
  return nullptr;
}

}  // namespace sluice
