// records.h: jobs, nodes, partitions and licences as records of --json and --yaml: tables of
// members, under Slurm's names of schema v0.0.38. Values are those of the text listings; a new
// member is one row. Members that Sluice has no value for yet are null.
#pragma once

#include <vector>

#include "cli/listing/account_columns.h"
#include "cli/listing/document.h"
#include "cli/listing/job_text.h"
#include "cli/listing/node_text.h"
#include "common/wire/messages_reservation.h"

namespace sluice {

// Of squeue and scontrol.
void write_job_record(Document& document, const JobInfo& job, const ListingContext& context);
// Of sacct; with its batch step among the steps.
void write_account_record(Document& document, const JobInfo& job, const ListingContext& context);

void write_node_record(Document& document, const NodeInfo& info, const ListingContext& context);
void write_partition_record(Document& document, const PartitionConfig& partition,
                            const std::vector<NodeInfo>& nodes, const ListingContext& context);
void write_reservation_record(Document& document, const ReservationInfo& info,
                              const ListingContext& context);
// By name; `name` may be empty: all of them. How many there were. Under the names that later
// releases of Slurm gave them.
std::size_t write_license_records(Document& document, const ConfigReply& reply,
                                  const std::string& name);

}  // namespace sluice
