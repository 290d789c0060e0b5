#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork {
namespace detail {

template <class R>
NEARFORK_INLINE decltype(auto) unwrap(value_of<R>&& value) {
  if constexpr (std::is_reference_v<R>) return static_cast<R>(*value);
  else return std::move(value);
}

/// The result of a fork: nothing if all calls return void, else a tuple with std::monostate in place of void.
template <class... F>
inline constexpr bool all_void = std::conjunction_v<std::is_void<result_of<F>>...>;
template <class R>
using element_of = std::conditional_t<std::is_reference_v<R>, R, value_of<R>>;
template <class... F>
using fork_result = std::conditional_t<all_void<F...>, void, std::tuple<element_of<result_of<F>>...>>;

/// The values of both children. An aggregate, unlike std::tuple, so that it is returned in registers where it fits:
/// else the cold paths would force the results of the hot path into memory (0.4 ns of a fork under clang).
template <class F, class G>
struct two_values {
  [[no_unique_address]] value_of<result_of<F>> first;
  [[no_unique_address]] value_of<result_of<G>> second;
};

/// Larger closures cost more to copy than to read again.
inline constexpr std::size_t most_copied_bytes = 4 * sizeof(void*);

/// What a fork calls: a copy of a small closure, else the callable itself.
template <class F>
using called_here = std::conditional_t<copy_stands_for<F>(most_copied_bytes), F, F&>;

/// Gcc shall keep a closure with a result in memory. Else it holds the captures in registers from the function's entry
/// on, and saves these registers also where the function returns at once without a fork (fib by value takes 1.44x of
/// serial so, and 1.24x with this). A closure without a result captures by reference, and is dearer in memory.
template <class F>
NEARFORK_INLINE void keep_in_memory([[maybe_unused]] F& closure) noexcept {
#if defined(__GNUC__) && !defined(__clang__)
  if constexpr (copy_stands_for<F>(most_copied_bytes) && !std::is_const_v<F> && !std::is_void_v<result_of<F>>) {
    using bytes = char[sizeof(F)];  // a closure with const captures is no output for gcc
    __asm__("" : "+m"(reinterpret_cast<bytes&>(closure)));
  }
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
                                  std::conditional_t<copy_stands_for<F>(most_copied_bytes), const F&, F&>>;
#else
using passed = std::conditional_t<copy_stands_for<F>(most_copied_bytes), const F&, F&>;
#endif

template <class F, class G>
NEARFORK_INLINE fork_result<F, G> to_result(two_values<F, G>&& both) {
  if constexpr (!all_void<F, G>)
    return {unwrap<result_of<F>>(std::move(both.first)), unwrap<result_of<G>>(std::move(both.second))};
}

/// A fork of two children off its fast path. `self` is nullptr outside workers.
template <class F, class G>
NEARFORK_COLD two_values<F, G> fork_slowly(fiber* self, push_outcome why, passed<F> f, passed<G> g, call_site where) {
  called_here<F> call_f(f);
  called_here<G> call_g(g);
  slow_job<F> first(call_f);
  slow_job<G> second(call_g);
  const slow_child children[] = {first.child(), second.child()};
  run_slowly(self, why, children, where);
  return {first.take(), second.take()};
}

/// Call it in a handler: f threw, and the other child must not outlive this frame.
template <class G>
NEARFORK_INLINE void abandon(fiber& self, slot* head, stack_job<G>& second) {
  abandon_fork(self, head, second);
  second.drop_value();
}

/// The values, after a thief has run the second child.
template <class F, class G>
NEARFORK_COLD two_values<F, G> with_stolen(value_of<result_of<F>>& first, stack_job<G>& second) {
  const dropped_at_end end(second);  // the move of the first value may throw
  return {std::move(first), second.take()};
}

template <class F, class G>
NEARFORK_INLINE two_values<F, G> fork_two(F& f, G& g, call_site where) {
  fiber& self = this_fiber();
  stack_job<G> second(g);
  slot* const head = self.jobs.owner_head();
  if (!self.jobs.owner_offer(head, &second)) [[unlikely]] {
    const push_outcome outcome = push_slow(self, head);
    if (outcome != push_outcome::pushed)
      return fork_slowly<F, G>(&self, outcome, called_here<F>(f), called_here<G>(g), where);
  }
  self.jobs.owner_set_head(head + 1);
  auto a = [&]() __attribute__((always_inline)) {
    try {
      return call_for_value(f);
    } catch (...) {
      abandon(self, head, second);
      throw;
    }
  }();
  if (self.jobs.owner_pop(head) || take_back_or_wait(self, head, second)) [[likely]]
    return {std::move(a), call_for_value(g)};
  return with_stolen<F, G>(a, second);
}

/// A fork of more than two children. The first runs here. The others are pushed, the last one first, so that the second
/// is on top.
template <class F, class... G>
class wide_fork {
 public:
  explicit NEARFORK_INLINE wide_fork(G&... g) noexcept : jobs_(g...) {}

  NEARFORK_INLINE fork_result<F, G...> run(F& f, G&... g) {
    fiber& self = this_fiber();
    first_slot_ = self.jobs.owner_head();
    if (const push_outcome outcome = push_all(self, others{}); outcome != push_outcome::pushed) [[unlikely]]
      return slowly(&self, outcome, called_here<F>(f), called_here<G>(g)...);
    try {
      return join_all(self, others{}, f, g...);
    } catch (...) {
      abandon_from_next(self, others{});
      throw;
    }
  }
  /// Off the fast path; `self` is nullptr outside workers.
  NEARFORK_COLD static fork_result<F, G...> slowly(fiber* self, push_outcome why, passed<F> f, passed<G>... g) {
    return slowly_indexed(self, why, others{}, called_here<F>(f), called_here<G>(g)...);
  }

 private:
  static constexpr std::size_t width = sizeof...(G);
  using others = std::index_sequence_for<G...>;

  /// The slot of child `i` of the others.
  slot* slot_of(std::size_t i) const noexcept { return first_slot_ + (width - 1 - i); }

  template <std::size_t... I>
  NEARFORK_INLINE push_outcome push_all(fiber& self, std::index_sequence<I...>) noexcept {
    if (!self.jobs.owner_may_push(slot_of(0))) [[unlikely]] {
      job* const top_last[] = {&std::get<width - 1 - I>(jobs_)...};
      return push_wide_slow(self, first_slot_, top_last);
    }
    (slot_of(I)->store(&std::get<I>(jobs_), seam::memory_order_relaxed), ...);  // [D1], as in owner_offer()
    self.jobs.owner_set_head(first_slot_ + width);
    return push_outcome::pushed;
  }

  template <std::size_t... I>
  NEARFORK_INLINE fork_result<F, G...> join_all(fiber& self, std::index_sequence<I...>, F& f, G&... g) {
    if constexpr (all_void<F, G...>) {
      call(f);
      ((void)join<I>(self, g), ...);
    } else {
      // Braces: the calls are made in this order.
      return {unwrap<result_of<F>>(call_for_value(f)), unwrap<result_of<G>>(join<I>(self, g))...};
    }
  }
  template <std::size_t I, class Child>
  NEARFORK_INLINE auto join(fiber& self, Child& g) -> typename stack_job<Child>::value {
    auto& child = std::get<I>(jobs_);
    slot* const position = slot_of(I);
    next_ = I + 1;
    if (self.jobs.owner_pop(position) || take_back_or_wait(self, position, child)) [[likely]]
      return call_for_value(g);
    const dropped_at_end end(child);
    return child.take();
  }

  /// Call it in a handler: a child threw, and the children after it must not outlive this frame.
  template <std::size_t... I>
  NEARFORK_COLD void abandon_from_next(fiber& self, std::index_sequence<I...>) {
    fork_job* const children[] = {&std::get<I>(jobs_)...};
    const std::exception_ptr cause = abandon_rest(self, first_slot_, children, next_);
    ((I >= next_ ? std::get<I>(jobs_).drop_value() : void()), ...);
    if (cause != nullptr) rethrow_failure(cause, ending::failure);
  }

  template <std::size_t... I>
  static fork_result<F, G...> slowly_indexed(fiber* self, push_outcome why, std::index_sequence<I...>,
                                             called_here<F>&& f, called_here<G>&&... g) {
    slow_job<F> first(f);
    std::tuple<slow_job<G>...> rest(g...);
    const slow_child children[] = {first.child(), std::get<I>(rest).child()...};
    run_slowly(self, why, children, {"a fork", 0});
    if constexpr (!all_void<F, G...>)
      return {unwrap<result_of<F>>(first.take()), unwrap<result_of<G>>(std::get<I>(rest).take())...};
  }

  std::tuple<stack_job<G>...> jobs_;
  slot* first_slot_ = nullptr;
  std::size_t next_ = 0;  // the children before this one of the others have ended, or begun here
};

template <class F, class... G>
NEARFORK_INLINE fork_result<F, G...> fork_wide(called_here<F> f, called_here<G>... g) {
  if (!thread_mark()) [[unlikely]]
    return wide_fork<F, G...>::slowly(nullptr, push_outcome::outside, called_here<F>(f), called_here<G>(g)...);
  return wide_fork<F, G...>(g...).run(f, g...);
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
  detail::called_here<first> call_f(f);
  detail::called_here<second> call_g(g);
  detail::keep_in_memory(call_f);
  detail::keep_in_memory(call_g);
  if (!detail::thread_mark()) [[unlikely]]
    return detail::to_result<first, second>(
        detail::fork_slowly<first, second>(nullptr, detail::push_outcome::outside, detail::called_here<first>(call_f),
                                           detail::called_here<second>(call_g), where));
  return detail::to_result<first, second>(detail::fork_two<first, second>(call_f, call_g, where));
}

/// The same for more than two callables. Thieves take the last callable first.
/// Throws: the exception of the first callable by position that failed; nearfork::cancelled as above.
template <class F, class G, class H, class... More>
  requires detail::task_callable<F> && detail::task_callable<G> && detail::task_callable<H> &&
           (detail::task_callable<More> && ...)
NEARFORK_INLINE auto fork_join(F&& f, G&& g, H&& h, More&&... more) {
  // Gcc, fib of three children: with results 1.1x of serial apart and 1.6x in the caller, without results 3.5x and
  // 1.6x.
  if constexpr (detail::all_void<std::remove_reference_t<F>, std::remove_reference_t<G>, std::remove_reference_t<H>,
                                 std::remove_reference_t<More>...>)
    return detail::fork_wide<std::remove_reference_t<F>, std::remove_reference_t<G>, std::remove_reference_t<H>,
                             std::remove_reference_t<More>...>(f, g, h, more...);
  else return detail::fork_wide_apart(f, g, h, more...);
}

}  // namespace nearfork
