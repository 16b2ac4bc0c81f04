// scontrol_documents.cpp: `scontrol show job|node|partition|licenses` with --json or --yaml.
#include <algorithm>

#include <fmt/format.h>

#include "cli/document_output.h"
#include "cli/listing/job_list.h"
#include "cli/listing/records.h"
#include "cli/scontrol.h"

namespace sluice {
namespace {

constexpr std::string_view plugin = "openapi";

// The configuration cannot be read; client() has told it.
int fail_unconfigured(const Control& control) {
  return fail_document(*control.document, control.command(), plugin,
                       {ErrorCode::config_invalid, "the configuration cannot be read"}, 1);
}

int tell(Control& control, DocumentOutput& output, const char* what, const Error& error) {
  output.add_error(what, error);
  return control.fail(what, error);
}

int fail_whole(Control& control, const char* what, const Error& error) {
  return fail_document(*control.document, control.command(), plugin, error,
                       control.fail(what, error));
}

}  // namespace

int document_jobs(Control& control, const QueryJobs& query, const std::string* name) {
  Client* client = control.client();
  if (!client) return fail_unconfigured(control);
  DocumentOutput output(*control.document, control.command(), plugin);
  output.document().begin_list("jobs");
  bool is_empty = true;
  std::vector<JobId> unknown;
  const Result<void> asked = visit_pages(*client, query, [&](JobsReply&& part) {
    control.set_as_of(part.as_of);
    unknown.insert(unknown.end(), part.unknown.begin(), part.unknown.end());
    narrow_to_selected(part.jobs, query.filter.jobs);
    for (const JobInfo& job : part.jobs)
      write_job_record(output.document(), job, control.context());
    is_empty = is_empty && part.jobs.empty();
  });
  output.document().end_list();
  int exit_code = 0;
  if (!asked.ok()) exit_code = tell(control, output, "slurm_load_jobs", asked.error());
  else if (!unknown.empty() || (is_empty && name))
    exit_code = tell(control, output, "slurm_load_jobs", {ErrorCode::invalid_job_id, ""});
  return output.finish(exit_code);
}

int document_nodes(Control& control, const std::vector<std::string>& names) {
  Client* client = control.client();
  if (!client) return fail_unconfigured(control);
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{names});
  if (!reply.ok()) return fail_whole(control, "slurm_load_node", reply.error());
  control.set_as_of(reply->as_of);
  DocumentOutput output(*control.document, control.command(), plugin);
  output.document().begin_list("nodes");
  for (const NodeInfo& info : reply->nodes)
    write_node_record(output.document(), info, control.context());
  output.document().end_list();
  int exit_code = 0;
  for (const std::string& name : names) {
    const bool known = std::any_of(reply->nodes.begin(), reply->nodes.end(),
                                   [&](const NodeInfo& info) { return info.node.name == name; });
    if (!known)
      exit_code = tell(control, output, "slurm_load_node", {ErrorCode::invalid_node, name});
  }
  return output.finish(exit_code);
}

int document_partitions(Control& control, const std::string* name) {
  Client* client = control.client();
  if (!client) return fail_unconfigured(control);
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return fail_whole(control, "slurm_load_partitions", reply.error());
  DocumentOutput output(*control.document, control.command(), plugin);
  bool is_empty = true;
  output.document().begin_list("partitions");
  for (const PartitionConfig& partition : reply->partitions) {
    if (name && partition.name != *name) continue;
    write_partition_record(output.document(), partition, reply->nodes, control.context());
    is_empty = false;
  }
  output.document().end_list();
  const int exit_code = is_empty && name ? tell(control, output, "slurm_load_partitions",
                                                {ErrorCode::invalid_partition, *name})
                                         : 0;
  return output.finish(exit_code);
}

int document_licenses(Control& control, const std::string* name) {
  Client* client = control.client();
  if (!client) return fail_unconfigured(control);
  const Result<ConfigReply> reply = client->call<ConfigReply>(QueryConfig{});
  if (!reply.ok()) return fail_whole(control, "slurm_load_licenses", reply.error());
  DocumentOutput output(*control.document, control.command(), plugin);
  output.document().begin_list("licenses");
  const std::size_t count = write_license_records(output.document(), *reply, name ? *name : "");
  output.document().end_list();
  const int exit_code = count == 0 && name ? tell(control, output, "slurm_load_licenses",
                                                  {ErrorCode::invalid_license, *name})
                                           : 0;
  return output.finish(exit_code);
}

int refuse_document(const Control& control, std::string_view word) {
  if (!control.document) return 0;
  const std::string text = fmt::format(
      "{} gives no document; --json and --yaml belong to show job, node, partition, reservation and licenses",
      word);
  control.fail(fmt::format("scontrol: error: {}", text));
  return fail_document(*control.document, control.command(), plugin,
                       {ErrorCode::not_supported, text}, 1);
}

}  // namespace sluice
