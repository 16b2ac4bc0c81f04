// free_space.cpp: see free_space.h.
#include "daemon/store/free_space.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

namespace sluice {
namespace {

std::uint64_t measure_free(const std::string& folder) {
  struct statvfs found {};
  if (::statvfs(folder.c_str(), &found) != 0) return 0;
  return static_cast<std::uint64_t>(found.f_bavail) * found.f_frsize;
}

}  // namespace

SpaceVerdict judge_space(std::uint64_t free_bytes, bool has_ballast, const BallastPlan& plan) {
  SpaceVerdict verdict;
  if (free_bytes > plan.reserve_bytes) verdict.usable_bytes = free_bytes - plan.reserve_bytes;
  else if (has_ballast) verdict.step = BallastStep::give_back;
  if (!has_ballast && free_bytes >= plan.reserve_bytes + 2 * plan.ballast_bytes)
    verdict.step = BallastStep::make;
  else if (!has_ballast)
    verdict.usable_bytes = 0;  // the room that is left belongs to the ballast
  return verdict;
}

BallastedSpace::BallastedSpace(std::string folder, const BallastPlan& plan)
    : folder_(std::move(folder)), ballast_path_(folder_ + "/ballast"), plan_(plan) {
  struct stat found {};
  has_ballast_ = ::stat(ballast_path_.c_str(), &found) == 0 &&
                 static_cast<std::uint64_t>(found.st_size) == plan_.ballast_bytes;
}

std::uint64_t BallastedSpace::usable_bytes() {
  const std::lock_guard guard(mutex_);
  const SpaceVerdict verdict = judge_space(measure_free(folder_), has_ballast_, plan_);
  if (verdict.step == BallastStep::make) make_ballast();
  if (verdict.step == BallastStep::give_back) {
    ::unlink(ballast_path_.c_str());
    has_ballast_ = false;
  }
  return verdict.usable_bytes;
}

bool BallastedSpace::give_back() {
  const std::lock_guard guard(mutex_);
  if (!has_ballast_) return false;
  has_ballast_ = false;
  return ::unlink(ballast_path_.c_str()) == 0;
}

// Blocks are really allocated: a sparse file would keep nothing free.
void BallastedSpace::make_ballast() {
  const int file = ::open(ballast_path_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
  if (file < 0) return;
  has_ballast_ = ::posix_fallocate(file, 0, static_cast<off_t>(plan_.ballast_bytes)) == 0;
  ::close(file);
  if (!has_ballast_) ::unlink(ballast_path_.c_str());
}

}  // namespace sluice
