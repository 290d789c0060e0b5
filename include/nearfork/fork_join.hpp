#pragma once

#include <nearfork/detail/language.hpp>

#include <array>
#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/registers.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork {
namespace detail {

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

/// Larger closures cost more to copy than to read again.
inline constexpr std::size_t most_copied_bytes = 4 * sizeof(void*);

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

// The cold paths of a fork find its fiber by the stack pointer, and a job by the deque's head. What the hot path would
// hand them, it would have to keep in registers across its calls, and so save at the function's entry.

/// A fork of two children off its fast path.
template <class F, class G>
NEARFORK_COLD two_values<F, G> fork_slowly(push_outcome why, passed<F> f, passed<G> g, call_site where) {
  copied_for_cold<F> call_f(f);
  copied_for_cold<G> call_g(g);
  slow_job<F> first(call_f);
  slow_job<G> second(call_g);
  const slow_child children[] = {first.child(), second.child()};
  run_slowly(why, children, where);
  return {first.take(), second.take()};
}

/// The values, after a thief has run the second child.
template <class F, class G>
NEARFORK_COLD two_values<F, G> with_stolen(passed_value<result_of<F>> first) {
  auto& second = static_cast<stack_job<G>&>(job_at_head());
  const dropped_at_end end(second);  // the move of the first value may throw
  return {std::move(first), second.take()};
}

template <class F, class G>
NEARFORK_INLINE both_values<F, G> fork_two(F& f, G& g, call_site where) {
  fiber& self = this_fiber();
  const kept_on_stack<fiber> self_later(self);
  stack_job<G> second(g);
  slot* const head = self.jobs.owner_head();
  if (self.jobs.owner_offer(head, &second)) [[likely]] {
    self.jobs.owner_set_head(head + 1);
  } else {
    const push_outcome outcome = push_slow();
    if (outcome != push_outcome::pushed)
      return both_from<F, G>(fork_slowly<F, G>(outcome, copied_for_cold<F>(f), copied_for_cold<G>(g), where));
  }
  auto a = [&]() __attribute__((__always_inline__)) {
    try {
      return call_for_value(f);
    } catch (...) {
      abandon_fork(found_anew(second));
      second.drop_value();
      throw;
    }
  }();
  if (self_later->jobs.owner_pop(head) || take_youngest_back_or_wait()) [[likely]]
    return both_from<F, G>(std::move(a), g);
  return both_from<F, G>(with_stolen<F, G>(static_cast<passed_value<result_of<F>>>(a)));
}

// Gcc shall not inline cold calls early: it would hold the parts of their arguments in vector registers from the start
// (three children without results: 1.9x of serial so, and 1.6x with this). Clang would keep the arguments in memory.
#if defined(__clang__)
#define NEARFORK_INLINED_BY_CLANG __attribute__((__always_inline__))
#else
#define NEARFORK_INLINED_BY_CLANG
#endif

/// Calls the cold half of a wide fork with what its children call. The result gets memory of its own: else the result
/// of the hot path would lie in the same memory (clang, five children: 2.2x of serial so, and 1.7x with this).
template <class Call>
NEARFORK_INLINE auto into_registers(const Call& call) {
  if constexpr (std::is_void_v<decltype(call())>) {
    call();
  } else {
    auto result = call();
    return decltype(result)(std::move(result));
  }
}

/// A fork of more than two children. The first runs here. The others are pushed, the last one first, so that the second
/// is on top. Nothing but the jobs has an address that leaves the caller.
template <class F, class... G>
class wide_fork {
 public:
  static NEARFORK_INLINE fork_result<F, G...> run(F& f, G&... g) {
    fiber& self = this_fiber();
    const kept_on_stack<fiber> self_later(self);
    jobs_of_others jobs(g...);
    slot* const first_slot = self.jobs.owner_head();
    if (self.jobs.owner_may_push(first_slot + width - 1)) [[likely]] {
      push_all(first_slot, jobs, others{});
      self.jobs.owner_set_head(first_slot + width);
    } else {
#if defined(__clang__)
      // Copies that are made before the call. Later ones would keep registers for what they copy (three children
      // without results: 2.0x of serial so, and 1.6x with this).
      std::tuple<called_here<F>, called_here<G>...> later(f, g...);
      force_to_memory(later);
      const push_outcome outcome = push_all_slow(jobs, others{});
      if (outcome != push_outcome::pushed)
        return into_registers(
            [&]() __attribute__((__always_inline__)) { return slowly_later(outcome, later, others{}); });
#else
      const push_outcome outcome = push_all_slow(jobs, others{});
      if (outcome != push_outcome::pushed)
        return into_registers([&] { return slowly(outcome, called_here<F>(f), called_here<G>(g)...); });
#endif
    }
    return join_all(self_later, first_slot, jobs, others{}, f, g...);
  }
  /// Off the fast path.
  NEARFORK_COLD static fork_result<F, G...> slowly(push_outcome why, passed<F> f, passed<G>... g) {
    return slowly_indexed(why, others{}, called_here<F>(f), called_here<G>(g)...);
  }

 private:
  using jobs_of_others = std::tuple<stack_job<G>...>;
  using others = std::index_sequence_for<G...>;
  static constexpr std::size_t width = sizeof...(G);

  template <std::size_t... I>
  static NEARFORK_INLINE void push_all(slot* first_slot, jobs_of_others& jobs, std::index_sequence<I...>) noexcept {
    // [D1], as in owner_offer()
    ((first_slot + (width - 1 - I))->store(&std::get<I>(jobs), seam::memory_order_relaxed), ...);
  }
  template <std::size_t... I>
  NEARFORK_COLD static push_outcome push_all_slow(jobs_of_others& jobs, std::index_sequence<I...>) noexcept {
    job* const top_last[] = {&std::get<width - 1 - I>(jobs)...};
    return push_wide_slow(top_last);
  }

  template <std::size_t... I>
  static NEARFORK_INLINE fork_result<F, G...> join_all(const kept_on_stack<fiber>& self, slot* first_slot,
                                                       jobs_of_others& jobs, std::index_sequence<I...>, F& f, G&... g) {
    const auto run_first = [&]() __attribute__((__always_inline__)) { return call_for_value(f); };
    const auto join_at = [&](slot* position, auto& child) __attribute__((__always_inline__)) {
      return [&self, position, &child]() __attribute__((__always_inline__)) { return join(self, position, child); };
    };
    if constexpr (all_void<F, G...>) {
      (void)or_abandon<0>(jobs, run_first);
      ((void)or_abandon<I + 1>(jobs, join_at(first_slot + (width - 1 - I), g)), ...);
    } else {
      // Braces: the calls are made in this order.
      return {unwrap<result_of<F>>(or_abandon<0>(jobs, run_first)),
              element<I, result_of<G>>(jobs, join_at(first_slot + (width - 1 - I), g))...};
    }
  }
  /// Of the child I + 1. The last one is made in the tuple itself, unless it comes in registers.
  template <std::size_t I, class R, class Join>
  static NEARFORK_INLINE decltype(auto) element(jobs_of_others& jobs, const Join& join) {
    if constexpr (I + 1 == width && std::is_object_v<R> && !std::is_same_v<passed_value<R>, R>)
      return last_element_from<R, element_of<result_of<F>>, element_of<result_of<G>>...>(join);  // no child is left
    else if constexpr (std::is_reference_v<R>) return unwrap<R>(or_abandon<I + 1>(jobs, join));
    else return or_abandon<I + 1>(jobs, join);
  }
  template <class Child>
  static NEARFORK_INLINE value_of<result_of<Child>> join(const kept_on_stack<fiber>& self, slot* position, Child& g) {
    if (self->jobs.owner_pop(position) || take_youngest_back_or_wait()) [[likely]]
      return call_for_value(g);
    return stolen_value<Child>();
  }
  template <class Child>
  NEARFORK_COLD static value_of<result_of<Child>> stolen_value() {
    auto& child = static_cast<stack_job<Child>&>(job_at_head());
    const dropped_at_end end(child);
    return child.take();
  }

  /// What `call` returns. If it throws, the other children from `Next` on must not outlive this frame. One handler for
  /// each child: a count of the children that are done would be written for each.
  template <std::size_t Next, class Call>
  static NEARFORK_INLINE auto or_abandon(jobs_of_others& jobs, const Call& call) {
    try {
      return call();
    } catch (...) {
      abandon_from<Next>(found_anew(jobs), std::make_index_sequence<width - Next>{});
      throw;
    }
  }
  template <std::size_t Next, std::size_t... I>
  NEARFORK_COLD static void abandon_from([[maybe_unused]] jobs_of_others& jobs, std::index_sequence<I...>) {
    const std::array<fork_job*, sizeof...(I)> children = {&std::get<Next + I>(jobs)...};
    const std::exception_ptr cause = abandon_rest(children);
    (std::get<Next + I>(jobs).drop_value(), ...);
    if (cause != nullptr) rethrow_failure(cause, ending::failure);
  }

  template <std::size_t... I>
  static fork_result<F, G...> slowly_indexed(push_outcome why, std::index_sequence<I...>, called_here<F>&& f,
                                             called_here<G>&&... g) {
    slow_job<F> first(f);
    std::tuple<slow_job<G>...> rest(g...);
    const slow_child children[] = {first.child(), std::get<I>(rest).child()...};
    run_slowly(why, children, {"a fork", 0});
    if constexpr (!all_void<F, G...>)
      return {unwrap<result_of<F>>(first.take()), unwrap<result_of<G>>(std::get<I>(rest).take())...};
  }
  template <class All, std::size_t... I>
  static NEARFORK_INLINE fork_result<F, G...> slowly_later(push_outcome why, All& all, std::index_sequence<I...>) {
    return slowly(why, std::get<0>(all), std::get<I + 1>(all)...);
  }
};

template <class F, class... G>
NEARFORK_INLINE fork_result<F, G...> fork_wide(called_here<F> f, called_here<G>... g) {
  if (!thread_mark()) [[unlikely]]
    return into_registers([&]() NEARFORK_INLINED_BY_CLANG {
      return wide_fork<F, G...>::slowly(push_outcome::outside, called_here<F>(f), called_here<G>(g)...);
    });
  return wide_fork<F, G...>::run(f, g...);
}

/// The same, and the compiler decides whether it becomes part of its caller.
template <class F, class... G>
fork_result<F, G...> fork_wide_apart(F& f, G&... g) {
  return fork_wide<F, G...>(f, g...);
}

}  // namespace detail

/// Calls f and g, possibly in parallel, and returns when both are done.
///
///     int fib(int n) {
///       if (n < 2) return n;
///       const auto [a, b] = nearfork::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
///       return a + b;
///     }
///
/// The calling thread runs f at once. Meanwhile a thief may take g; if no thief does, the caller calls g after f.
/// Neither callable may rely on the other one running at the same time. Each callable is called once, in place
/// and not as a copy: what the call changes in a callable is visible afterwards, also if a thief made the call. A
/// callable that can only be called as an rvalue must be passed as an rvalue. After a wait the caller may continue on
/// another thread. So do not keep addresses of thread_locals across the call, or set the option pin_waits.
///
/// Returns: nothing if both return void, else a std::tuple of both results, with std::monostate in place of void.
/// Throws: what f throws, else what g throws; nearfork::cancelled if the task around the call is cancelled. If one
/// callable throws, the other is skipped if it has not started, else cancelled (cancellation.hpp): loops, forks and
/// groups inside it stop, and what they then throw is dropped.
/// Complexity: O(1) beside the calls. No allocation, no fence and no atomic read-modify-write unless a thief comes.
/// Thread-safety: any thread. Outside a worker the call runs inside the process-wide runtime.
/// Source: child stealing over a split deque, Lace (van Dijk, van de Pol 2014).
template <class F, class G>
  requires detail::task_callable<F> && detail::task_callable<G>
NEARFORK_INLINE detail::fork_result<std::remove_reference_t<F>, std::remove_reference_t<G>> fork_join(
    F&& f, G&& g, call_site where = {__builtin_FILE(), __builtin_LINE()}) {
  using first = std::remove_reference_t<F>;
  using second = std::remove_reference_t<G>;
  detail::require_movable_results<detail::result_of<first>, detail::result_of<second>>();
  detail::called_here<first> call_f(f);
  detail::called_here<second> call_g(g);
  detail::keep_in_memory(call_f);
  detail::keep_in_memory(call_g);
  if (!detail::thread_mark()) [[unlikely]]
    return detail::to_result<first, second>(
        detail::fork_slowly<first, second>(detail::push_outcome::outside, detail::copied_for_cold<first>(call_f),
                                           detail::copied_for_cold<second>(call_g), where));
  if constexpr (detail::in_registers<first, second>)
    return detail::to_result<first, second>(detail::fork_two<first, second>(call_f, call_g, where));
  else return detail::fork_two<first, second>(call_f, call_g, where);
}

/// The same for more than two callables. Thieves take the last callable first.
/// Throws: the exception of the first callable by position that failed; nearfork::cancelled as above.
template <class F, class G, class H, class... More>
  requires detail::task_callable<F> && detail::task_callable<G> && detail::task_callable<H> &&
           (detail::task_callable<More> && ...)
NEARFORK_INLINE auto fork_join(F&& f, G&& g, H&& h, More&&... more) {
  detail::require_movable_results<
      detail::result_of<std::remove_reference_t<F>>, detail::result_of<std::remove_reference_t<G>>,
      detail::result_of<std::remove_reference_t<H>>, detail::result_of<std::remove_reference_t<More>>...>();
  // Gcc, fib of three children: with results 1.1x of serial apart and 1.6x in the caller, without results 3.5x and
  // 1.6x.
  if constexpr (detail::all_void<std::remove_reference_t<F>, std::remove_reference_t<G>, std::remove_reference_t<H>,
                                 std::remove_reference_t<More>...>)
    return detail::fork_wide<std::remove_reference_t<F>, std::remove_reference_t<G>, std::remove_reference_t<H>,
                             std::remove_reference_t<More>...>(f, g, h, more...);
  else return detail::fork_wide_apart(f, g, h, more...);
}

}  // namespace nearfork
