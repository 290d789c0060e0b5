// A histogram of durations: one worker records them, any thread reads it.
#pragma once

#include <array>
#include <cstdint>

#include "base/histogram.hpp"
#include "runtime/counters/counters.hpp"

namespace nearfork {

class latency_record {
 public:
  void record(std::uint64_t took_ns) noexcept {
    counts_[histogram_bucket::of(took_ns)].add();
    highest_.raise_to(took_ns);
  }
  void add_to(histogram& sum) const noexcept {
    for (std::size_t i = 0; i < counts_.size(); ++i)
      if (const std::uint64_t times = counts_[i].approx(); times != 0) sum.add_to_bucket(i, times);
  }
  [[nodiscard]] std::uint64_t approx_highest_ns() const noexcept { return highest_.approx(); }

 private:
  std::array<counter, histogram_bucket::count> counts_;
  counter highest_;
};

}  // namespace nearfork
