// job_columns.h: the table of squeue's columns. A new column is one row here.
#pragma once

#include <span>

#include "cli/listing/job_text.h"
#include "cli/listing/layout.h"

namespace sluice {

std::span<const Column<JobRow>> job_columns();

// What the column of this name (-O) says; empty where it says that there is none ("(null)", "N/A").
std::string job_column_value(const JobInfo& job, std::string_view name,
                             const ListingContext& context);

// The parts of a cell that other commands show in the same words.
void render_shown_id(const JobRow& row, const ListingContext&, std::string& out);
void render_state_word(const JobRow& row, const ListingContext&, std::string& out);
void render_job_name(const JobRow& row, const ListingContext&, std::string& out);
void render_partition(const JobRow& row, const ListingContext&, std::string& out);
void render_user(const JobRow& row, const ListingContext& context, std::string& out);
void render_group(const JobRow& row, const ListingContext& context, std::string& out);

}  // namespace sluice
