// histogram.h: counts of values by upper bounds, as monitoring systems read them: for durations
// that are judged by how many were longer than so much.
#pragma once

#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

namespace sluice {

class Histogram {
 public:
  // `bounds`: ascending; they must outlive the histogram.
  explicit Histogram(std::span<const double> bounds)
      : bounds_(bounds), counts_(bounds.size() + 1) {}

  void add(double value) {
    const auto at = std::lower_bound(bounds_.begin(), bounds_.end(), value) - bounds_.begin();
    ++counts_[static_cast<std::size_t>(at)];
    sum_ += value;
    last_ = value;
  }

  std::span<const double> bounds() const { return bounds_; }
  // How many values were not above bounds()[i]; i == bounds().size(): all.
  std::uint64_t count_up_to(std::size_t i) const {
    std::uint64_t count = 0;
    for (std::size_t k = 0; k <= i; ++k) count += counts_[k];
    return count;
  }
  std::uint64_t count() const { return count_up_to(bounds_.size()); }
  double sum() const { return sum_; }
  double last() const { return last_; }

 private:
  std::span<const double> bounds_;
  std::vector<std::uint64_t> counts_;  // by the first bound that is not below the value
  double sum_ = 0;
  double last_ = 0;
};

}  // namespace sluice
