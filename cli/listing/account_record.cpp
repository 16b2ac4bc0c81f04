// account_record.cpp: a job of accounting as sacct writes it, its batch step within.
#include <fmt/format.h>

#include "cli/listing/account_text.h"
#include "cli/listing/job_columns.h"
#include "cli/listing/record_field.h"
#include "cli/listing/records.h"

namespace sluice {
namespace {

using Context = ListingContext;
using Field = RecordField<AccountRow>;

template <std::string JobNames::*Member>
void name_of(Document& out, std::string_view name, const AccountRow& row, const Context&) {
  out.text_or_null(name, row.job->names.*Member);
}
template <auto Function>
void text_of(Document& out, std::string_view name, const AccountRow& row, const Context& context) {
  out.text_or_null(name, Function(row, context));
}
template <auto Function>
void number_of(Document& out, std::string_view name, const AccountRow& row,
               const Context& context) {
  out.number(name, Function(row, context));
}
// An object of few members.
template <void (*Write)(Document&, const AccountRow&, const Context&)>
void object(Document& out, std::string_view name, const AccountRow& row, const Context& context) {
  out.begin_object(name);
  Write(out, row, context);
  out.end_object();
}

void write_comments(Document& out, const AccountRow& row, const Context&) {
  out.null("administrator");
  out.text_or_null("job", row.job->names.comment);
  out.null("system");
}

void write_array(Document& out, const AccountRow& row, const Context&) {
  const JobInfo& job = *row.job;
  const bool is_task = job.array && job.array->task;
  const bool waits = job.array && !is_task;
  const std::uint64_t limit = job.asked.array_max_running;
  out.amount("job_id",
             job.array ? std::optional<std::uint64_t>(job.array->array_id.value) : std::nullopt);
  out.begin_object("limits");
  out.begin_object("max");
  out.begin_object("running");
  out.amount("tasks", limit > 0 ? std::optional(limit) : std::nullopt);
  out.end_object();
  out.end_object();
  out.end_object();
  out.amount("task_id", is_task ? std::optional<std::uint64_t>(*job.array->task) : std::nullopt);
  out.text_or_null("task", waits ? to_text(job.array->waiting) : std::string{});
}

void write_association(Document& out, const AccountRow& row, const Context& context) {
  out.text_or_null("account", row.job->names.account);
  out.text_or_null("cluster", context.cluster);
  out.null("partition");
  out.text_or_null("user", user_of(*row.job, context));
}

void write_status(Document& out, const ExitStatus& status) {
  out.text("status", status.signal != 0 ? "SIGNALED" : status.code != 0 ? "ERROR" : "SUCCESS");
  out.number("return_code", status.code);
  const bool signalled = status.signal != 0;
  out.amount("signal", signalled ? std::optional<std::uint64_t>(status.signal) : std::nullopt);
}
void write_exit(Document& out, const AccountRow& row, const Context&) {
  write_status(out, account_exit(*row.job, row.is_batch_step));
}
void write_no_exit(Document& out, const AccountRow&, const Context&) { write_status(out, {}); }

void write_cpu_time(Document& out, const char* name, std::uint64_t microseconds) {
  out.begin_object(name);
  out.number("seconds", microseconds / 1'000'000);
  out.number("microseconds", microseconds % 1'000'000);
  out.end_object();
}

void write_run_times(Document& out, const AccountRow& row, const Context& context) {
  const JobInfo& job = *row.job;
  out.number("elapsed", elapsed_s(job, context.as_of));
  out.amount("start", seconds_or_none(account_start(job)));
  out.amount("end", seconds_or_none(job.times.ended));
  out.number("suspended", 0U);
  write_cpu_time(out, "system", job.usage.system_cpu_us);
  write_cpu_time(out, "user", job.usage.user_cpu_us);
  write_cpu_time(out, "total", job.usage.system_cpu_us + job.usage.user_cpu_us);
}

void write_times(Document& out, const AccountRow& row, const Context& context) {
  const TimeLimit limit = limit_of(*row.job);
  write_run_times(out, row, context);
  out.amount("eligible", seconds_or_none(row.job->times.eligible));
  out.amount("submission", seconds_or_none(row.job->times.submitted));
  out.amount("limit", limit.minutes, limit.unlimited);
}

void write_required(Document& out, const AccountRow& row, const Context&) {
  const TresAmounts asked = tres_asked(*row.job);
  out.number("CPUs", asked.cpus);
  out.number("memory", asked.mem_mb);
}

void write_reservation(Document& out, const AccountRow& row, const Context&) {
  const auto& names = row.job->asked.placement.reservations;
  out.null("id");
  out.text_or_null("name", fmt::format("{}", fmt::join(names, ",")));
}

void write_state(Document& out, const AccountRow& row, const Context&) {
  const JobInfo& job = *row.job;
  out.state("current", account_state(job, row.is_batch_step));
  out.text("reason", reason_word(job));
  out.text_or_null("reason_detail", reason_sentence(job));
}

void write_amount(Document& out, std::string_view type, std::string_view name,
                  std::uint64_t count) {
  if (count == 0) return;
  out.begin_object();
  out.text("type", type);
  out.text_or_null("name", name);
  out.number("count", count);
  out.end_object();
}
void write_amounts(Document& out, const char* name, const TresAmounts& amounts) {
  out.begin_list(name);
  write_amount(out, "cpu", "", amounts.cpus);
  write_amount(out, "mem", "", amounts.mem_mb);
  write_amount(out, "node", "", amounts.nodes);
  write_amount(out, "billing", "", amounts.billing);
  for (const GresCount& gres : amounts.gres) write_amount(out, "gres", gres.name, gres.count);
  out.end_list();
}
void write_tres(Document& out, const AccountRow& row, const Context&) {
  write_amounts(out, "allocated", tres_held_by(*row.job, row.is_batch_step));
  if (!row.is_batch_step) write_amounts(out, "requested", tres_asked(*row.job));
}

void write_wckey(Document& out, const AccountRow& row, const Context&) {
  out.text_or_null("wckey", row.job->names.wckey);
  out.words("flags", {});
}

// --- the batch step ------------------------------------------------------------------------------
void write_step_nodes(Document& out, const AccountRow& row, const Context&) {
  const std::string host = batch_host_of(*row.job);
  out.number("count", 1U);
  out.text_or_null("range", host);
  out.words("list", {host});
}
void write_step_name(Document& out, const AccountRow& row, const Context&) {
  out.number("job_id", row.job->id.value);
  out.text("id", "batch");
  out.text("name", "batch");
}
void write_step_tasks(Document& out, const AccountRow&, const Context&) { out.number("count", 1U); }
void write_step_use(Document& out, const AccountRow& row, const Context&) {
  const std::uint64_t peak_kb = row.job->usage.mem_peak_kb;
  out.amount("memory_peak_kb", peak_kb > 0 ? std::optional(peak_kb) : std::nullopt);
}

constexpr Field step_fields[] = {
    {"step", object<write_step_name>},
    {"nodes", object<write_step_nodes>},
    {"tasks", object<write_step_tasks>},
    {"time", object<write_run_times>},
    {"exit_code", object<write_exit>},
    {"state",
     text_of<[](const AccountRow& row, const Context&) { return account_state(*row.job, true); }>},
    {"statistics", object<write_step_use>},
    {"tres", object<write_tres>},
};

void write_steps(Document& out, std::string_view name, const AccountRow& row,
                 const Context& context) {
  out.begin_list(name);
  if (has_batch_step(*row.job)) {
    out.begin_object();
    write_fields<AccountRow>(step_fields, out, AccountRow{row.job, true}, context);
    out.end_object();
  }
  out.end_list();
}

constexpr Field fields[] = {
    {"account", name_of<&JobNames::account>},
    {"comment", object<write_comments>},
    {"allocation_nodes", number_of<[](const AccountRow& row, const Context&) {
       return tres_held_by(*row.job, false).nodes;
     }>},
    {"array", object<write_array>},
    {"association", object<write_association>},
    {"cluster", text_of<[](const AccountRow&, const Context& context) { return context.cluster; }>},
    {"constraints", text_of<[](const AccountRow& row, const Context& context) {
       return job_column_value(*row.job, "feature", context);
     }>},
    {"container", no_value},
    {"derived_exit_code", object<write_no_exit>},
    {"time", object<write_times>},
    {"exit_code", object<write_exit>},
    {"flags", no_elements},
    {"group",
     text_of<[](const AccountRow& row, const Context& c) { return group_of(*row.job, c); }>},
    {"het", no_value},
    {"job_id", number_of<[](const AccountRow& row, const Context&) { return row.job->id.value; }>},
    {"name", name_of<&JobNames::name>},
    {"mcs", no_value},
    {"nodes", text_of<[](const AccountRow& row, const Context&) { return nodelist_of(*row.job); }>},
    {"partition", name_of<&JobNames::partition>},
    {"priority",
     number_of<[](const AccountRow& row, const Context&) { return row.job->wait.priority; }>},
    {"qos", name_of<&JobNames::qos>},
    {"required", object<write_required>},
    {"restart_cnt",
     number_of<[](const AccountRow& row, const Context&) { return row.job->run.value; }>},
    {"kill_request_user", text_of<[](const AccountRow& row, const Context& context) {
       const auto uid = row.job->end ? row.job->end->cause.uid : std::nullopt;
       return uid && context.user_name ? context.user_name(*uid) : std::string{};
     }>},
    {"reservation", object<write_reservation>},
    {"state", object<write_state>},
    {"steps", write_steps},
    {"submit_line",
     text_of<[](const AccountRow& row, const Context&) { return row.job->files.submit_line; }>},
    {"tres", object<write_tres>},
    {"user", text_of<[](const AccountRow& row, const Context& c) { return user_of(*row.job, c); }>},
    {"wckey", object<write_wckey>},
    {"working_directory",
     text_of<[](const AccountRow& row, const Context&) { return row.job->files.work_dir; }>},
};

}  // namespace

void write_account_record(Document& document, const JobInfo& job, const ListingContext& context) {
  document.begin_object();
  write_fields<AccountRow>(fields, document, AccountRow{&job, false}, context);
  document.end_object();
}

}  // namespace sluice
