// document_output.cpp: the frame around the records.
#include "cli/document_output.h"

#include <algorithm>

#include <fmt/format.h>

#include "cli/listing/version.h"
#include "cli/print.h"
#include "common/options/text.h"

namespace sluice {
namespace {

void write_meta(Document& document, std::string_view command, std::string_view plugin) {
  const std::string_view version = std::string_view(version_line).substr(6);
  document.begin_object("meta");
  document.begin_object("plugin");
  document.text("type", fmt::format("{}{}{}", plugin, plugin == "openapi" ? "/" : "",
                                    schema_name(document.style())));
  document.text("name", plugin == "openapi" ? "Slurm OpenAPI" : "Slurm OpenAPI DB");
  document.end_object();
  document.begin_object("Slurm");
  document.begin_object("version");
  const char* const names[] = {"major", "minor", "micro"};
  const std::vector<std::string_view> parts = split(version, '.');
  for (std::size_t i = 0; i < std::size(names) && i < parts.size(); ++i)
    document.number(names[i], parse_number(parts[i]).value_or(0));
  document.end_object();
  document.text("release", version);
  document.end_object();
  document.text("command", command);
  document.end_object();
}

}  // namespace

DocumentOutput::DocumentOutput(const DocumentStyle& style, std::string_view command,
                               std::string_view plugin)
    : document_(style, [](std::string_view text) { return print_result(text); }) {
  document_.begin_object();
  write_meta(document_, command, plugin);
}

void DocumentOutput::add_error(std::string_view source, const Error& error) {
  problems_.push_back({std::string(source), error});
}

int DocumentOutput::finish(int exit_code) {
  document_.begin_list("errors");
  for (const Problem& problem : problems_) {
    document_.begin_object();
    document_.text("error", to_text(problem.error));
    document_.number("error_number", static_cast<std::uint32_t>(problem.error.code));
    document_.text("error_name", error_row(problem.error.code).name);
    document_.text("source", problem.source);
    document_.end_object();
  }
  document_.end_list();
  document_.end_object();
  return document_.flush() || exit_code != 0 ? exit_code : 1;
}

int fail_document(const DocumentStyle& style, std::string_view command, std::string_view plugin,
                  const Error& error, int exit_code) {
  DocumentOutput output(style, command, plugin);
  output.add_error(command, error);
  return output.finish(exit_code);
}

int fail_command(std::string_view command, const std::optional<DocumentStyle>& style,
                 std::string_view plugin, std::string text) {
  print_error(command, text);
  if (!style) return 1;
  return fail_document(*style, command, plugin, {ErrorCode::invalid_option, std::move(text)}, 1);
}

int end_early(const CommandLine& line, int argc, char** argv, std::string_view plugin) {
  for (int i = 1; i < argc && !line.mistake.empty(); ++i) {
    const std::string_view word = argv[i];
    const bool is_yaml = word.starts_with("--yaml");
    if (!is_yaml && !word.starts_with("--json")) continue;
    const Result<DocumentStyle> style =
        parse_document_style(is_yaml, word.substr(std::min<std::size_t>(word.size(), 7)));
    return fail_document(style.ok() ? *style : DocumentStyle{is_yaml, false}, argv[0], plugin,
                         {ErrorCode::invalid_option, line.mistake}, *line.exit_code);
  }
  return *line.exit_code;
}

}  // namespace sluice
