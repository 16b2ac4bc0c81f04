// purge.cpp: the phases of a purge and the removal of their pieces.
#include "daemon/store/purge.h"

#include <algorithm>
#include <array>
#include <deque>
#include <optional>
#include <utility>
#include <vector>

#include "daemon/store/archive.h"

namespace sluice {
namespace {

using sqlite::Connection;
using sqlite::Statement;
using sqlite::Text;

// Pieces are small, so that a commit that waits behind one waits some milliseconds; the archive is
// synced once for several.
constexpr std::size_t jobs_a_piece = 50;
constexpr std::int64_t jobs_a_slice = 1000;
constexpr std::int64_t events_a_piece = 500;
constexpr std::size_t blobs_a_piece = 100;
constexpr std::int64_t blob_bytes_a_piece = 1 << 20;

constexpr const char* remove_job_sql =
    "DELETE FROM job WHERE job_id = ?1 AND ended_us IS NOT NULL "
    "AND job_id NOT IN (SELECT job_id FROM live_job)";
constexpr const char* remove_spec_sql =
    "DELETE FROM spec WHERE spec_id = ?1 AND NOT EXISTS (SELECT 1 FROM job WHERE spec_id = ?1) "
    "AND spec_id < (SELECT max(spec_id) FROM spec)";

struct Piece {
  std::vector<ArchivedJob> jobs;
  std::vector<std::int64_t> events;
  std::vector<std::int64_t> specs;
  std::vector<std::string> blobs;
};

struct Statements {
  Statement begin, commit, free_pages, blob_bytes;
  Statement job, run, spec, event, blob;
};

Result<Statements> prepare_all(Connection& connection) {
  Statements made;
  const std::pair<Statement*, const char*> wanted[] = {
      {&made.begin, "BEGIN IMMEDIATE"},
      {&made.commit, "COMMIT"},
      {&made.free_pages, "PRAGMA freelist_count"},
      {&made.blob_bytes, "SELECT length(bytes) FROM blob WHERE blob_id = ?1"},
      {&made.job, remove_job_sql},
      {&made.run, "DELETE FROM run WHERE job_id = ?1"},
      {&made.spec, remove_spec_sql},
      {&made.event, "DELETE FROM event WHERE event_id = ?1"},
      {&made.blob, "DELETE FROM blob WHERE blob_id = ?1"},
  };
  for (const auto& [statement, sql] : wanted) *statement = TRY(connection.prepare(sql));
  return made;
}

class SqlitePurge : public Purge {
 public:
  SqlitePurge(PurgeParts parts, const PurgeOrder& order)
      : parts_(std::move(parts)), order_(order) {}

  Result<bool> prepare() override;
  Result<void> apply() override;
  const PurgeSummary& summary() const override { return summary_; }

 private:
  Result<bool> next_jobs();
  Result<bool> next_events();
  Result<bool> next_specs();
  Result<bool> next_blobs();
  Result<void> open_writer();
  Result<void> remove_piece(PurgeSummary& removed);
  Result<void> remove_job(const ArchivedJob& job, PurgeSummary& removed);
  Result<void> remove_blobs();
  Result<std::int64_t> number_of(Statement& statement);

  using Phase = Result<bool> (SqlitePurge::*)();
  static constexpr std::array<Phase, 4> phases = {
      &SqlitePurge::next_jobs, &SqlitePurge::next_events, &SqlitePurge::next_specs,
      &SqlitePurge::next_blobs};

  PurgeParts parts_;
  const PurgeOrder order_;
  std::optional<Archive> archive_;
  std::optional<UnusedContent> unused_;
  std::size_t phase_ = 0;
  std::deque<ArchivedJob> copied_;  // to be removed
  std::deque<std::string> unnamed_;
  Piece piece_;
  PurgeSummary summary_;
  // Of the committing thread:
  std::optional<Statements> statements_;
  std::int64_t page_bytes_ = 0;
};

// --- what comes next ---------------------------------------------------------------------------

template <class Item>
std::vector<Item> take_some(std::deque<Item>& from, std::size_t count_max) {
  const auto end = from.begin() + static_cast<std::ptrdiff_t>(std::min(count_max, from.size()));
  std::vector<Item> taken(std::make_move_iterator(from.begin()), std::make_move_iterator(end));
  from.erase(from.begin(), end);
  return taken;
}

Result<bool> SqlitePurge::prepare() {
  piece_ = {};
  if (!archive_) archive_ = TRY(Archive::open(parts_.file, order_));
  for (; phase_ < phases.size(); ++phase_) {
    const Phase next = phases[phase_];
    if (TRY((this->*next)())) return true;
  }
  archive_.reset();
  unused_.reset();
  return false;
}

Result<bool> SqlitePurge::next_jobs() {
  if (copied_.empty()) {
    const std::vector<ArchivedJob> jobs = TRY(archive_->copy_jobs(jobs_a_slice));
    copied_.assign(jobs.begin(), jobs.end());
  }
  piece_.jobs = take_some(copied_, jobs_a_piece);
  return !piece_.jobs.empty();
}

Result<bool> SqlitePurge::next_events() {
  piece_.events = TRY(archive_->copy_events(events_a_piece));
  return !piece_.events.empty();
}

Result<bool> SqlitePurge::next_specs() {
  if (!unused_) unused_ = TRY(UnusedContent::open(parts_.file));
  while (auto specs = TRY(unused_->next_specs())) {
    if (specs->empty()) continue;
    piece_.specs = std::move(*specs);
    return true;
  }
  return false;
}

Result<bool> SqlitePurge::next_blobs() {
  while (unnamed_.empty()) {
    auto blobs = TRY(unused_->next_blobs());
    if (!blobs) return false;
    unnamed_.assign(blobs->begin(), blobs->end());
  }
  piece_.blobs = take_some(unnamed_, blobs_a_piece);
  return true;
}

// --- removal -----------------------------------------------------------------------------------

Result<void> SqlitePurge::open_writer() {
  if (statements_) return {};
  statements_ = TRY(prepare_all(parts_.writer));
  page_bytes_ = TRY(parts_.writer.integer("PRAGMA page_size"));
  return {};
}

Result<void> SqlitePurge::apply() {
  TRY(open_writer());
  // Large scripts are removed a few at a time.
  do {
    PurgeSummary removed = summary_;
    TRY(statements_->begin.run());
    Result<void> done = remove_piece(removed);
    if (done.ok()) done = statements_->commit.run();
    if (!done.ok()) {
      if (parts_.writer.is_in_transaction()) (void)parts_.writer.run("ROLLBACK");
      return done;
    }
    summary_ = removed;
    parts_.after_commit();
  } while (!piece_.blobs.empty());
  return {};
}

Result<std::int64_t> SqlitePurge::number_of(Statement& statement) {
  const Result<bool> found = statement.step();
  const std::int64_t number = found.ok() && *found ? statement.integer(0) : 0;
  statement.reset();
  TRY(found);
  return number;
}

Result<void> SqlitePurge::remove_piece(PurgeSummary& removed) {
  const std::int64_t free_before = TRY(number_of(statements_->free_pages));
  for (const ArchivedJob& job : piece_.jobs) TRY(remove_job(job, removed));
  for (const std::int64_t event : piece_.events) TRY(statements_->event.run(event));
  for (const std::int64_t spec : piece_.specs) TRY(statements_->spec.run(spec));
  TRY(remove_blobs());
  removed.events += piece_.events.size();
  const std::int64_t freed = TRY(number_of(statements_->free_pages)) - free_before;
  if (freed > 0) removed.bytes_freed += static_cast<std::uint64_t>(freed * page_bytes_);
  return {};
}

Result<void> SqlitePurge::remove_job(const ArchivedJob& job, PurgeSummary& removed) {
  TRY(statements_->job.run(job.job));
  if (parts_.writer.changes() == 0) return {};
  TRY(statements_->run.run(job.job));
  TRY(statements_->spec.run(job.spec));
  const WallTime ended = wall_from_us(job.ended_us);
  removed.first_ended = std::min(removed.first_ended.value_or(ended), ended);
  removed.last_ended = std::max(removed.last_ended.value_or(ended), ended);
  ++removed.jobs;
  return {};
}

// Of the piece as many as one transaction may take.
Result<void> SqlitePurge::remove_blobs() {
  std::int64_t bytes = 0;
  while (!piece_.blobs.empty() && bytes < blob_bytes_a_piece) {
    const std::string blob = std::move(piece_.blobs.back());
    piece_.blobs.pop_back();
    if (parts_.named->contains(blob)) continue;
    statements_->blob_bytes.bind(1, Text{blob});
    bytes += TRY(number_of(statements_->blob_bytes));
    TRY(statements_->blob.run(Text{blob}));
  }
  return {};
}

}  // namespace

std::unique_ptr<Purge> make_purge(PurgeParts parts, const PurgeOrder& order) {
  return std::make_unique<SqlitePurge>(std::move(parts), order);
}

}  // namespace sluice
