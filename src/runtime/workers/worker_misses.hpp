// What a worker's tasks brought into its private caches, counted while a region is profiled.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "sensors/miss_counter.hpp"

namespace nearfork::detail {

struct worker;

/// Used by its worker alone. A worker whose tasks are never profiled opens no counter, and pays nothing.
class worker_misses {
 public:
  void open_if_needed(worker& self) noexcept {
    if (counter_ == nullptr && !was_refused_) open(self);
  }
  /// Misses times line size since some moment in the past. Only differences mean something, and only if why_not() stays
  /// empty and the counter was not closed in between.
  [[nodiscard]] std::uint64_t read_bytes() noexcept;
  /// Why read_bytes() returns too little, or nothing; empty: it returns all.
  [[nodiscard]] const std::string& why_not() const noexcept { return why_not_; }

  /// An open counter makes every thread switch dearer, and keeps other programs (perf) from counting. No task may be on
  /// the clock of this worker.
  void close() noexcept {
    if (counter_ != nullptr) let_go();
  }

 private:
  void open(worker& self) noexcept;
  void let_go() noexcept;

  std::unique_ptr<miss_counter> counter_;
  unsigned line_bytes_ = 0;
  bool was_refused_ = false;  // for good: later iterations do not try again
  std::string why_not_;
};

}  // namespace nearfork::detail
