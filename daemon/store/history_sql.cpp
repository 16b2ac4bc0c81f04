// history_sql.cpp: each part of the filter is a condition; the most selective one drives, as a set of
// job ids found through an index.
#include "daemon/store/history_sql.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "common/model/job.h"

namespace sluice {
namespace {

// Numbers go into the text; strings never do, they are parameters.
class Builder {
 public:
  void require(std::string condition) { conditions_.push_back(std::move(condition)); }
  // "?1, ?2"
  std::string parameters(const std::vector<std::string>& values) {
    std::string list;
    for (const std::string& value : values) {
      sql_.values.push_back(value);
      list += fmt::format("{}?{}", list.empty() ? "" : ", ", sql_.values.size());
    }
    return list;
  }
  HistorySql finish(std::string_view select, std::string_view order) && {
    sql_.text = select;
    const char* glue = " WHERE ";
    for (const std::string& condition : conditions_) {
      sql_.text += glue + condition;
      glue = " AND ";
    }
    sql_.text += order;
    return std::move(sql_);
  }

 private:
  HistorySql sql_;
  std::vector<std::string> conditions_;
};

template <class Values>
std::string numbers(const Values& values) {
  return fmt::format("{}", fmt::join(values, ", "));
}

bool is_all(const std::vector<std::string>& states) {
  return states.empty() || std::find(states.begin(), states.end(), "ALL") != states.end();
}

// --- which jobs come into question -------------------------------------------------------------

std::string selected_ids(const std::vector<JobSelector>& selectors) {
  std::vector<std::uint32_t> ids;
  std::string found;
  for (const JobSelector& selector : selectors) {
    ids.push_back(selector.job.value);
    for (const IndexRange& range : selector.tasks.ranges)
      found += fmt::format(
          " UNION SELECT job_id FROM job WHERE array_id = {} AND task BETWEEN {} AND {}",
          selector.job.value, range.first, range.last);
    if (selector.tasks.empty())
      found += fmt::format(" UNION SELECT job_id FROM job WHERE array_id = {}", selector.job.value);
  }
  return fmt::format("SELECT job_id FROM job WHERE job_id IN ({}){}", numbers(ids), found);
}

// Ended within the window, or not ended. NULL sorts first, so both are ranges of one index.
std::string in_window_ids(const JobFilter& filter) {
  const std::string index = filter.uids.empty() ? "job_ended" : "job_user_ended";
  const std::string user =
      filter.uids.empty() ? "" : fmt::format("uid IN ({}) AND ", numbers(filter.uids));
  return fmt::format(
      "SELECT job_id FROM job INDEXED BY {0} WHERE {1}ended_us >= {2} UNION ALL "
      "SELECT job_id FROM job INDEXED BY {0} WHERE {1}ended_us IS NULL",
      index, user, to_us(*filter.since));
}

std::string candidate_ids(const JobFilter& filter, Builder& builder) {
  if (!filter.jobs.empty()) return selected_ids(filter.jobs);
  if (filter.since) return in_window_ids(filter);
  if (!filter.names.empty())
    return fmt::format(
        "SELECT job_id FROM job INDEXED BY job_spec WHERE spec_id IN "
        "(SELECT spec_id FROM spec INDEXED BY spec_name WHERE name IN ({}))",
        builder.parameters(filter.names));
  if (!filter.uids.empty())
    return fmt::format("SELECT job_id FROM job INDEXED BY job_user_ended WHERE uid IN ({})",
                       numbers(filter.uids));
  return {};
}

// --- conditions on state and time, of a job row or of a run row --------------------------------

std::string in_window(const JobFilter& filter, const char* row, const char* from) {
  std::string text = fmt::format("{}.{} IS NOT NULL", row, from);
  if (filter.until) text += fmt::format(" AND {}.{} <= {}", row, from, to_us(*filter.until));
  if (filter.since)
    text += fmt::format(" AND ({0}.ended_us IS NULL OR {0}.ended_us >= {1})", row,
                        to_us(*filter.since));
  return text;
}

std::string was_pending(const JobFilter& filter, const char* row) {
  std::string text = in_window(filter, row, "submitted_us");
  if (filter.since)
    text += fmt::format(" AND ({0}.started_us IS NULL OR {0}.started_us >= {1})", row,
                        to_us(*filter.since));
  else
    text += fmt::format(" AND {}.started_us IS NULL", row);
  return text;
}

std::string has_ended_as(const JobFilter& filter, const char* row, const std::string& parameter) {
  std::string text = fmt::format("{}.state = {}", row, parameter);
  if (filter.since) text += fmt::format(" AND {}.ended_us >= {}", row, to_us(*filter.since));
  if (filter.until) text += fmt::format(" AND {}.ended_us <= {}", row, to_us(*filter.until));
  return text;
}

std::string state_within(const JobFilter& filter, const char* row, const std::string& state,
                         Builder& builder) {
  if (state == "RUNNING") return in_window(filter, row, "started_us");
  if (state == "PENDING") return was_pending(filter, row);
  const std::string parameter = builder.parameters({state});
  if (!is_word_of_open_job(state)) return has_ended_as(filter, row, parameter);
  return fmt::format("{}.state = {} AND {}", row, parameter,
                     in_window(filter, row, "submitted_us"));
}

void require_states(const JobFilter& filter, const char* row, Builder& builder) {
  const bool has_window = filter.since || filter.until;
  if (is_all(filter.states)) {
    if (has_window) builder.require(in_window(filter, row, "submitted_us"));
    return;
  }
  if (!has_window) {
    builder.require(fmt::format("{}.state IN ({})", row, builder.parameters(filter.states)));
    if (std::all_of(filter.states.begin(), filter.states.end(), is_word_of_open_job))
      builder.require(fmt::format("{}.ended_us IS NULL", row));
    return;
  }
  std::string any;
  for (const std::string& state : filter.states)
    any += fmt::format("{}({})", any.empty() ? "" : " OR ",
                       state_within(filter, row, state, builder));
  builder.require("(" + any + ")");
}

void require_names(const JobFilter& filter, Builder& builder) {
  const std::pair<const char*, const std::vector<std::string>*> columns[] = {
      {"job.partition", &filter.partitions},
      {"spec.name", &filter.names},
      {"spec.account", &filter.accounts},
      {"spec.qos", &filter.qos},
  };
  for (const auto& [column, values] : columns)
    if (!values->empty())
      builder.require(fmt::format("{} IN ({})", column, builder.parameters(*values)));
  if (!filter.uids.empty()) builder.require(fmt::format("job.uid IN ({})", numbers(filter.uids)));
}

void require_after(const JobFilter& filter, const char* row, Builder& builder) {
  if (filter.after.value > 0)
    builder.require(fmt::format("{}.job_id > {}", row, filter.after.value));
}

std::string from_with_spec(const JobFilter& filter, std::string from) {
  if (filter.names.empty() && filter.accounts.empty() && filter.qos.empty()) return from;
  return from + " CROSS JOIN spec USING (spec_id)";
}

}  // namespace

// CROSS JOIN keeps SQLite to the written order: candidates first, each row by its key.
HistorySql job_history_sql(const JobFilter& filter) {
  Builder builder;
  const std::string ids = candidate_ids(filter, builder);
  if (!ids.empty()) builder.require(fmt::format("job.job_id IN ({})", ids));
  require_after(filter, "job", builder);
  require_states(filter, "job", builder);
  require_names(filter, builder);
  return std::move(builder).finish(
      from_with_spec(filter, "SELECT job.job_id, job.spec_id, job.record FROM job"),
      " ORDER BY job.job_id");
}

// Runs are few (requeues only), so only the ids need an index.
HistorySql run_history_sql(const JobFilter& filter) {
  Builder builder;
  if (!filter.jobs.empty())
    builder.require(fmt::format("run.job_id IN ({})", selected_ids(filter.jobs)));
  require_after(filter, "run", builder);
  require_states(filter, "run", builder);
  require_names(filter, builder);
  return std::move(builder).finish(
      from_with_spec(filter,
                     "SELECT run.job_id, job.spec_id, job.record, run.record FROM run "
                     "CROSS JOIN job USING (job_id)"),
      " ORDER BY run.job_id, run.run");
}

}  // namespace sluice
