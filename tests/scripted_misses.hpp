// Miss counters whose threads say themselves what they missed.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <utility>

#include "sensors/miss_counter.hpp"

namespace nearfork::test {

class scripted_misses final : public miss_counting {
 public:
  static constexpr unsigned line_bytes = 64;

  /// The calling thread misses so many lines. Not inlined: its caller may be on another thread than a moment ago.
  [[gnu::noinline]] static void miss(std::uint64_t lines) { count() += lines; }

  /// Asked at each opening, which are numbered from 0; a reason refuses it.
  std::function<std::string(unsigned opening)> refuse = [](unsigned) { return std::string(); };
  std::atomic<bool> lose_count{false};  // from now on readings are not complete

  [[nodiscard]] unsigned opened() const { return opened_.load(); }
  [[nodiscard]] unsigned closed() const { return closed_.load(); }

  counter_opening open_for_this_thread() const override {
    const unsigned number = opened_.fetch_add(1);
    if (std::string why = refuse(number); !why.empty()) {
      closed_.fetch_add(1);
      return {nullptr, {}, {std::move(why), "ask again"}};
    }
    // Counters of two threads are far apart: a difference between them cannot pass for a count.
    return {std::make_unique<counter>(*this, (number + 1) * (std::uint64_t{1} << 40)), {"scripted", line_bytes}, {}};
  }

 private:
  [[gnu::noinline]] static std::uint64_t& count() {
    thread_local std::uint64_t lines = 0;
    return lines;
  }

  class counter final : public miss_counter {
   public:
    counter(const scripted_misses& home, std::uint64_t start) : home_(home), start_(start) {}
    ~counter() override { home_.closed_.fetch_add(1); }
    miss_reading read() noexcept override { return {start_ + count(), !home_.lose_count.load()}; }

   private:
    const scripted_misses& home_;
    std::uint64_t start_;
  };

  mutable std::atomic<unsigned> opened_{0};
  mutable std::atomic<unsigned> closed_{0};
};

}  // namespace nearfork::test
