// scontrol.h: what the parts of scontrol share: the options, the connection made when first needed,
// and the table of keywords.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "cli/ask.h"
#include "cli/listing/document.h"
#include "cli/listing/show_text.h"

namespace sluice {

// One use of the program; in interactive mode of many keywords.
class Control {
 public:
  explicit Control(const char* command) : command_(command) {}

  ShowStyle style;
  bool quiet = false;
  std::string cluster;
  std::optional<DocumentStyle> document;  // --json, --yaml

  const char* command() const { return command_; }
  // Loads the configuration and opens the connection at the first call. None: told, exit with 1.
  Client* client();
  const ListingContext& context() const { return *context_; }
  void set_as_of(WallTime as_of) { context_->as_of = as_of; }

  // A line on stderr, unless -Q; returns 1.
  int fail(std::string_view text) const;
  // "WHAT error: TEXT"; returns the exit code of the error.
  int fail(const char* what, const Error& error) const;

 private:
  const char* command_;
  std::optional<ClusterConfig> config_;
  std::optional<ListingContext> context_;
  std::optional<Client> client_;
};

using Words = std::span<const std::string>;

struct Keyword {
  const char* name;
  std::size_t words_max;                      // behind the keyword
  int (*run)(Control& control, Words words);  // null: Slurm's, not honoured yet
  const char* usage = nullptr;                // lines of --help and the man page; null: of none
  const char* help = nullptr;
};

// A keyword or entity that gives no document although one is asked for: refused; 0: there is one.
int refuse_document(const Control& control, std::string_view word);

// The first row that `word` is, in any case, or abbreviates.
const Keyword* find_keyword(std::span<const Keyword> table, std::string_view word);

int show(Control& control, Words words);
// The same records as documents. `names` empty: all.
int document_jobs(Control& control, const QueryJobs& query, const std::string* name);
int document_nodes(Control& control, const std::vector<std::string>& names);
int document_partitions(Control& control, const std::string* name);
int document_licenses(Control& control, const std::string* name);
int update(Control& control, Words words);
int create_record(Control& control, Words words);
int delete_record(Control& control, Words words);
// "reservationname=X ...", "reservation X ...".
bool is_about_reservation(Words words);
int update_reservation(Control& control, Words words);
int show_reservations(Control& control, Words words);
int hold(Control& control, Words words);
int user_hold(Control& control, Words words);
int release(Control& control, Words words);
int requeue(Control& control, Words words);
int requeue_hold(Control& control, Words words);
int write_batch_script(Control& control, Words words);
int show_completing(Control& control, Words words);
int ping_controller(Control& control, Words words);

}  // namespace sluice
