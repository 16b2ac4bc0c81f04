// stage.cpp: see stage.h.
#include "tests/sim/stage.h"

#include <cstdio>

#include <fmt/format.h>

namespace sluice::sim {
namespace {

std::uint32_t some(Random& random, std::uint32_t least, std::uint32_t most) {
  return least + static_cast<std::uint32_t>(random.below(most - least + 1));
}

// Short times, in the proportions a site would have: an eighth of the lease is longer than a heartbeat.
TimeoutConfig make_timeouts(Random& random) {
  TimeoutConfig timeouts;
  timeouts.kill_wait_s = some(random, 2, 6);
  timeouts.message_timeout_s = 5;
  timeouts.min_job_age_s = some(random, 60, 200);
  timeouts.node_timeout_s = some(random, 8, 40);
  timeouts.lease_s = some(random, 20, 32);
  timeouts.heartbeat_ms = some(random, 1000, 2000);
  timeouts.launch_timeout_s = some(random, 3, 20);
  return timeouts;
}

std::shared_ptr<const ClusterConfig> make_config(Random& random) {
  auto config = std::make_shared<ClusterConfig>();
  config->disable_root_jobs = false;
  config->timeouts = make_timeouts(random);
  PartitionConfig partition{.name = "main", .is_default = true};
  const std::uint32_t nodes = some(random, 1, 5);
  for (std::uint32_t i = 1; i <= nodes; ++i) {
    NodeConfig node{.name = fmt::format("n{}", i), .said = {"CPUs", "RealMemory"}};
    node.shape.cpus = some(random, 1, 4);
    node.shape.mem_mb = 4000;
    partition.nodes.push_back(node.name);
    config->nodes.push_back(node);
  }
  config->partitions.push_back(partition);
  return config;
}

}  // namespace

void Trace::line(std::string text) {
  text = fmt::format("{:12.6f} {}", static_cast<double>(timeline_.now().count()) / 1e6, text);
  if (echo_) std::printf("%s\n", text.c_str());
  lines_.push_back(std::move(text));
  if (lines_.size() > lines_max) lines_.pop_front();
}

void Trace::print() const {
  for (const std::string& text : lines_) std::printf("  %s\n", text.c_str());
}

Stage::Stage(std::uint64_t of, const Breaks& to_break)
    : seed(of),
      breaks(to_break),
      random(of),
      config(make_config(random)),
      network(timeline, random, config->nodes.size() + 1) {}

Now Stage::now(const HostClock& clock) const {
  constexpr std::int64_t epoch_us = 1'800'000'000'000'000;
  return {wall_from_us(epoch_us) + timeline.now() + clock.wall_offset,
          steady_from_us(0) + timeline.now() + clock.steady_offset};
}

}  // namespace sluice::sim
