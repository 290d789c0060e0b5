// The names of nearfork/detail/seam.hpp, implemented by the explorer.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "model/explorer.hpp"

namespace nearfork::detail {

inline constexpr unsigned cache_line_bytes = 128;

namespace seam {

inline constexpr auto memory_order_relaxed = model::memory_order::relaxed;
inline constexpr auto memory_order_acquire = model::memory_order::acquire;
inline constexpr auto memory_order_release = model::memory_order::release;
inline constexpr auto memory_order_acq_rel = model::memory_order::acq_rel;
inline constexpr auto memory_order_seq_cst = model::memory_order::seq_cst;

template <class T>
class atomic {
  static_assert(std::is_trivially_copyable_v<T> && sizeof(T) <= sizeof(std::uint64_t));

 public:
  atomic(T initial = T{}) : place_(bits(initial)) {}

  [[nodiscard]] T load(model::memory_order order) const noexcept { return value(place_.load(order)); }
  void store(T desired, model::memory_order order) noexcept { place_.store(bits(desired), order); }
  T exchange(T desired, model::memory_order order) noexcept {
    return value(place_.read_modify_write([&](std::uint64_t) { return bits(desired); }, order));
  }
  bool compare_exchange_strong(T& expected, T desired, model::memory_order success,
                               model::memory_order failure) noexcept {
    std::uint64_t wanted = bits(expected);
    if (place_.compare_exchange(wanted, bits(desired), success, failure)) return true;
    expected = value(wanted);
    return false;
  }
  bool compare_exchange_weak(T& expected, T desired, model::memory_order success,
                             model::memory_order failure) noexcept {
    return compare_exchange_strong(expected, desired, success, failure);
  }
  T fetch_add(T step, model::memory_order order) noexcept {
    return change(order, [&](T old) { return static_cast<T>(old + step); });
  }
  T fetch_sub(T step, model::memory_order order) noexcept {
    return change(order, [&](T old) { return static_cast<T>(old - step); });
  }
  T fetch_or(T mask, model::memory_order order) noexcept {
    return change(order, [&](T old) { return static_cast<T>(old | mask); });
  }

  [[nodiscard]] model::location& place() const noexcept { return place_; }

 private:
  static std::uint64_t bits(T from) noexcept {
    std::uint64_t made = 0;
    std::memcpy(&made, &from, sizeof from);
    return made;
  }
  static T value(std::uint64_t from) noexcept {
    T made;
    std::memcpy(&made, &from, sizeof made);
    return made;
  }
  template <class F>
  T change(model::memory_order order, F f) noexcept {
    return value(place_.read_modify_write([&](std::uint64_t old) { return bits(f(value(old))); }, order));
  }

  mutable model::location place_;
};

/// A plain variable that the race detector watches.
template <class T>
class plain {
 public:
  plain() = default;
  plain(T initial) : value_(initial) {}
  plain& operator=(T desired) {
    access_.write("plain variable");
    value_ = desired;
    return *this;
  }
  operator T() const {
    access_.read("plain variable");
    return value_;
  }

 private:
  T value_{};
  mutable model::plain_access access_;
};

template <class T, std::size_t N>
struct unwritten {
  T items[N];
};

inline void pause() noexcept {
  model::yield();
}
inline void yield() noexcept {
  model::yield();
}
/// The compiler's side of the fence; a model thread runs its steps in order.
inline void light_fence() noexcept {}
inline bool heavy_fence() noexcept {
  model::fence_all();
  return true;
}
inline void futex_wait(atomic<std::uint32_t>& word, std::uint32_t expected) noexcept {
  model::futex_wait(word.place(), expected);
}
inline void futex_wake_one(atomic<std::uint32_t>& word) noexcept {
  model::futex_wake(word.place(), 1);
}
inline void futex_wake_all(atomic<std::uint32_t>& word) noexcept {
  model::futex_wake(word.place(), ~std::size_t{0});
}

}  // namespace seam
}  // namespace nearfork::detail
