// job_text.h: the facts of a job that several commands show in the same way. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "cli/listing/amount_text.h"
#include "cli/listing/context.h"
#include "common/wire/messages.h"

namespace sluice {

// One line of a listing: a record, or one waiting task of an array's record (squeue -r). The record
// must outlive the row.
struct JobRow {
  const JobInfo* job = nullptr;
  std::optional<std::uint32_t> waiting_task;
};

// "5", "5_3", "5_[1-3,7%2]": what users call the job.
void append_shown_id(const JobRow& row, std::string& out);
// "3", "1-3,7%2"; false and nothing appended where the job is not of an array.
bool append_task(const JobRow& row, std::string& out);
// Means this record alone: of an array its task, or what waits of it.
JobSelector selector_of(const JobInfo& job);
JobId array_or_job_id(const JobInfo& job);

std::uint64_t cpus_of(const JobInfo& job);  // held, or asked while waiting
std::uint64_t nodes_of(const JobInfo& job);
std::uint64_t mem_mb_of(const JobInfo& job);
std::uint32_t cpus_per_node_min(const JobInfo& job);
// What is held, or asked while waiting.
TresAmounts tres_of(const JobInfo& job);
// What was asked, whatever is held.
TresAmounts tres_asked(const JobInfo& job);

std::string nodelist_of(const JobInfo& job);
// Empty while nothing is held.
std::string batch_host_of(const JobInfo& job);

// Of the current or last run.
std::int64_t elapsed_s(const JobInfo& job, WallTime as_of);
TimeLimit limit_of(const JobInfo& job);
// It waits for its --begin.
bool is_deferred(const JobInfo& job);
// When it started, or where that is known: may start.
std::optional<WallTime> start_of(const JobInfo& job);
// When it ended, or will at the latest; none while waiting or without a limit.
std::optional<WallTime> end_of(const JobInfo& job);

// Slurm's order of states: PENDING first, then RUNNING, then the ends.
int state_order(const JobInfo& job);

std::string user_of(const JobInfo& job, const ListingContext& context);
std::string group_of(const JobInfo& job, const ListingContext& context);
// Slurm's one word for why it waits or how it ended, and the sentence with numbers (may be empty).
const char* reason_word(const JobInfo& job);
std::string reason_sentence(const JobInfo& job);

// "gres:gpu:2"; empty: none.
// "OK", "YES", "USER" or "NO".
const char* sharing_word(const JobInfo& job);
// 0 is shown as "*": any number.
std::string number_or_star(std::uint32_t number);
// GPUs asked for by job, by task and by socket, in the form of tres_per_node_text(); empty: none.
std::string tres_per_job_text(const JobInfo& job);
std::string tres_per_task_text(const JobInfo& job);
std::string tres_per_socket_text(const JobInfo& job);
// "gres:gpu:2", "gres:gpu:512": cpus and MB for each GPU; empty: not asked for.
std::string cpus_per_tres_text(const JobInfo& job);
std::string mem_per_tres_text(const JobInfo& job);
std::string tres_per_node_text(const JobInfo& job);

}  // namespace sluice
