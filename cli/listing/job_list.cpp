// job_list.cpp: selects, orders and expands.
#include "cli/listing/job_list.h"

#include <algorithm>

#include <fmt/format.h>

#include "common/options/text.h"

namespace sluice {
namespace {

// What is not known stands behind all that is.
std::int64_t time_or_last(std::optional<WallTime> time) {
  return time && *time != WallTime{} ? to_us(*time) : INT64_MAX;
}

// Columns whose text does not sort as their value does.
struct NumericKey {
  char letter;
  std::int64_t (*value)(const JobInfo&, const ListingContext&);
};

constexpr NumericKey numeric_keys[] = {
    {'A', [](const JobInfo& job, const ListingContext&) { return std::int64_t{job.id.value}; }},
    {'i', [](const JobInfo& job, const ListingContext&) { return std::int64_t{job.id.value}; }},
    {'F', [](const JobInfo& job,
             const ListingContext&) { return std::int64_t{array_or_job_id(job).value}; }},
    {'t', [](const JobInfo& job, const ListingContext&) { return std::int64_t{state_order(job)}; }},
    {'T', [](const JobInfo& job, const ListingContext&) { return std::int64_t{state_order(job)}; }},
    {'p', [](const JobInfo& job,
             const ListingContext&) { return static_cast<std::int64_t>(job.wait.priority); }},
    {'Q', [](const JobInfo& job,
             const ListingContext&) { return static_cast<std::int64_t>(job.wait.priority); }},
    {'C', [](const JobInfo& job,
             const ListingContext&) { return static_cast<std::int64_t>(cpus_of(job)); }},
    {'D', [](const JobInfo& job,
             const ListingContext&) { return static_cast<std::int64_t>(nodes_of(job)); }},
    {'m', [](const JobInfo& job,
             const ListingContext&) { return static_cast<std::int64_t>(mem_mb_of(job)); }},
    {'M', [](const JobInfo& job,
             const ListingContext& context) { return elapsed_s(job, context.as_of); }},
    {'l',
     [](const JobInfo& job, const ListingContext&) {
       const TimeLimit limit = limit_of(job);
       return limit.unlimited ? INT64_MAX : std::int64_t{limit.minutes};
     }},
    {'S', [](const JobInfo& job, const ListingContext&) { return time_or_last(start_of(job)); }},
    {'e', [](const JobInfo& job, const ListingContext&) { return time_or_last(end_of(job)); }},
    {'L',
     [](const JobInfo& job, const ListingContext& context) {
       const TimeLimit limit = limit_of(job);
       if (limit.unlimited) return INT64_MAX;
       return std::int64_t{limit.minutes} * 60 - elapsed_s(job, context.as_of);
     }},
    {'c', [](const JobInfo& job,
             const ListingContext&) { return std::int64_t{cpus_per_node_min(job)}; }},
    {'V', [](const JobInfo& job, const ListingContext&) { return to_us(job.times.submitted); }},
    {'U', [](const JobInfo& job, const ListingContext&) { return std::int64_t{job.names.uid}; }},
    {'y', [](const JobInfo& job, const ListingContext&) { return std::int64_t{job.asked.nice}; }},
};

const NumericKey* numeric_key(char letter) {
  for (const NumericKey& key : numeric_keys)
    if (key.letter == letter) return &key;
  return nullptr;
}

std::string rendered(const JobInfo& job, char letter, const ListingContext& context) {
  std::string out;
  column_of_letter(job_columns(), letter)->render(JobRow{&job, {}}, context, out);
  return out;
}

// A record with the values it is ordered by, computed once.
struct Ordered {
  const JobInfo* job = nullptr;
  std::vector<std::int64_t> numbers;
  std::vector<std::string> texts;
};

Ordered with_keys(const JobInfo& job, const std::vector<SortKey>& order,
                  const ListingContext& context) {
  Ordered ordered{&job, {}, {}};
  for (const SortKey& key : order) {
    const NumericKey* numeric = numeric_key(key.letter);
    ordered.numbers.push_back(numeric ? numeric->value(job, context) : 0);
    ordered.texts.push_back(numeric ? std::string{} : rendered(job, key.letter, context));
  }
  return ordered;
}

bool comes_before(const Ordered& a, const Ordered& b, const std::vector<SortKey>& order) {
  for (std::size_t i = 0; i < order.size(); ++i) {
    const Ordered& low = order[i].descending ? b : a;
    const Ordered& high = order[i].descending ? a : b;
    if (low.numbers[i] != high.numbers[i]) return low.numbers[i] < high.numbers[i];
    if (const int compared = low.texts[i].compare(high.texts[i])) return compared < 0;
  }
  return false;
}

void append_tasks(const JobInfo& job, std::vector<JobRow>& rows) {
  std::vector<std::uint32_t> tasks;
  tasks.reserve(job.array->waiting.size());
  for (const IndexRange& range : job.array->waiting.ranges)
    for (std::uint64_t task = range.first; task <= range.last; task += range.step)
      tasks.push_back(static_cast<std::uint32_t>(task));
  std::sort(tasks.begin(), tasks.end());
  for (std::uint32_t task : tasks) rows.push_back(JobRow{&job, task});
}

bool is_waiting_array(const JobInfo& job) {
  return job.array && !job.array->task && !job.array->waiting.empty();
}

}  // namespace

Result<std::vector<SortKey>> parse_job_order(std::string_view text) {
  std::vector<SortKey> order;
  bool descending = false;
  for (char c : text) {
    if (c == ',' || c == '+') continue;
    if (c == '-') {
      descending = true;
      continue;
    }
    const auto* column = column_of_letter(job_columns(), c);
    if (!column || c == 's') return Error{ErrorCode::invalid_argument, std::string(1, c)};
    order.push_back(SortKey{c, descending});
    descending = false;
  }
  return order;
}

void add_groups(const std::vector<SortKey>& order, std::vector<std::string>& groups) {
  for (const SortKey& key : order)
    add_words(column_of_letter(job_columns(), key.letter)->traits, groups);
}

std::vector<JobRow> job_rows(const std::vector<JobInfo>& jobs, bool each_task,
                             const std::vector<SortKey>& order, const ListingContext& context) {
  std::vector<Ordered> sorted;
  sorted.reserve(jobs.size());
  for (const JobInfo& job : jobs) sorted.push_back(with_keys(job, order, context));
  std::stable_sort(sorted.begin(), sorted.end(),
                   [&](const Ordered& a, const Ordered& b) { return comes_before(a, b, order); });
  std::vector<JobRow> rows;
  rows.reserve(jobs.size());
  for (const Ordered& ordered : sorted) {
    if (each_task && is_waiting_array(*ordered.job)) append_tasks(*ordered.job, rows);
    else rows.push_back(JobRow{ordered.job, {}});
  }
  return rows;
}

bool passes(const std::vector<ColumnFilter>& filters, const JobInfo& job,
            const ListingContext& context) {
  return std::all_of(filters.begin(), filters.end(), [&](const ColumnFilter& filter) {
    const std::string value = job_column_value(job, filter.column, context);
    const std::vector<std::string_view> pieces = split(value, ',');
    return std::any_of(pieces.begin(), pieces.end(), [&](std::string_view piece) {
      const std::string_view word = piece.substr(0, piece.find(':'));
      return std::find(filter.words.begin(), filter.words.end(), word) != filter.words.end();
    });
  });
}

void narrow_to_selected(std::vector<JobInfo>& jobs, const std::vector<JobSelector>& selectors) {
  for (JobInfo& job : jobs) {
    if (!is_waiting_array(job)) continue;
    IndexSet selected;
    bool whole = true;
    for (const JobSelector& selector : selectors) {
      if (selector.job != job.array->array_id) continue;
      whole = selector.tasks.empty();
      if (whole) break;
      selected.insert(job.array->waiting.common_with(selector.tasks));
    }
    if (!whole) job.array->waiting = std::move(selected);
  }
  std::erase_if(jobs, [](const JobInfo& job) {
    return job.array && !job.array->task && job.array->waiting.empty() &&
           job.state == JobState::pending;
  });
}

}  // namespace sluice
