// Numbers that one worker counts and any thread may read.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Only its worker writes it, so a load and a store suffice. A reader may see an old value.
class counter {
 public:
  void add(std::uint64_t count = 1) noexcept {
    value_.store(value_.load(detail::seam::memory_order_relaxed) + count, detail::seam::memory_order_relaxed);
  }
  void raise_to(std::uint64_t value) noexcept {
    if (value > value_.load(detail::seam::memory_order_relaxed))
      value_.store(value, detail::seam::memory_order_relaxed);
  }
  [[nodiscard]] std::uint64_t approx() const noexcept { return value_.load(detail::seam::memory_order_relaxed); }

 private:
  detail::seam::atomic<std::uint64_t> value_{0};
};

}  // namespace nearfork
