// usage_report.h: what `sreport` says of past use: by account and user, as Slurm's tables have it.
// A run counts for as long as it was within the period; its amounts are those it held. Rows are
// taken one after the other: what is held is one sum a user and account. Pure.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "cli/listing/job_text.h"
#include "common/base/result.h"
#include "common/model/accounting.h"
#include "common/wire/messages.h"

namespace sluice {

enum class UsageReportKind { accounts, users, top };

// What one TRES was used: its unit (MB of memory) times seconds.
using UsageSums = std::map<std::string, double>;

struct UsageQuery {
  UsageReportKind kind = UsageReportKind::accounts;
  WallTime since;
  WallTime until;
  std::vector<std::string> tres = {"cpu"};  // "mem", "node", "billing", "gres/gpu", "gres/gpu:a100"
  std::vector<std::string> accounts;        // none: all
  std::vector<std::string> users;
  std::size_t top = 10;
  bool joins_accounts = false;  // of `top`: one row a user
  bool shows_tree = false;
};

struct UsageRow {
  std::string cluster;
  std::string account;
  std::string login;
  std::string proper_name;
  std::string tres;
  double seconds = 0;  // times its unit
};

class UsageReport {
 public:
  explicit UsageReport(UsageQuery query) : query_(std::move(query)) {}

  void add(const JobInfo& run);
  // `associations` say which account is below which; `proper_name` of a login may be empty.
  std::vector<UsageRow> rows(
      const std::string& cluster, const std::vector<Association>& associations,
      const std::function<std::string(const std::string& login)>& proper_name) const;

 private:
  using UserAndAccount = std::pair<std::string, std::string>;

  UsageQuery query_;
  std::map<UserAndAccount, UsageSums> used_;
};

enum class UsageUnit { seconds, minutes, hours };

struct UsageLayout {
  bool has_heading = true;
  bool is_parsable = false;
  bool closes_line = false;  // -p: with | behind the last value
  UsageUnit unit = UsageUnit::minutes;
};

struct UsageCell;  // a column and its width

// "Cluster,Login%30,Used". Errors: invalid_argument with the names there are.
Result<std::vector<UsageCell>> parse_usage_format(const std::string& format);
// Of a report, where no format was given.
std::string default_usage_format(const UsageQuery& query);
// The banner with the period, the heading and the rows.
std::string usage_text(const UsageQuery& query, const std::vector<UsageCell>& cells,
                       const std::vector<UsageRow>& rows, const UsageLayout& layout);

struct UsageColumn {
  const char* name;
  std::size_t letters_min;  // that an abbreviation needs
  const char* heading;
  std::size_t width;
  std::string (*text)(const UsageRow& row, UsageUnit unit);
};
struct UsageCell {
  const UsageColumn* column = nullptr;
  std::size_t width = 0;
  bool is_left = false;
};

}  // namespace sluice
