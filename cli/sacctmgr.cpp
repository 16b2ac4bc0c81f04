// sacctmgr.cpp: `sacctmgr`: options, verbs, the question before a change, and the interactive mode.
// What the verbs do is in sacctmgr_*.cpp.
#include "cli/sacctmgr.h"

#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "cli/ask.h"
#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/options.h"
#include "cli/listing/setters.h"
#include "cli/listing/version.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "cli/sacctmgr_entities.h"
#include "common/base/file.h"
#include "common/options/text.h"

namespace sluice {
namespace {

using Options = SacctmgrOptions;
constexpr auto none = OptionArgument::none;
template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<Options>;

Result<void> set_parsable(Options& options, std::string_view) {
  options.parsable = true;
  return {};
}
Result<void> set_parsable2(Options& options, std::string_view) {
  options.parsable = false;
  return {};
}

constexpr OptionRow<Options> rows[] = {
    {"associations", 's', none, nullptr, set_to<&Options::with_associations, true>,
     "with the associations of listed accounts and users"},
    {"immediate", 'i', none, nullptr, set_to<&Options::immediate, true>,
     "change at once, without asking"},
    {"noheader", 'n', none, nullptr, set_to<&Options::has_heading, false>, "no heading"},
    {"oneliner", 'o', none, nullptr, already_so<Options>, "one line a record (always so)"},
    {"parsable", 'p', none, nullptr, set_parsable, "columns with a | behind each"},
    {"parsable2", 'P', none, nullptr, set_parsable2, "columns with a | between them"},
    {"quiet", 'Q', none, nullptr, set_to<&Options::quiet, true>, "no messages"},
    {"readonly", 'r', none, nullptr, nullptr, ""},
    {"verbose", 'v', none, nullptr, already_so<Options>, "more messages (there are none)"},
};

// --- verbs

using PlanVerb = Planned (*)(const SetContext&, std::string_view, const Request&);

template <PlanVerb Plan>
int change(Sacctmgr& manager, Words words) {
  if (!manager.client()) return 1;
  const std::string entity = words.empty() ? "" : words.front();
  const Request request = parse_request(words.empty() ? words : words.subspan(1));
  return manager.perform([&](const AccountBook& before) {
    return Plan({before, manager.cluster()}, entity, request);
  });
}

// "FILE", "file=FILE", "cluster FILE", "cluster=NAME file=FILE".
std::string file_of(Words words, const std::string& cluster) {
  std::string file;
  for (const Clause& clause : parse_request(words).where)
    if (clause.key == "file" ||
        (clause.key.empty() && (clause.value != cluster || words.size() == 1)))
      file = clause.value;
  return file;
}

int dump(Sacctmgr& manager, Words words) {
  if (!manager.client()) return 1;
  const Result<AccountBook> book = manager.load();
  if (!book) return manager.fail(book.error());
  const std::string file = file_of(words, manager.cluster());
  const std::string text = dump_text(*book, manager.cluster());
  if (file.empty()) return manager.print(text);
  std::FILE* out = std::fopen(file.c_str(), "w");
  const bool written = out && std::fwrite(text.data(), 1, text.size(), out) == text.size();
  if (!out || std::fclose(out) != 0 || !written)
    return manager.fail(fmt::format("sacctmgr: error: {} cannot be written", file));
  return 0;
}

int load(Sacctmgr& manager, Words words) {
  if (!manager.client()) return 1;
  const std::string file = file_of(words, manager.cluster());
  if (file.empty()) return manager.fail("sacctmgr: error: load needs a file: load FILE");
  const Result<std::optional<std::string>> text = read_file(file, 64U << 20);
  if (!text) return manager.fail(text.error());
  if (!*text) return manager.fail(fmt::format("sacctmgr: error: {}: there is no such file", file));
  return manager.perform([&](const AccountBook& before) {
    Result<AccountBook> after = load_text(before, manager.cluster(), **text);
    if (!after)
      return say(before, fmt::format("sacctmgr: error: {}: {}\n", file, after.error().detail), 1);
    const bool changes = !(*after == before);
    return Planned{std::move(after).value(),
                   changes ? fmt::format(" Accounts, users and QOS as {} says\n", file)
                           : " Nothing new added.\n",
                   changes, 0};
  });
}

int show_version(Sacctmgr& manager, Words) {
  return manager.print(fmt::format("{}\n", version_line));
}

struct Verb {
  const char* name;
  std::size_t letters_min;
  int (*run)(Sacctmgr& manager, Words words);  // null: Slurm's, not here
  const char* usage = nullptr;
  const char* help = nullptr;
};
constexpr Verb verbs[] = {
    {"add", 1, change<plan_add>, "add account|user|qos|coordinator NAME... KEY=VALUE...",
     "make a new one"},
    {"create", 1, change<plan_add>},
    {"list", 2, list_entity,
     "list account|user|association|qos|cluster|tres|problem|runawayjobs [KEY=VALUE...] "
     "[format=..]",
     "print them; also `show`"},
    {"show", 3, list_entity},
    {"modify", 1, change<plan_modify>,
     "modify account|user|qos|cluster [where KEY=VALUE...] set KEY=VALUE...", "change them"},
    {"update", 1, change<plan_modify>},
    {"delete", 3, change<plan_delete>, "delete account|user|qos|coordinator where KEY=VALUE...",
     "take them away"},
    {"remove", 3, change<plan_delete>},
    {"dump", 2, dump, "dump [FILE]", "write all of it as a text"},
    {"load", 2, load, "load FILE", "add and change what a dumped text says"},
    {"version", 1, show_version, "version", "print the version"},
    {"archive", 2, nullptr},
    {"clear", 2, nullptr},
    {"reconfigure", 3, nullptr},
    {"shutdown", 3, nullptr},
};

std::string make_usage() {
  std::string text =
      "sacctmgr [<OPTION>] [<COMMAND>]\n"
      "    Valid <OPTION> values are listed by --help.\n"
      "    Valid <COMMAND> values are:";
  for (const Verb& verb : verbs)
    if (verb.usage) text += fmt::format("\n     {}", verb.usage);
  return text;
}

int run_verb(Sacctmgr& manager, Words words) {
  for (const Verb& verb : verbs) {
    if (words.front().empty() || !abbreviates(words.front(), verb.name, verb.letters_min)) continue;
    if (!verb.run)
      return manager.fail(fmt::format(
          "sacctmgr: error: {} is not supported: the controller keeps the accounts", verb.name));
    return verb.run(manager, words.subspan(1));
  }
  return manager.fail(fmt::format("invalid keyword: {}", words.front()));
}

bool read_line(std::string& line) {
  line.clear();
  int c = 0;
  while ((c = std::getchar()) != EOF && c != '\n') line += static_cast<char>(c);
  return c != EOF || !line.empty();
}

// Words of a line; quotes keep blanks together.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (const char c : line) {
    if (quote == 0 && (c == ' ' || c == '\t')) {
      inside = false;
      continue;
    }
    if (!inside) words.emplace_back();
    inside = true;
    if (c == quote) quote = 0;
    else if (quote == 0 && (c == '"' || c == '\'')) quote = c;
    else words.back() += c;
  }
  return words;
}

int converse(Sacctmgr& manager) {
  const bool at_terminal = isatty(STDIN_FILENO) != 0;
  std::string line;
  int exit_code = 0;
  while (true) {
    if (at_terminal) print_result("sacctmgr: ");
    if (!read_line(line)) return exit_code;
    const std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.front() == "exit" || words.front() == "quit") return exit_code;
    exit_code = run_verb(manager, words);
  }
}

template <class Key, class Row>
void changed_rows(const std::map<Key, Row>& before, const std::map<Key, Row>& after,
                  std::vector<Row>& changed) {
  for (const auto& [key, row] : after) {
    const auto at = before.find(key);
    if (at != before.end() && at->second == row) continue;
    changed.push_back(row);
    if constexpr (requires { row.id; })
      if (at == before.end()) changed.back().id = {};  // the controller gives it
  }
}

ChangeAccounts change_between(const AccountBook& before, const AccountBook& after) {
  ChangeAccounts change;
  changed_rows(before.accounts, after.accounts, change.accounts);
  changed_rows(before.users, after.users, change.users);
  changed_rows(before.associations, after.associations, change.associations);
  changed_rows(before.qos, after.qos, change.qos);
  return change;
}

}  // namespace

Client* Sacctmgr::client() {
  if (client_) return &*client_;
  Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return (void)fail(config.error()), nullptr;
  config_ = std::move(config).value();
  client_.emplace(*config_);
  return &*client_;
}

Result<AccountBook> Sacctmgr::load(bool with_deleted) {
  AccountBook book;
  TRY(client()->call_parts<AccountsReply>(QueryAccounts{with_deleted}, [&](AccountsReply part) {
    version_ = part.version;
    for (Account& row : part.accounts) book.accounts[row.name] = std::move(row);
    for (AccountUser& row : part.users) book.users[row.name] = std::move(row);
    for (Association& row : part.associations) book.associations[row.id] = std::move(row);
    for (Qos& row : part.qos) book.qos[row.id] = std::move(row);
  }));
  return book;
}

int Sacctmgr::perform(const Planner& planner) {
  constexpr int tries_max = 20;
  bool has_told = false;
  for (int attempt = 0; attempt < tries_max; ++attempt) {
    const Result<AccountBook> before = load();
    if (!before) return fail(before.error());
    const Planned plan = planner(*before);
    // Who is asked is told first; else what was done is told, once it is.
    if (!plan.changes || (!options.immediate && !has_told)) {
      if (const int failed = tell(plan)) return failed;
    }
    if (!plan.changes) return plan.exit_code;
    if (!has_told && !options.immediate && !confirm()) return print("\n Changes Discarded\n");
    has_told = true;
    ChangeAccounts change = change_between(*before, plan.after);
    change.based_on = version_;
    if (change.empty()) return options.immediate ? tell(plan) : 0;  // it is so already
    const Result<ChangeAccountsReply> reply = client()->call<ChangeAccountsReply>(change);
    if (!reply) return tell_refusal(reply.error());
    if (!reply->is_outdated) return options.immediate ? tell(plan) : 0;
  }
  return fail("sacctmgr: error: others change the accounts all the time; nothing was done");
}

// What was not understood goes to stderr.
int Sacctmgr::tell(const Planned& plan) const {
  if (plan.exit_code != 0 && !plan.text.starts_with(" Nothing"))
    return fail(std::string_view(plan.text).substr(0, plan.text.size() - 1));
  return options.quiet ? 0 : print(plan.text);
}

bool Sacctmgr::confirm() const {
  constexpr int decide_ms = 30'000;
  print_result("Would you like to commit changes? (You have 30 seconds to decide)\n(N/y): ");
  pollfd input{STDIN_FILENO, POLLIN, 0};
  if (poll(&input, 1, decide_ms) <= 0) return false;
  std::string line;
  return read_line(line) && (line == "y" || line == "Y" || line == "yes");
}

int Sacctmgr::tell_refusal(const Error& error) const {
  if (error.code != ErrorCode::jobs_active && error.code != ErrorCode::default_account_in_use)
    return fail(error);
  std::string text = fmt::format(" Error with request: {}\n", error_row(error.code).text);
  for (std::string_view line : split(error.detail, '\n')) text += fmt::format("  {}\n", line);
  print(text);
  return 1;
}

int Sacctmgr::fail(const Error& error) const {
  print_error("sacctmgr", error);
  return exit_code_of(error);
}

int Sacctmgr::fail(std::string_view text) const {
  std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  return 1;
}

int Sacctmgr::print(std::string_view text) const { return print_result(text) ? 0 : 1; }

std::vector<ManualOption> sacctmgr_options() { return manual_options(texts_of<Options>(rows)); }

std::string sacctmgr_verb_lines() {
  std::string lines;
  for (const Verb& verb : verbs)
    if (verb.usage) lines += fmt::format("- {}: {}\n", verb.usage, sentence(verb.help));
  return lines;
}

int run_sacctmgr(int argc, char** argv) {
  SacctmgrOptions options;
  const std::string usage = make_usage();
  const CommandLine line =
      read_options<Options>(argc, argv, CommandTexts{usage.c_str()}, rows, options);
  if (line.exit_code) return end_early(line, argc, argv, "openapi/db");
  Sacctmgr manager(argv[0], options);
  return line.words.empty() ? converse(manager) : run_verb(manager, line.words);
}

}  // namespace sluice
