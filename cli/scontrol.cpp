// scontrol.cpp: `scontrol`: options, keywords, and the interactive mode. What the keywords do is in
// scontrol_show.cpp and scontrol_jobs.cpp, scontrol_update.cpp.
#include "cli/scontrol.h"

#include <unistd.h>

#include <cstdio>

#include <fmt/format.h>

#include "cli/client_config.h"
#include "cli/command.h"
#include "cli/document_output.h"
#include "cli/listing/options.h"
#include "cli/listing/setters.h"
#include "cli/listing/version.h"
#include "cli/manuals.h"
#include "cli/print.h"
#include "common/options/text.h"

namespace sluice {
namespace {

struct ScontrolOptions {
  bool one_line = false;
  bool details = false;
  bool quiet = false;
  std::string cluster;
  std::optional<DocumentStyle> document;
};

template <bool IsYaml>
Result<void> set_document(ScontrolOptions& options, std::string_view value) {
  options.document = TRY(parse_document_style(IsYaml, value));
  return {};
}

template <auto Member, auto Value>
constexpr auto set_to = SetTo<Member, Value>::template apply<ScontrolOptions>;

constexpr auto none = OptionArgument::none;
constexpr auto required = OptionArgument::required;

constexpr OptionRow<ScontrolOptions> rows[] = {
    {"all", 'a', none, nullptr, already_so<ScontrolOptions>, "show hidden partitions too"},
    {"cluster", 'M', required, nullptr, SetText<&ScontrolOptions::cluster>::apply<ScontrolOptions>,
     "this cluster's name, or all"},
    {"clusters", 0, required, nullptr, SetText<&ScontrolOptions::cluster>::apply<ScontrolOptions>,
     "this cluster's name, or all"},
    {"details", 'd', none, nullptr, set_to<&ScontrolOptions::details, true>,
     "more of a job or node"},
    {"federation", 0, none, nullptr, already_so<ScontrolOptions>,
     "show this cluster (it is alone)"},
    {"future", 'F', none, nullptr, already_so<ScontrolOptions>, "show future nodes too"},
    {"hide", 0, none, nullptr, already_so<ScontrolOptions>, "do not show hidden partitions"},
    {"json", 0, OptionArgument::optional, nullptr, set_document<false>,
     "show job, node, partition, reservation or licenses as one JSON document"},
    {"local", 0, none, nullptr, already_so<ScontrolOptions>, "show this cluster only"},
    {"oneliner", 'o', none, nullptr, set_to<&ScontrolOptions::one_line, true>, "one line a record"},
    {"quiet", 'Q', none, nullptr, set_to<&ScontrolOptions::quiet, true>, "no messages"},
    {"sibling", 0, none, nullptr, already_so<ScontrolOptions>, "show this cluster (it is alone)"},
    {"uid", 'u', required, nullptr, nullptr, ""},
    {"verbose", 'v', none, nullptr, already_so<ScontrolOptions>, "more messages (there are none)"},
    {"yaml", 0, OptionArgument::optional, nullptr, set_document<true>, "the same in YAML"},
};

int fail_without_rights(Control& control, const char* what, const Error& error) {
  // Slurm's words for a caller who is no administrator.
  if (error.code == ErrorCode::access_denied)
    return control.fail(fmt::format("{} error: Invalid user id", what));
  return control.fail(what, error);
}

int reconfigure(Control& control, Words) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<OkReply> reply = client->call<OkReply>(Reconfigure{});
  return reply.ok() ? 0 : fail_without_rights(control, "slurm_reconfigure", reply.error());
}

int shutdown_controller(Control& control, Words) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<OkReply> reply = client->call<OkReply>(Shutdown{});
  return reply.ok() ? 0 : fail_without_rights(control, "slurm_shutdown", reply.error());
}

int show_version(Control&, Words) {
  return print_result(fmt::format("{}\n", version_line)) ? 0 : 1;
}

constexpr std::size_t any_number = SIZE_MAX;

constexpr Keyword keywords[] = {
    {"show", 2, show, "show job|node|partition|reservation|config|hostnames|hostlist|hostlistsorted [NAME]",
     "print what the controller knows of it"},
    {"update", any_number, update,
     "update JobId=.. KEY=VALUE...   TimeLimit Nice Priority Requeue ArrayTaskThrottle\n"
     "update NodeName=.. State=DRAIN|DOWN|RESUME|UNDRAIN [Reason=..]\n"
     "update ReservationName=.. KEY=VALUE...",
     "change a job, a node or a reservation"},
    {"create", any_number, create_record, "create reservation [NAME] KEY=VALUE...",
     "keep nodes, cores or licences for some over a span of time"},
    {"delete", any_number, delete_record, "delete reservation NAME",
     "give back what a reservation keeps"},
    {"hold", any_number, hold, "hold JOB...", "keep a waiting job from starting"},
    {"uhold", any_number, user_hold, "uhold JOB...", "the same, so that its owner may release it"},
    {"release", any_number, release, "release JOB...", "let a held job start"},
    {"requeue", any_number, requeue, "requeue JOB...", "end a job and put it back into the queue"},
    {"requeuehold", any_number, requeue_hold, "requeuehold JOB...", "the same, and hold it there"},
    {"write", 3, write_batch_script, "write batch_script JOB [FILE|-]",
     "write the script of a job to a file"},
    {"completing", 0, show_completing, "completing", "the jobs that are ending, and where"},
    {"ping", 0, ping_controller, "ping", "ask whether the controller is there"},
    {"reconfigure", 0, reconfigure, "reconfigure",
     "let the controller read its configuration anew"},
    {"shutdown", 1, shutdown_controller, "shutdown", "end the controller; jobs go on"},
    {"version", 0, show_version, "version", "print the version"},
    {"abort", any_number, nullptr},
    {"cancel_reboot", any_number, nullptr},
    {"errnumstr", any_number, nullptr},
    {"fsdampeningfactor", any_number, nullptr},
    {"getaddrs", any_number, nullptr},
    {"listpids", any_number, nullptr},
    {"notify", any_number, nullptr},
    {"pidinfo", any_number, nullptr},
    {"reboot", any_number, nullptr},
    {"resume", any_number, nullptr},
    {"schedloglevel", any_number, nullptr},
    {"setdebug", any_number, nullptr},
    {"setdebugflags", any_number, nullptr},
    {"suspend", any_number, nullptr},
    {"takeover", any_number, nullptr},
    {"token", any_number, nullptr},
    {"top", any_number, nullptr},
    {"wait_job", any_number, nullptr},
};

std::string make_usage() {
  std::string text =
      "scontrol [<OPTION>] [<COMMAND>]\n"
      "    Valid <OPTION> values are listed by --help.\n"
      "    Valid <COMMAND> values are:";
  for (const Keyword& keyword : keywords)
    if (keyword.usage)
      for (std::string_view line : split(keyword.usage, '\n'))
        text += fmt::format("\n     {}", line);
  return text;
}

int run_keyword(Control& control, Words words) {
  const Keyword* keyword = find_keyword(keywords, words.front());
  if (!keyword) return control.fail(fmt::format("invalid keyword: {}", words.front()));
  if (!keyword->run)
    return control.fail(fmt::format("scontrol: error: {} is not supported yet", keyword->name));
  if (words.size() - 1 > keyword->words_max)
    return control.fail(fmt::format("too many arguments for keyword:{}", words.front()));
  if (keyword->run != show)
    if (const int refused = refuse_document(control, keyword->name)) return refused;
  return keyword->run(control, words.subspan(1));
}

// Words of a line; quotes keep blanks together.
std::vector<std::string> words_of(std::string_view line) {
  std::vector<std::string> words;
  bool inside = false;
  char quote = 0;
  for (char c : line) {
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

bool read_line(std::string& line) {
  line.clear();
  for (int c = std::getchar(); c != EOF; c = std::getchar()) {
    if (c == '\n') return true;
    line += static_cast<char>(c);
  }
  return !line.empty();
}

// Keywords line by line until `exit` or the end of input. "!!" repeats the last one.
int converse(Control& control) {
  const bool at_terminal = isatty(STDIN_FILENO) != 0;
  std::vector<std::string> last;
  std::string line;
  int exit_code = 0;
  while (true) {
    if (at_terminal) print_result("scontrol: ");
    if (!read_line(line)) return exit_code;
    std::vector<std::string> words = words_of(line);
    if (words.empty()) continue;
    if (words.front() == "!!") words = last;
    if (words.empty()) continue;
    if (words.front() == "exit" || words.front() == "quit") return exit_code;
    exit_code = run_keyword(control, words);
    last = std::move(words);
  }
}

}  // namespace

const Keyword* find_keyword(std::span<const Keyword> table, std::string_view word) {
  for (const Keyword& keyword : table)
    if (equals_ignoring_case(word, keyword.name)) return &keyword;
  for (const Keyword& keyword : table)
    if (!word.empty() &&
        equals_ignoring_case(word, std::string_view(keyword.name).substr(0, word.size())))
      return &keyword;
  return nullptr;
}

Client* Control::client() {
  if (client_) return &*client_;
  Result<ClusterConfig> config = load_client_config();
  if (!config.ok()) return fail("scontrol", config.error()), nullptr;
  const Result<void> known = check_cluster(cluster, *config);
  if (!known.ok()) return fail(known.error().detail), nullptr;
  config_ = std::move(config).value();
  context_ = context_of(*config_);
  client_.emplace(*config_);
  return &*client_;
}

int Control::fail(std::string_view text) const {
  if (!quiet) std::fprintf(stderr, "%.*s\n", static_cast<int>(text.size()), text.data());
  return 1;
}

int Control::fail(const char* what, const Error& error) const {
  fail(fmt::format("{} error: {}", what, to_text(error)));
  return exit_code_of(error);
}

std::vector<ManualOption> scontrol_options() {
  return manual_options(texts_of<ScontrolOptions>(rows));
}

std::string scontrol_keyword_lines() {
  std::string lines, refused;
  for (const Keyword& keyword : keywords) {
    if (!keyword.run) refused += fmt::format("{}`{}`", refused.empty() ? "" : ",\n", keyword.name);
    if (!keyword.usage) continue;
    for (std::string_view form : split(keyword.usage, '\n'))
      lines += fmt::format("- {}: {}\n", form, sentence(keyword.help));
  }
  return lines + "\nThese keywords of Slurm are not built yet, and are refused:\n" + refused +
         ".\n";
}

int run_scontrol(int argc, char** argv) {
  ScontrolOptions options;
  const std::string usage = make_usage();
  const CommandLine line =
      read_options<ScontrolOptions>(argc, argv, CommandTexts{usage.c_str()}, rows, options);
  if (line.exit_code) return end_early(line, argc, argv, "openapi");
  Control control(argv[0]);
  control.style = {options.one_line, options.details};
  control.quiet = options.quiet;
  control.cluster = options.cluster;
  control.document = options.document;
  return line.words.empty() ? converse(control) : run_keyword(control, line.words);
}

}  // namespace sluice
