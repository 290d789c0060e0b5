// How the callables of a fork, and the values that they return, reach the cold paths of the fork.
#pragma once

#include <cstddef>
#include <type_traits>

#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/registers.hpp>

namespace nearfork::detail {

/// Larger closures cost more to copy than to read again (gcc -O3 -march=native: 72 bytes 2.35x of serial, and 3.4x with
/// copies; but five words 6.4 ns a fork, and 2.8 ns with copies).
inline constexpr std::size_t most_copied_bytes = 8 * sizeof(void*);

/// What a fork calls: a copy of a small closure, else the callable itself.
template <class F>
using called_here = std::conditional_t<copy_stands_for<F>(most_copied_bytes), F, F&>;

/// What cold code gets in place of a closure of the hot path. Clang copies larger closures for it, too: else they would
/// lie in memory that other code may see (a struct of 64 bytes, clang -O3: 2.3x of serial so, and 1.8x with copies; gcc
/// gains nothing).
#if defined(__clang__)
inline constexpr std::size_t most_copied_for_cold = 16 * sizeof(void*);
#else
inline constexpr std::size_t most_copied_for_cold = most_copied_bytes;
#endif
template <class F>
using copied_for_cold = std::conditional_t<copy_stands_for<F>(most_copied_for_cold), F, F&>;

/// Gcc shall keep a closure with a result in memory. Else it holds the captures in registers from the function's entry
/// on, and saves these registers also where the function returns at once without a fork (fib by value takes 1.32x of
/// serial so, and 1.24x with this). But what is captured by reference is in memory already, and the address of the
/// captured object costs nothing (fib by reference: 1.7x with this, 1.35x without): so only closures that cannot hold
/// an address are kept in memory.
template <class F>
NEARFORK_INLINE void keep_in_memory([[maybe_unused]] F& closure) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  if constexpr (copy_stands_for<F>(most_copied_bytes) && !std::is_const_v<F> && !std::is_void_v<result_of<F>>)
    if constexpr (alignof(F) < alignof(void*)) force_to_memory(closure);
#endif
}

/// How cold paths take what called_here says. No address of a closure of the hot path may escape: a compiler would
/// write it to memory, and read its captures from there again after each call (gcc: fib in the style
/// [&] { a = fib(n - 1); } takes 3.0x of serial so, and 2.0x with copies). So cold paths get copies, which are made in
/// the cold code. Clang takes small ones by value (fib(40) takes 1.24x of serial by value, 1.36x by reference). Gcc
/// does not: its functions save at entry all registers that they use, also if they return at once without a fork (1.10x
/// by reference, 1.25x by value).
template <class F>
#if defined(__clang__)
using passed = std::conditional_t<copy_stands_for<F>(2 * sizeof(void*)), F,
                                  std::conditional_t<copy_stands_for<F>(most_copied_for_cold), const F&, F&>>;
#else
using passed = std::conditional_t<copy_stands_for<F>(most_copied_bytes), const F&, F&>;
#endif

/// How the cold paths take a value of the hot path: a small one in registers. A reference would put it into memory. A
/// type whose copy is deleted may be trivially copyable, too.
template <class R>
using passed_value =
    std::conditional_t<std::is_trivially_copyable_v<value_of<R>> && std::is_copy_constructible_v<value_of<R>> &&
                           sizeof(value_of<R>) <= 2 * sizeof(void*),
                       value_of<R>, value_of<R>&>;

}  // namespace nearfork::detail
