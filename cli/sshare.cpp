// sshare.cpp: `sshare`: the tree of shares, and who used how much. Parse, ask, render.
#include <unistd.h>

#include <algorithm>

#include <fmt/format.h>

#include "cli/accounts_of_machine.h"
#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/listing/options.h"
#include "cli/listing/selectors.h"
#include "cli/listing/setters.h"
#include "cli/listing/share_columns.h"
#include "cli/manuals.h"
#include "cli/print.h"

namespace sluice {
namespace {

struct SshareOptions {
  bool has_heading = true;
  bool all_users = false;
  bool users_only = false;
  bool is_long = false;
  bool names_partitions = false;
  bool lists_columns = false;
  ShareStyle style;
  std::string format;
  std::string cluster;
  std::vector<std::string> accounts;
  std::vector<std::string> users;
};

Result<void> set_accounts(SshareOptions& options, std::string_view value) {
  options.accounts = parse_word_list(value);
  for (std::string& account : options.accounts)  // in lower case, as accounts are kept
    std::transform(account.begin(), account.end(), account.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
  return {};
}
template <bool ClosesLine>
Result<void> set_style(SshareOptions& options, std::string_view) {
  options.style = {.parsable = true, .closes_line = ClosesLine};
  return {};
}
Result<void> add_long(SshareOptions& options, std::string_view) {
  options.is_long = true;
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<SshareOptions>;
template <auto Member>
constexpr auto set_text = SetText<Member>::template apply<SshareOptions>;
template <auto Member>
constexpr auto set_words = SetWords<Member>::template apply<SshareOptions>;

using Row = OptionRow<SshareOptions>;
constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr Row rows[] = {
    {"accounts", 'A', required, nullptr, set_accounts, "comma separated list of accounts"},
    {"all", 'a', none, nullptr, set_to<&SshareOptions::all_users, true>, "all users"},
    {"clusters", 'M', required, "SLURM_CLUSTERS", set_text<&SshareOptions::cluster>,
     "this cluster's name, or all"},
    {"format", 'o', required, nullptr, set_text<&SshareOptions::format>,
     "columns, as \"account%20,user,fairshare\""},
    {"helpformat", 'e', none, nullptr, set_to<&SshareOptions::lists_columns, true>,
     "the names of the columns"},
    {"long", 'l', none, nullptr, add_long, "usage and limits too"},
    {"noheader", 'n', none, nullptr, set_to<&SshareOptions::has_heading, false>, "no heading"},
    {"parsable", 'p', none, nullptr, set_style<true>, "values end with |"},
    {"parsable2", 'P', none, nullptr, set_style<false>, "values with | between them"},
    {"partition", 'm', none, nullptr, set_to<&SshareOptions::names_partitions, true>,
     "of which partition a share is"},
    {"uid", 0, required, nullptr, set_words<&SshareOptions::users>, "the same as --users"},
    {"user", 0, required, nullptr, set_words<&SshareOptions::users>, "the same as --users"},
    {"users", 'u', required, nullptr, set_words<&SshareOptions::users>,
     "comma separated list of users"},
    {"Users", 'U', none, nullptr, set_to<&SshareOptions::users_only, true>,
     "users only, not the accounts above them"},
    {"verbose", 'v', none, nullptr, already_so<SshareOptions>, "tell more (there is no more)"},
};

std::string default_format(const SshareOptions& options) {
  const std::string partition = options.names_partitions ? ",Partition" : "";
  if (options.is_long)
    return "Account,User" + partition +
           ",RawShares,NormShares,RawUsage,NormUsage,EffectvUsage,FairShare,LevelFS,GrpTRESMins,"
           "TRESRunMins";
  return "Account,User" + partition + ",RawShares,NormShares,RawUsage,EffectvUsage,FairShare";
}

// Nothing said: what is one's own.
QueryShares question_of(const SshareOptions& options) {
  QueryShares query{options.users, options.accounts};
  if (options.all_users) query.users.clear();
  else if (query.users.empty() && query.accounts.empty()) query.users = {user_name_of(getuid())};
  return query;
}

}  // namespace

std::vector<ManualOption> sshare_options() { return manual_options(texts_of<SshareOptions>(rows)); }

int run_sshare(int argc, char** argv) {
  SshareOptions options;
  const CommandTexts texts{" sshare [OPTION]"};
  const CommandLine line = read_options<SshareOptions>(argc, argv, texts, rows, options);
  if (line.exit_code) return *line.exit_code;
  const auto refuse = [&](std::string text) { return print_error(argv[0], text), 1; };
  if (!line.words.empty())
    return refuse(fmt::format("Unrecognized argument: {}", line.words.front()));
  if (options.lists_columns) return print_result(share_column_list()) ? 0 : 1;
  const Result<std::vector<ShareCell>> cells =
      parse_share_format(options.format.empty() ? default_format(options) : options.format);
  if (!cells.ok())
    return refuse(fmt::format("Invalid field requested: \"{}\"", cells.error().detail));
  const Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return refuse(to_text(config.error()));
  if (const auto cluster = check_cluster(options.cluster, *config); !cluster)
    return refuse(cluster.error().detail);
  Client client(*config);
  const Result<SharesReply> reply = client.call<SharesReply>(question_of(options));
  if (!reply.ok()) return fail_load("Couldn't get shares from controller", reply.error());
  ListingContext context = context_of(*config);
  context.as_of = reply->as_of;
  std::string out;
  if (options.has_heading) append_share_heading(*cells, options.style, out);
  for (const ShareRow& row : reply->rows)
    if (!options.users_only || !row.user.empty())
      append_share_line(*cells, options.style, row, context, out);
  return print_result(out) ? 0 : 1;
}

}  // namespace sluice
