// document_output.h: one document of --json or --yaml on stdout: "meta", the records while they
// arrive, and last "errors", which is empty when all went well. A command that fails, at whatever
// moment, ends its document all the same.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "cli/client.h"
#include "cli/listing/document.h"
#include "cli/listing/options.h"

namespace sluice {

class DocumentOutput {
 public:
  // `plugin` is Slurm's family of schemas: "openapi", or "openapi/db" of accounting.
  DocumentOutput(const DocumentStyle& style, std::string_view command, std::string_view plugin);

  Document& document() { return document_; }
  // Told on stderr by the caller; here it is part of the answer.
  void add_error(std::string_view source, const Error& error);
  // Ends the document. Gives the exit code; one of 0 becomes 1 where the document cannot be
  // written.
  int finish(int exit_code);

 private:
  struct Problem {
    std::string source;
    Error error;
  };
  Document document_;
  std::vector<Problem> problems_;
};

// A document that holds nothing but one error.
int fail_document(const DocumentStyle& style, std::string_view command, std::string_view plugin,
                  const Error& error, int exit_code);
// "COMMAND: error: TEXT" and, where one was asked for, the document that says it. Returns 1.
int fail_command(std::string_view command, const std::optional<DocumentStyle>& style,
                 std::string_view plugin, std::string text);
// A command line that is over at once (help, a mistake): the exit code. A mistake is a document too
// where the line asks for one.
int end_early(const CommandLine& line, int argc, char** argv, std::string_view plugin);

// How many records are asked for at a time: what both ends hold of a listing.
inline constexpr std::uint32_t document_page_rows = 4000;

// Asks page after page; visit(JobsReply&&) gets all parts in order.
template <class Visit>
Result<void> visit_pages(Client& client, QueryJobs query, Visit&& visit) {
  query.rows_max = document_page_rows;
  while (true) {
    std::optional<JobId> next;
    TRY(client.call_parts<JobsReply>(query, [&](JobsReply&& part) {
      next = part.next;
      visit(std::move(part));
    }));
    if (!next) return {};
    query.filter.after = *next;
  }
}

}  // namespace sluice
