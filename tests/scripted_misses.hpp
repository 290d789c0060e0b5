// Miss counters whose counts the threads under test set themselves.
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

  /// Adds `lines` misses to the calling thread. Not inlined: the caller may have changed threads since its last call.
  [[gnu::noinline]] static void miss(std::uint64_t lines) { count() += lines; }

  /// Asked at each opening; openings are numbered from 0. A non-empty reason refuses the opening.
  std::function<std::string(unsigned opening)> refuse = [](unsigned) { return std::string(); };
  std::atomic<bool> lose_count{false};  // readings are incomplete from now on

  [[nodiscard]] unsigned opened() const { return opened_.load(); }
  [[nodiscard]] unsigned closed() const { return closed_.load(); }

  counter_opening open_for_this_thread() const override {
    const unsigned number = opened_.fetch_add(1);
    if (std::string why = refuse(number); !why.empty()) {
      closed_.fetch_add(1);
      return {nullptr, {}, {std::move(why), "ask again"}};
    }
    // The counters of two threads are far apart, so that a difference between them cannot pass for a count.
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
