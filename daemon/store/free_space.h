// free_space.h: is there room for the state file to grow? Under a reserve new work is refused, so
// that ends of running work can still be committed; as a last resort a ballast file is given back.
#pragma once

#include <cstdint>
#include <mutex>
#include <string>

#include "common/base/result.h"

namespace sluice {

class FreeSpace {
 public:
  virtual ~FreeSpace() = default;
  // Bytes beyond the reserve; 0: refuse new work. Any thread.
  virtual std::uint64_t usable_bytes() = 0;
  // A commit found the disk full: frees what is kept for this. False: there was nothing (left).
  virtual bool give_back() = 0;
};

struct BallastPlan {
  std::uint64_t reserve_bytes = 0;
  std::uint64_t ballast_bytes = 0;
};

enum class BallastStep { keep, give_back, make };

struct SpaceVerdict {
  std::uint64_t usable_bytes = 0;
  BallastStep step = BallastStep::keep;
};

// Pure. The ballast is made again only when there is room for it twice, so that it does not come and
// go at the edge.
SpaceVerdict judge_space(std::uint64_t free_bytes, bool has_ballast, const BallastPlan& plan);

// Measures the file system of `folder` with statvfs (blocks an ordinary process may use).
class BallastedSpace : public FreeSpace {
 public:
  BallastedSpace(std::string folder, const BallastPlan& plan);

  std::uint64_t usable_bytes() override;
  bool give_back() override;

 private:
  void make_ballast();

  const std::string folder_;
  const std::string ballast_path_;
  const BallastPlan plan_;
  std::mutex mutex_;
  bool has_ballast_ = false;
};

}  // namespace sluice
