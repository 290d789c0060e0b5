// What a fork of two makes of the results of its children.
#pragma once

#include <memory>
#include <new>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/callable.hpp>

namespace nearfork::detail {

/// The result of a fork: nothing if all calls return void, else a tuple with std::monostate in place of void.
template <class... F>
inline constexpr bool all_void = std::conjunction_v<std::is_void<result_of<F>>...>;
template <class... F>
using fork_result = std::conditional_t<all_void<F...>, void, std::tuple<element_of<result_of<F>>...>>;

/// The values of both children. An aggregate, unlike std::tuple, so that it is returned in registers where it fits:
/// else the cold paths would force the results of the hot path into memory (0.4 ns of a fork under clang).
template <class F, class G>
struct two_values {
  [[no_unique_address]] value_of<result_of<F>> first;
  [[no_unique_address]] value_of<result_of<G>> second;
};

/// True if two_values are returned in registers. Else each copy on the way to the caller would cost: a result that was
/// written word by word just now cannot be read as a vector for 4 ns.
template <class F, class G>
inline constexpr bool in_registers =
    std::is_trivially_copyable_v<two_values<F, G>> && sizeof(two_values<F, G>) <= 2 * sizeof(void*);

template <class F, class G>
NEARFORK_INLINE fork_result<F, G> to_result(two_values<F, G>&& both) {
  if constexpr (!all_void<F, G>)
    return {unwrap<result_of<F>>(std::move(both.first)), unwrap<result_of<G>>(std::move(both.second))};
}

/// What the hot path returns: both values in registers, else at once what the program gets.
template <class F, class G>
using both_values = std::conditional_t<in_registers<F, G>, two_values<F, G>, fork_result<F, G>>;
template <class F, class G>
NEARFORK_INLINE both_values<F, G> both_from(two_values<F, G>&& both) {
  if constexpr (in_registers<F, G>) return std::move(both);
  else return to_result<F, G>(std::move(both));
}
/// The second call is made here.
template <class F, class G>
NEARFORK_INLINE both_values<F, G> both_from(value_of<result_of<F>>&& first, G& g) {
  if constexpr (in_registers<F, G>) {
    return {std::move(first), call_for_value(g)};
  } else {
    const auto call_g = [&]() __attribute__((__always_inline__)) { return call_for_value(g); };
    return both_values<F, G>(unwrap<result_of<F>>(std::move(first)),
                             last_element_from<result_of<G>, element_of<result_of<F>>>(call_g));
  }
}

/// Results that a fork makes where the program gets them: a copy of one that was written word by word just now would
/// wait for 4 ns (fib with results of four words: gcc 1.4 to 1.5x of serial with copies, 1.2x without). So the tuple is
/// there before the calls, and what is in it must need neither a constructor nor a destructor.
template <class R>
inline constexpr bool can_begin_unset =
    std::is_trivially_default_constructible_v<R> && std::is_trivially_copyable_v<R> && can_be_made_in_place<R>;
template <class... F>
inline constexpr bool can_all_begin_unset =
    std::conjunction_v<std::bool_constant<can_begin_unset<element_of<result_of<F>>>>...>;
/// Those that come in registers are not worth it, nor are those of more than two children: gcc then makes no level of a
/// recursion part of its caller.
template <class F, class G>
inline constexpr bool are_made_in_result = !in_registers<F, G> && can_all_begin_unset<F, G>;

/// Converts to a value that is overwritten before it is read. An object is not written at all: gcc sees that only in a
/// function of these two lines.
struct unset_value {
  template <class R>
    requires(std::is_scalar_v<R>)
  NEARFORK_INLINE operator R() const noexcept {  // NOLINT(google-explicit-constructor): for a tuple's element
    return R{};
  }
  template <class R>
    requires(!std::is_scalar_v<R> && can_begin_unset<R>)
  NEARFORK_INLINE operator R() const noexcept {  // NOLINT(google-explicit-constructor)
    R unset;
    asm("" : "=m"(unset));  // it is written: else -Wuninitialized warns in programs
    return unset;
  }
};

/// The result of a fork, after fill(result). Gcc makes it where the caller wants it, because it is in no inner block
/// and the only thing returned.
template <class F, class G, class Fill>
NEARFORK_INLINE fork_result<F, G> filled_in_place(const Fill& fill) {
  fork_result<F, G> result{unset_value{}, unset_value{}};
  fill(result);
  return result;
}

/// Makes `element` anew, of what `call` returns.
template <class R, class Call>
NEARFORK_INLINE void make_anew(R& element, const Call& call) {
  ::new (static_cast<void*>(std::addressof(element))) R(call());
}

}  // namespace nearfork::detail
