// accounts.cpp: the book of accounts over the wire. Everybody may read it; who may change what of
// it is the core's to say, which needs the caller's name for that.
#include <fmt/format.h>

#include "daemon/core/account_rules.h"
#include "daemon/rpc/handlers.h"

namespace sluice::rpc {
namespace {

constexpr std::size_t rows_a_frame = 1000;

// Fills frames row by row.
class BookFrames {
 public:
  BookFrames(const SendFrame& frame, std::uint64_t version, bool with_deleted)
      : frame_(frame), with_deleted_(with_deleted) {
    reply_.version = version;
  }
  template <class Key, class Row>
  void add(const std::map<Key, Row>& table, std::vector<Row> AccountsReply::*list) {
    for (const auto& [key, row] : table) {
      if (row.deleted && !with_deleted_) continue;
      (reply_.*list).push_back(row);
      if (++rows_ == rows_a_frame) send(true);
    }
  }
  void finish() { send(false); }

 private:
  void send(bool more) {
    reply_.more = more;
    frame_(AccountsReply::type, to_bytes(reply_));
    const std::uint64_t version = reply_.version;
    reply_ = {};
    reply_.version = version;
    rows_ = 0;
  }

  const SendFrame& frame_;
  bool with_deleted_;
  AccountsReply reply_;
  std::size_t rows_ = 0;
};

}  // namespace

void change_accounts(Call& call, ChangeAccounts& message) {
  Services& services = call.services;
  if (services.store_is_full())
    return call.refuse({ErrorCode::store_full, "free space and change the accounts again"});
  auto event = std::make_shared<AccountsChanged>();
  event->from = call.ref();
  event->caller = call.session.caller;
  event->request = std::move(message);
  services.with_user_names(event->caller.uid, event->caller.gid,
                           [&services, event](std::string user, std::string) {
                             event->user = std::move(user);
                             services.feed(std::move(*event));
                           });
}

void query_accounts(Call& call, QueryAccounts& message) {
  call.services.read(call.ref(), [query = message](ReadContext& context, const SendFrame& frame) {
    const AccountBook& book = *context.snapshot->accounts;
    BookFrames frames(frame, version_of(book), query.with_deleted);
    frames.add(book.accounts, &AccountsReply::accounts);
    frames.add(book.users, &AccountsReply::users);
    frames.add(book.associations, &AccountsReply::associations);
    frames.add(book.qos, &AccountsReply::qos);
    frames.finish();
  });
}

}  // namespace sluice::rpc
