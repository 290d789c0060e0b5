// What a worker's tasks brought into its private caches, counted while a region is profiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sensors/miss_counter.hpp"

namespace nearfork::detail {

struct worker;

/// Used by its worker alone. Who is never profiled never opens a counter, and pays nothing.
class worker_misses {
 public:
  void open_if_needed(worker& self) noexcept {
    if (counter_ == nullptr && !was_refused_) open(self);
  }
  /// Misses times line size since some moment in the past; only differences tell something, and only where why_not()
  /// stays empty and nobody closed the counter in between.
  [[nodiscard]] std::uint64_t read_bytes() noexcept;
  /// Why what read_bytes() says is not all, or nothing; empty: it is all.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }

  /// A counter that is open makes every switch of threads dearer, and keeps others (perf) from counting. No task may be
  /// on the clock of this worker.
  void close() noexcept {
    if (counter_ != nullptr) let_go();
  }

 private:
  void open(worker& self) noexcept;
  void let_go() noexcept;

  std::unique_ptr<miss_counter> counter_;
  unsigned line_bytes_ = 0;
  bool was_refused_ = false;  // for good: nobody asks again in every iteration
  std::string why_not_;
};

}  // namespace nearfork::detail
