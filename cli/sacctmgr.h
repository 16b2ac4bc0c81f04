// sacctmgr.h: what the parts of sacctmgr share. A change is planned on a copy of the book by a pure
// function; what differs is shown, asked about and sent, and planned again where others were
// faster.
#pragma once

#include <functional>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/client.h"
#include "common/model/accounting.h"
#include "common/model/config.h"

namespace sluice {

struct SacctmgrOptions {
  bool immediate = false;          // -i: does not ask
  bool has_heading = true;         // -n
  bool quiet = false;              // -Q
  bool one_line = false;           // -o: accepted, all listings are one line a row
  bool with_associations = false;  // -s
  std::optional<bool> parsable;    // -p: true, a delimiter at the end too; -P: false
  std::string delimiter = "|";
};

// "key=value", "key+=value", or a word alone (then `key` is empty and `value` is the word).
struct Clause {
  std::string text;
  std::string key;  // lower case
  char sign = 0;    // '+', '-'
  std::string value;
};
// The words of a command: what stands before `set` chooses, what stands behind it changes. In a
// list all of them choose.
struct Request {
  std::vector<Clause> where;
  std::vector<Clause> set;
  bool has_where = false;
  bool has_set = false;
};
Request parse_request(std::span<const std::string> words);
// Divided by commas, quotes taken away, each once.
std::vector<std::string> names_of(std::string_view value);
// `word` is `name` in any case, or abbreviates it with so many letters at least.
bool abbreviates(std::string_view word, std::string_view name, std::size_t letters_min);

// --- what may be set (sacctmgr_keys.cpp)

// Errors: invalid_argument, whose detail is all that is told; empty: "Unknown option".
struct SetContext {
  const AccountBook& book;
  std::string cluster;
};
// The key is no such option: nullopt. `row` is changed.
std::optional<Result<void>> set_option(const SetContext& context, const Clause& clause,
                                       Association& row);
std::optional<Result<void>> set_option(const SetContext& context, const Clause& clause, Qos& row);
// "  GrpJobs       = 2" for each option that `row` has otherwise than an empty one.
std::string settings_text(const Association& row);
std::string settings_text(const Qos& row);

// --- listings (sacctmgr_columns.cpp)

struct ListRow {
  const AccountBook* book = nullptr;
  std::string cluster;
  const Account* account = nullptr;
  const AccountUser* user = nullptr;
  const Association* association = nullptr;
  const Qos* qos = nullptr;
  const std::vector<std::string>* cells = nullptr;  // of listings without a record, by column
  std::size_t depth = 0;
  bool tree = false;
};
struct ListColumn {
  const char* name;
  int width;  // negative: to the left
  std::string (*text)(const ListRow& row);
};
struct ChosenColumn {
  const ListColumn* column;
  int width;
};
// "name%-20,other": errors: invalid_argument with the name.
Result<std::vector<ChosenColumn>> choose_columns(std::span<const ListColumn> columns,
                                                 std::string_view format);
std::string heading_text(const std::vector<ChosenColumn>& columns, const SacctmgrOptions& options);
std::string line_text(const std::vector<ChosenColumn>& columns, const ListRow& row,
                      const SacctmgrOptions& options);
std::span<const ListColumn> association_columns();  // also of users, accounts and clusters
std::span<const ListColumn> qos_columns();

std::string tres_counts_text(const TresCounts& counts);
std::string minutes_text(const std::optional<std::uint32_t>& minutes);

// --- one use of the program

// What a command would do: `after` is the book as it shall be, `text` tells it. Nothing to do:
// `text` is all, with the exit code.
struct Planned {
  AccountBook after;
  std::string text;
  bool changes = false;
  int exit_code = 0;
};
using Planner = std::function<Planned(const AccountBook& before)>;

class Sacctmgr {
 public:
  Sacctmgr(const char* command, SacctmgrOptions chosen)
      : options(std::move(chosen)), command_(command) {}

  SacctmgrOptions options;

  // Null: told, exit with 1.
  Client* client();
  const std::string& cluster() const { return config_->cluster_name; }
  const ClusterConfig& config() const { return *config_; }
  Result<AccountBook> load(bool with_deleted = false);
  // Plans, tells, asks unless -i, and sends. Gives the exit code.
  int perform(const Planner& planner);
  // "sacctmgr: error: TEXT"; returns the exit code.
  int fail(const Error& error) const;
  // A line as it is, on stderr.
  int fail(std::string_view text) const;
  int print(std::string_view text) const;

 private:
  int tell(const Planned& plan) const;
  bool confirm() const;
  int tell_refusal(const Error& error) const;

  const char* command_;
  std::optional<ClusterConfig> config_;
  std::optional<Client> client_;
  std::uint64_t version_ = 0;
};

using Words = std::span<const std::string>;

// "Unknown option: x=1" and how to say a condition, in a plan.
Planned unknown_option(const AccountBook& before, const Clause& clause);

Planned plan_add(const SetContext& context, std::string_view entity, const Request& request);
Planned plan_modify(const SetContext& context, std::string_view entity, const Request& request);
Planned plan_delete(const SetContext& context, std::string_view entity, const Request& request);
int list_entity(Sacctmgr& manager, Words words);
std::string dump_text(const AccountBook& book, const std::string& cluster);
// Errors: invalid_argument with the line.
Result<AccountBook> load_text(const AccountBook& before, const std::string& cluster,
                              std::string_view text);

}  // namespace sluice
