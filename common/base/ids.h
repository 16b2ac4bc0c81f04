// ids.h: the identifiers. Each is its own type, so that a job id cannot be passed for a uid.
#pragma once

#include <compare>
#include <cstdint>
#include <functional>

namespace sluice {

template <class Tag, class Value>
struct StrongId {
  Value value{};

  auto operator<=>(const StrongId&) const = default;
};

// 1 .. 2^31 - 1, never reused (blocks are reserved on disk before ids are given out). 0 is "none".
using JobId = StrongId<struct JobIdTag, std::uint32_t>;
// One execution attempt of a job, from 0: Slurm's restart count.
using RunNumber = StrongId<struct RunNumberTag, std::uint32_t>;
// A step of a run, from 0.
using StepNumber = StrongId<struct StepNumberTag, std::uint32_t>;
// Index of an interned JobSpec in the controller; unique for the life of the state file. 0 is "none".
using SpecId = StrongId<struct SpecIdTag, std::uint64_t>;
// Index of a node in the controller's node table, stable while the state file lives.
using NodeId = StrongId<struct NodeIdTag, std::uint32_t>;
// Of an account, or of a user in an account; never used again. 0 is "none".
using AssociationId = StrongId<struct AssociationIdTag, std::uint32_t>;
// Never used again. 0 is "none".
using QosId = StrongId<struct QosIdTag, std::uint32_t>;

constexpr std::uint32_t job_id_end = 1U << 31;

}  // namespace sluice

template <class Tag, class Value>
struct std::hash<sluice::StrongId<Tag, Value>> {
  std::size_t operator()(const sluice::StrongId<Tag, Value>& id) const noexcept {
    return std::hash<Value>{}(id.value);
  }
};
