// A fork of more than two children: all but the first are pushed as jobs in the caller's frame.
#pragma once

#include <array>
#include <cstddef>
#include <exception>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/registers.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tasks/fork_callables.hpp>
#include <nearfork/detail/tasks/fork_results.hpp>

namespace nearfork::detail {

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
    if (cause != nullptr) rethrow_failure(cause);
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

}  // namespace nearfork::detail
