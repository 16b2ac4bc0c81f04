// show_text.h: the records of `scontrol show`: key=value pairs on indented lines, or with -o all on
// one line. Pure. The keys and their order are Slurm's; what Sluice adds stands at the end.
#pragma once

#include <string>
#include <vector>

#include "cli/listing/job_text.h"
#include "cli/listing/node_text.h"
#include "common/wire/messages_reservation.h"

namespace sluice {

struct ShowStyle {
  bool one_line = false;
  bool details = false;
};

// Lines of one record, with their line ends (and the empty line behind a record of several lines).
std::string record_text(const std::vector<std::string>& lines, const ShowStyle& style);

std::string show_job_text(const JobRow& row, const ShowStyle& style, const ListingContext& context);
// Of the batch step of a running job.
std::string show_step_text(const JobInfo& job, const ShowStyle& style,
                           const ListingContext& context);
// "JobId=5 EndTime=... CompletingTime=00:00:03 Nodes(COMPLETING)=n1".
std::string completing_text(const JobInfo& job, const ListingContext& context);
std::string show_node_text(const NodeInfo& info, const ShowStyle& style,
                           const ListingContext& context);
std::string show_partition_text(const PartitionConfig& partition,
                                const std::vector<NodeInfo>& nodes, const ShowStyle& style,
                                const ListingContext& context);
// By name; `name` may be empty: all of them. No blank lines between: Slurm has none here.
std::string show_licenses_text(const ConfigReply& reply, const std::string& name,
                               const ShowStyle& style);
std::string show_reservation_text(const ReservationInfo& info, const ShowStyle& style,
                                  const ListingContext& context);
// `sinfo -T`: a line a reservation.
std::string reservation_table(const ReservationsReply& reply, bool has_heading,
                              const ListingContext& context);
std::string show_config_text(const ConfigReply& reply, const ListingContext& context);

}  // namespace sluice
