// scontrol_show.cpp: `scontrol show ENTITY [NAME]`, and ping, whose line show config repeats.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>

#include <fmt/format.h>

#include "cli/listing/selectors.h"
#include "cli/listing/step_columns.h"
#include "cli/print.h"
#include "cli/scontrol.h"
#include "common/base/hostlist.h"

namespace sluice {
namespace {

int print(const std::string& text) { return print_result(text) ? 0 : 1; }

// Slurm tells on stdout what it did not find.
int not_found(const Control& control, const char* kind, const std::string& name) {
  if (!control.quiet) print(fmt::format("{} {} not found\n", kind, name));
  return 1;
}

const std::string* name_in(Words words) {
  return words.empty() || words.front().empty() ? nullptr : &words.front();
}

// By job or array; of an array the waiting rest first, then the tasks, newest first.
void put_in_order(std::vector<JobInfo>& jobs) {
  const auto place = [](const JobInfo& job) {
    const bool is_task = job.array && job.array->task;
    return std::pair(array_or_job_id(job), is_task ? std::int64_t{UINT32_MAX} - job.id.value : -1);
  };
  std::stable_sort(jobs.begin(), jobs.end(),
                   [&](const JobInfo& a, const JobInfo& b) { return place(a) < place(b); });
}

int show_job(Control& control, Words words) {
  QueryJobs query;
  query.filter.states = {"ALL"};
  const std::string* name = name_in(words);
  if (name) {
    Result<std::vector<JobSelector>> selectors = parse_job_selectors(*name);
    if (!selectors.ok())
      return control.fail("scontrol_print_job", Error{ErrorCode::invalid_job_id, ""});
    query.filter.jobs = std::move(selectors).value();
  }
  if (control.document) return document_jobs(control, query, name);
  Client* client = control.client();
  if (!client) return 1;
  Result<JobsAnswer> answer = ask_jobs(*client, query);
  if (!answer.ok()) return control.fail("slurm_load_jobs", answer.error());
  if (!answer->unknown.empty())
    return control.fail("slurm_load_jobs", Error{ErrorCode::invalid_job_id, ""});
  if (answer->jobs.empty() && name) return not_found(control, "Job", *name);
  if (answer->jobs.empty()) return print("No jobs in the system\n");
  control.set_as_of(answer->as_of);
  put_in_order(answer->jobs);
  std::string out;
  for (const JobInfo& job : answer->jobs)
    out += show_job_text(JobRow{&job, {}}, control.style, control.context());
  return print(out);
}

int show_node(Control& control, Words words) {
  std::vector<std::string> names;
  if (const std::string* name = name_in(words)) {
    Result<std::vector<std::string>> expanded = expand_hostlist(*name);
    if (!expanded.ok()) return control.fail("scontrol", expanded.error());
    names = std::move(expanded).value();
  }
  if (control.document) return document_nodes(control, names);
  Client* client = control.client();
  if (!client) return 1;
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return control.fail("slurm_load_node", reply.error());
  control.set_as_of(reply->as_of);
  const auto find = [&](const std::string& name) {
    return std::find_if(reply->nodes.begin(), reply->nodes.end(),
                        [&](const NodeInfo& info) { return info.node.name == name; });
  };
  std::string out;
  int exit_code = 0;
  if (names.empty())
    for (const NodeInfo& info : reply->nodes)
      out += show_node_text(info, control.style, control.context());
  for (const std::string& name : names) {
    const auto found = find(name);
    if (found == reply->nodes.end()) exit_code = not_found(control, "Node", name);
    else out += show_node_text(*found, control.style, control.context());
  }
  return print(out) != 0 ? 1 : exit_code;
}

int show_partition(Control& control, Words words) {
  const std::string* name = name_in(words);
  if (control.document) return document_partitions(control, name);
  Client* client = control.client();
  if (!client) return 1;
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return control.fail("slurm_load_partitions", reply.error());
  std::string out;
  for (const PartitionConfig& partition : reply->partitions)
    if (!name || partition.name == *name)
      out += show_partition_text(partition, reply->nodes, control.style, control.context());
  if (out.empty() && name) return not_found(control, "Partition", *name);
  return print(out);
}

int show_config(Control& control, Words) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<ConfigReply> reply = client->call<ConfigReply>(QueryConfig{});
  if (!reply.ok()) return control.fail("slurm_load_ctl_conf", reply.error());
  if (print(show_config_text(*reply, control.context())) != 0) return 1;
  return ping_controller(control, {});
}

int show_licenses(Control& control, Words words) {
  if (control.document) return document_licenses(control, name_in(words));
  Client* client = control.client();
  if (!client) return 1;
  const Result<ConfigReply> reply = client->call<ConfigReply>(QueryConfig{});
  if (!reply.ok()) return control.fail("slurm_load_licenses", reply.error());
  const std::string* name = name_in(words);
  const std::string out = show_licenses_text(*reply, name ? *name : "", control.style);
  if (!out.empty()) return print(out);
  if (name) return not_found(control, "License", *name);
  return print("No licenses configured in Slurm.\n");
}

// What Slurm says of a list that is broken, with exit code 0; here also with what is wrong.
int refuse_list(const Control& control, std::string_view list, const Error& error) {
  control.fail(fmt::format("scontrol: error: {}", to_text(error)));
  control.fail(fmt::format("Invalid hostlist: {}", list));
  return 0;
}

int show_hostnames(Control& control, Words words) {
  const char* of_job = std::getenv("SLURM_JOB_NODELIST");
  const std::string list = words.empty() ? (of_job ? of_job : "") : words.front();
  if (list.empty()) {
    control.fail("scontrol: error: host list is empty");
    return 0;
  }
  const Result<std::vector<std::string>> names = expand_hostlist(list);
  if (!names.ok()) return refuse_list(control, list, names.error());
  std::string out;
  for (const std::string& name : *names) out.append(name).append("\n");
  return print(out);
}

template <bool Sorted>
int show_hostlist(Control& control, Words words) {
  if (words.empty()) {
    control.fail("scontrol: error: host list is empty");
    return 0;
  }
  const Result<std::vector<std::string>> names = expand_hostlist(words.front());
  if (!names.ok()) return refuse_list(control, words.front(), names.error());
  return print((Sorted ? compress_hostlist_sorted(*names) : compress_hostlist(*names)) + "\n");
}

int show_step(Control& control, Words words) {
  const std::string* name = name_in(words);
  Result<std::vector<StepSelector>> steps = parse_step_selectors(name ? *name : "");
  if (!steps.ok()) return control.fail("slurm_get_job_steps", steps.error());
  QueryJobs query;
  query.filter.states = live_job_states();
  for (const StepSelector& step : *steps) query.filter.jobs.push_back(step.job);
  Client* client = control.client();
  if (!client) return 1;
  Result<JobsAnswer> answer = ask_jobs(*client, query);
  if (!answer.ok()) return control.fail("slurm_get_job_steps", answer.error());
  control.set_as_of(answer->as_of);
  put_in_order(answer->jobs);
  std::string out;
  for (const JobInfo& job : answer->jobs)
    if (shows_batch_step(job, *steps)) out += show_step_text(job, control.style, control.context());
  if (!out.empty()) return print(out);
  return name ? not_found(control, "Job step", *name) : print("No job steps in the system\n");
}

// The daemons of this machine.
int show_daemons(Control& control, Words) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return control.fail("slurm_load_node", reply.error());
  char host[256] = {};
  gethostname(host, sizeof host - 1);
  std::string out = client->is_on_controller_host() ? "slurmctld " : "";
  if (std::any_of(reply->nodes.begin(), reply->nodes.end(),
                  [&](const NodeInfo& info) { return info.node.identity.host == host; }))
    out += "slurmd";
  return print(out + "\n");
}

// Names of nodes that a host has beside its own.
int show_aliases(Control& control, Words words) {
  const std::string* host = name_in(words);
  Client* client = control.client();
  if (!client) return 1;
  const Result<NodesReply> reply = client->call<NodesReply>(QueryNodes{});
  if (!reply.ok()) return control.fail("slurm_load_node", reply.error());
  std::string out;
  for (const NodeInfo& info : reply->nodes)
    if (host && info.node.identity.host == *host && info.node.name != *host)
      out.append(out.empty() ? "" : " ").append(info.node.name);
  return out.empty() ? 0 : print(out + "\n");
}

int show_topology(Control& control, Words) {
  control.fail("scontrol: error: No topology information available");
  return 0;
}

constexpr Keyword entities[] = {
    {"jobs", 1, show_job},
    {"jobid", 1, show_job},
    {"nodes", 1, show_node},
    {"nodename", 1, show_node},
    {"partitions", 1, show_partition},
    {"partitionname", 1, show_partition},
    {"config", 0, show_config},
    {"licenses", 1, show_licenses},
    {"hostlistsorted", 1, show_hostlist<true>},
    {"hostlist", 1, show_hostlist<false>},
    {"hostnames", 1, show_hostnames},
    {"reservations", 1, show_reservations},
    {"reservationname", 1, show_reservations},
    {"aliases", 1, show_aliases},
    {"daemons", 0, show_daemons},
    {"steps", 1, show_step},
    {"topology", 1, show_topology},
    {"assoc_mgr", 1, nullptr},
    {"bbstat", 1, nullptr},
    {"burstbuffer", 1, nullptr},
    {"dwstat", 1, nullptr},
    {"federation", 1, nullptr},
    {"frontend", 1, nullptr},
    {"powercap", 1, nullptr},
    {"slurmd", 1, nullptr},
};

bool gives_document(const Keyword& entity) {
  return entity.run == show_job || entity.run == show_node || entity.run == show_partition ||
         entity.run == show_licenses || entity.run == show_reservations;
}

}  // namespace

int show_completing(Control& control, Words) {
  QueryJobs query;
  query.filter.states = {"COMPLETING"};
  Client* client = control.client();
  if (!client) return 1;
  const Result<JobsAnswer> answer = ask_jobs(*client, query);
  if (!answer.ok()) return control.fail("slurm_load_jobs", answer.error());
  control.set_as_of(answer->as_of);
  std::string out;
  for (const JobInfo& job : answer->jobs) out += completing_text(job, control.context());
  return print(out);
}

int ping_controller(Control& control, Words) {
  Client* client = control.client();
  if (!client) return 1;
  const Result<PingReply> reply = client->call<PingReply>(Ping{});
  if (reply.ok()) return print(fmt::format("Slurmctld(primary) at {} is UP\n", reply->host));
  print("Slurmctld(primary) is DOWN\n");
  return control.fail("slurm_ping", reply.error());
}

// "show job 5", "show job=5"; the entity may be abbreviated.
int show(Control& control, Words words) {
  if (words.empty()) return control.fail("too few arguments for keyword:show");
  const std::size_t equals = words.front().find('=');
  const std::string entity_name = words.front().substr(0, equals);
  std::vector<std::string> rest(words.begin() + 1, words.end());
  if (equals != std::string::npos) rest.insert(rest.begin(), words.front().substr(equals + 1));
  const Keyword* entity = find_keyword(entities, entity_name);
  if (!entity) return control.fail(fmt::format("invalid entity:{} for keyword:show ", entity_name));
  if (!entity->run)
    return control.fail(fmt::format("scontrol: error: show {} is not supported yet", entity->name));
  if (rest.size() > entity->words_max) return control.fail("too many arguments for keyword:show");
  if (!gives_document(*entity))
    if (const int refused = refuse_document(control, std::string("show ") + entity->name))
      return refused;
  return entity->run(control, rest);
}

}  // namespace sluice
