// fill_history.cpp: writes finished jobs into the state file of a controller that does not run, by
// the store's own code, as if they had been submitted, had run and were forgotten long ago:
//   fill_history -s STATE_FILE [-n JOBS]
// Every job has a name and a script of its own, and the events of a plain job. Prints one line.
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>

#include <fmt/format.h>

#include "daemon/store/sqlite_store.h"
#include "tests/bench/timing.h"

using namespace sluice;
using namespace sluice::bench;

namespace {

constexpr std::uint32_t jobs_a_batch = 5000;
constexpr std::int64_t job_length_us = 60'000'000;

template <class T>
T must(Result<T> result) {
  if (result.ok()) return std::move(result).value();
  std::fprintf(stderr, "fill_history: %s\n", to_text(result.error()).c_str());
  std::exit(1);
}

JobSpec make_spec(std::uint32_t number) {
  JobSpec spec;
  spec.name = fmt::format("bench-{}", number);
  spec.user = spec.group = "root";
  spec.stdio_files.output = "/dev/null";
  spec.start.time_limit = TimeLimit{.unlimited = false, .minutes = 10};
  spec.batch.script_id = fmt::format("{:064x}", number);
  spec.batch.environment_id = std::string(64, 'e');
  spec.batch.work_dir = spec.batch.submit_dir = "/tmp";
  spec.batch.submit_host = "head";
  spec.batch.submit_line = fmt::format("sbatch job-{}.sh", number);
  return spec;
}

JobRecord make_job(JobId id, SpecId spec, WallTime submitted) {
  JobRecord job;
  job.id = id;
  job.spec = spec;
  job.state = JobState::ended;  // not a transition: it is made as it lies in the store
  job.partition = "main";
  job.priority = 1;
  job.time_limit = TimeLimit{.unlimited = false, .minutes = 10};
  job.times.submitted = job.times.eligible = submitted;
  job.times.started = submitted + Duration{1'000'000};
  job.times.ended = submitted + Duration{job_length_us};
  job.times.elapsed = Duration{job_length_us};
  job.allocation.shares = {{"n1", 1, 1, 100, {}}};
  job.end = JobEnd{};
  return job;
}

void add_job(StoreBatch& batch, JobId id, SpecId spec, WallTime submitted) {
  batch.specs.push_back({spec, std::make_shared<const JobSpec>(make_spec(id.value))});
  batch.blobs.push_back(
      {fmt::format("{:064x}", id.value),
       std::make_shared<const std::string>(fmt::format("#!/bin/sh\n# job {}\ntrue\n", id.value))});
  batch.jobs.push_back(std::make_shared<const JobRecord>(make_job(id, spec, submitted)));
  batch.retired.push_back(id);
  for (const char* kind : {"job_submitted", "run_placed", "run_started", "job_ended"})
    batch.audit.push_back({submitted, kind, id, "", 0, ""});
}

}  // namespace

int main(int argc, char** argv) {
  std::uint32_t jobs = 1'000'000;
  StoreOptions options{.synchronous_full = false};
  for (int option; (option = getopt(argc, argv, "n:s:")) != -1;) {
    if (option == 'n') jobs = static_cast<std::uint32_t>(std::atol(optarg));
    else if (option == 's') options.path = optarg;
    else return 2;
  }
  const double from = now_s();
  const std::unique_ptr<Store> store = must(open_store(options));
  const LoadedState state = must(store->load_all());
  // Two years ago and later, a job a minute.
  const WallTime first =
      wall_from_us(std::time(nullptr) * std::int64_t{1'000'000}) - std::chrono::hours{24 * 730};
  for (std::uint32_t done = 0; done < jobs;) {
    StoreBatch batch;
    if (done == 0)
      batch.blobs.push_back(
          {std::string(64, 'e'), std::make_shared<const std::string>("PATH=/bin\0", 10)});
    for (std::uint32_t i = 0; i < jobs_a_batch && done < jobs; ++i, ++done)
      add_job(batch, JobId{state.highest_job.value + 1 + done},
              SpecId{state.highest_spec.value + 1 + done}, first + Duration{job_length_us} * done);
    if (const auto written = store->commit(batch); !written.ok())
      must(Result<int>(written.error()));
  }
  struct stat file {};
  if (stat(options.path.c_str(), &file) != 0) return 1;
  std::printf("n=%u seconds=%.1f first=%u bytes_per_job=%.1f\n", jobs, now_s() - from,
              state.highest_job.value + 1, static_cast<double>(file.st_size) / jobs);
}
