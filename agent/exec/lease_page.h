// lease_page.h: the one page shared by the agent, its lease guard and all shepherds of a node: until
// when leased runs may live. Stays as it was last written when the agent dies.
#pragma once

#include <cstdint>
#include <string>

#include "common/base/result.h"
#include "common/base/time.h"

namespace sluice::agent {

class LeasePage {
 public:
  // Makes the file when it is missing: nothing is fenced until the controller says so.
  // Errors: io_error.
  static Result<LeasePage> open(const std::string& path);
  LeasePage(LeasePage&& other) noexcept;
  LeasePage& operator=(LeasePage&&) = delete;
  ~LeasePage();

  // SteadyTime::max(): nothing is fenced.
  SteadyTime until() const;
  void set(SteadyTime until);

 private:
  explicit LeasePage(std::int64_t* until_us) : until_us_(until_us) {}

  std::int64_t* until_us_;
};

}  // namespace sluice::agent
