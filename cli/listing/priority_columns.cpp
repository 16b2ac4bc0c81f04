// priority_columns.cpp: what each column of sprio shows. A small letter is a factor, a large one
// the factor times its weight.
#include "cli/listing/priority_columns.h"

#include <fmt/format.h>

#include <algorithm>

namespace sluice {
namespace {

using Row = PriorityRow;
using Context = ListingContext;

void put(std::string& out, std::uint64_t number) {
  fmt::format_to(std::back_inserter(out), "{}", number);
}
// Without a fraction, as a priority is made.
void put_whole(std::string& out, double number) {
  put(out, number > 0 ? static_cast<std::uint64_t>(number) : 0);
}
void put_factor(std::string& out, double factor) {
  fmt::format_to(std::back_inserter(out), "{:.7f}", factor);
}

template <auto Factor, auto Weight>
void render_factor(const Row& row, const Context&, std::string& out) {
  if (row.job) put_factor(out, row.job->*Factor);
  else put(out, row.weights->*Weight);
}
template <auto Factor, auto Weight>
void render_weighted(const Row& row, const Context&, std::string& out) {
  if (row.job) put_whole(out, row.job->*Factor * (row.weights->*Weight));
  else put(out, row.weights->*Weight);
}

std::uint64_t weight_of(const PriorityWeights& weights, const std::string& tres) {
  for (const TresCount& row : weights.tres)
    if (row.tres == tres) return row.count;
  return 0;
}

void render_tres_weights(const Row& row, std::string& out) {
  const char* comma = "";
  for (const TresCount& tres : row.weights->tres) {
    out.append(comma).append(tres.tres).append("=");
    put(out, tres.count);
    comma = ",";
  }
}
// Those that count for nothing are left out.
template <bool Weighted>
void render_tres(const Row& row, const Context&, std::string& out) {
  if (!row.job) return render_tres_weights(row, out);
  const char* comma = "";
  for (const TresAmount& tres : row.job->tres) {
    if (tres.amount == 0) continue;
    out.append(comma).append(tres.tres).append("=");
    const double weight = static_cast<double>(weight_of(*row.weights, tres.tres));
    if (Weighted) put_whole(out, tres.amount * weight);
    else fmt::format_to(std::back_inserter(out), "{:.2f}", tres.amount);
    comma = ",";
  }
}

void render_id(const Row& row, const Context&, std::string& out) {
  if (row.job) put(out, row.job->id.value);
  else out += "Weights";
}
void render_user(const Row& row, const Context& context, std::string& out) {
  if (!row.job) return;
  if (!row.job->user.empty() || !context.user_name) out += row.job->user;
  else out += context.user_name(row.job->uid);
}
template <auto Text>
void render_text(const Row& row, const Context&, std::string& out) {
  if (row.job) out += row.job->*Text;
}
void render_cluster(const Row& row, const Context& context, std::string& out) {
  if (row.job) out += context.cluster;
}
void render_priority(const Row& row, const Context&, std::string& out) {
  if (row.job) put(out, row.job->priority);
}
void render_priority_part(const Row& row, const Context&, std::string& out) {
  if (row.job)
    fmt::format_to(std::back_inserter(out), "{:.8f}",
                   static_cast<double>(row.job->priority) / 4294967295.0);
}
// No site has a factor of its own; Slurm shows a weight of 1 all the same.
void render_site(const Row& row, const Context&, std::string& out) { out += row.job ? '0' : '1'; }
void render_nice(const Row& row, const Context&, std::string& out) {
  if (row.job) fmt::format_to(std::back_inserter(out), "{}", row.job->nice);
}

using Job = JobPriority;
using Weights = PriorityWeights;
constexpr Column<Row> columns[] = {
    {'a', "", "AGE", "", render_factor<&Job::age, &Weights::age>},
    {'A', "", "AGE", "", render_weighted<&Job::age, &Weights::age>},
    {'b', "", "ASSOC", "", render_factor<&Job::association, &Weights::association>},
    {'B', "", "ASSOC", "", render_weighted<&Job::association, &Weights::association>},
    {'c', "", "CLUSTER", "", render_cluster},
    {'f', "", "FAIRSHARE", "", render_factor<&Job::fair_share, &Weights::fair_share>},
    {'F', "", "FAIRSHARE", "", render_weighted<&Job::fair_share, &Weights::fair_share>},
    {'i', "", "JOBID", "", render_id},
    {'j', "", "JOBSIZE", "", render_factor<&Job::job_size, &Weights::job_size>},
    {'J', "", "JOBSIZE", "", render_weighted<&Job::job_size, &Weights::job_size>},
    {'N', "", "NICE", "", render_nice},
    {'p', "", "PARTITION", "", render_factor<&Job::partition_factor, &Weights::partition>},
    {'P', "", "PARTITION", "", render_weighted<&Job::partition_factor, &Weights::partition>},
    {'q', "", "QOS", "", render_factor<&Job::qos_factor, &Weights::qos>},
    {'Q', "", "QOS", "", render_weighted<&Job::qos_factor, &Weights::qos>},
    {'r', "", "PARTITION", "", render_text<&Job::partition>},
    {'S', "", "SITE", "", render_site},
    {'t', "", "TRES", "", render_tres<false>},
    {'T', "", "TRES", "", render_tres<true>},
    {'u', "", "USER", "", render_user},
    {'y', "", "PRIORITY", "", render_priority_part},
    {'Y', "", "PRIORITY", "", render_priority},
};

// A factor's column: its letter in the formats, and whether it has a weight.
struct FactorColumn {
  char letter;  // weighted
  std::uint32_t Weights::*weight;
};
constexpr FactorColumn factor_columns[] = {
    {'A', &Weights::age},      {'B', &Weights::association}, {'F', &Weights::fair_share},
    {'J', &Weights::job_size}, {'P', &Weights::partition},   {'Q', &Weights::qos},
};

char small(char letter) { return static_cast<char>(letter - 'A' + 'a'); }

struct SortKey {
  char letter;
  // < 0, 0, > 0
  int (*compare)(const Job& a, const Job& b);
};

template <auto Member>
int by(const Job& a, const Job& b) {
  return a.*Member < b.*Member ? -1 : b.*Member < a.*Member ? 1 : 0;
}
constexpr SortKey sort_keys[] = {
    {'a', by<&Job::age>},
    {'A', by<&Job::age>},
    {'b', by<&Job::association>},
    {'B', by<&Job::association>},
    {'f', by<&Job::fair_share>},
    {'F', by<&Job::fair_share>},
    {'i', by<&Job::id>},
    {'j', by<&Job::job_size>},
    {'J', by<&Job::job_size>},
    {'N', by<&Job::nice>},
    {'p', by<&Job::partition_factor>},
    {'P', by<&Job::partition_factor>},
    {'q', by<&Job::qos_factor>},
    {'Q', by<&Job::qos_factor>},
    {'r', by<&Job::partition>},
    {'u', by<&Job::user>},
    {'y', by<&Job::priority>},
    {'Y', by<&Job::priority>},
};

}  // namespace

std::span<const Column<PriorityRow>> priority_columns() { return columns; }

std::string priority_letters(const PriorityFormat& format, const PriorityWeights& weights) {
  if (format.is_long)
    return format.is_normalised
               ? "%.15i %9r %.8u %10y %10a %10b %10f %10j %10p %10q %20t"
               : "%.15i %9r %.8u %.10Y %.10S %.10A %.10B %.10F %.10J %.10P %.10Q %.11N %.20T";
  std::string letters = format.names_user ? "%.15i %9r %.8u" : "%.15i %9r";
  letters += format.is_normalised ? " %10y" : " %.10Y %.10S";
  for (const FactorColumn& column : factor_columns)
    if (weights.*column.weight > 0)
      letters += format.is_normalised ? fmt::format(" %10{}", small(column.letter))
                                      : fmt::format(" %.10{}", column.letter);
  if (!weights.tres.empty()) letters += format.is_normalised ? " %20t" : " %.20T";
  return letters;
}

Result<void> sort_priorities(std::string_view keys, std::vector<JobPriority>& jobs) {
  std::vector<std::pair<const SortKey*, bool>> order;  // and whether it descends
  bool descends = false;
  for (const char c : keys) {
    if (c == ',' || c == '+') continue;
    if (c == '-') {
      descends = true;
      continue;
    }
    const auto key = std::find_if(std::begin(sort_keys), std::end(sort_keys),
                                  [&](const SortKey& row) { return row.letter == c; });
    if (key == std::end(sort_keys)) return Error{ErrorCode::invalid_argument, std::string(1, c)};
    order.emplace_back(key, std::exchange(descends, false));
  }
  std::stable_sort(jobs.begin(), jobs.end(), [&](const Job& a, const Job& b) {
    for (const auto& [key, is_descending] : order)
      if (const int side = key->compare(a, b); side != 0)
        return is_descending ? side > 0 : side < 0;
    return false;
  });
  return {};
}

}  // namespace sluice
