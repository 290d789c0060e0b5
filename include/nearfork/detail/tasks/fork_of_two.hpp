// A fork of two children: one is pushed as a job in the caller's frame, the other called.
#pragma once

#include <tuple>
#include <utility>
#include <variant>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/registers.hpp>
#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tasks/fork_callables.hpp>
#include <nearfork/detail/tasks/fork_results.hpp>

namespace nearfork::detail {

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

/// What a fork of two does with what its children return: it hands the values on.
template <class F, class G>
struct results_by_value {
  using first_value = value_of<result_of<F>>;
  NEARFORK_INLINE first_value first_of(F& f) const { return call_for_value(f); }
  NEARFORK_INLINE both_values<F, G> with_second_of(first_value& first, G& g) const {
    return both_from<F, G>(std::move(first), g);
  }
  NEARFORK_INLINE both_values<F, G> with_stolen(first_value& first) const {
    return both_from<F, G>(detail::with_stolen<F, G>(static_cast<passed_value<result_of<F>>>(first)));
  }
  NEARFORK_INLINE both_values<F, G> slowly(push_outcome why, F& f, G& g, call_site where) const {
    return both_from<F, G>(fork_slowly<F, G>(why, copied_for_cold<F>(f), copied_for_cold<G>(g), where));
  }
};

/// Or it makes them in the result of the fork.
template <class F, class G>
struct results_in_place {
  using first_value = std::monostate;
  fork_result<F, G>& result;

  NEARFORK_INLINE first_value first_of(F& f) const {
    make_anew(std::get<0>(result), [&]() __attribute__((__always_inline__)) { return call_for_value(f); });
    return {};
  }
  NEARFORK_INLINE void with_second_of(first_value, G& g) const {
    make_anew(std::get<1>(result), [&]() __attribute__((__always_inline__)) { return call_for_value(g); });
  }
  NEARFORK_INLINE void with_stolen(first_value) const { take_stolen(std::get<1>(result)); }
  NEARFORK_COLD static void take_stolen(element_of<result_of<G>>& into) {
    make_anew(into, [] { return static_cast<stack_job<G>&>(job_at_head()).take(); });
  }
  NEARFORK_INLINE void slowly(push_outcome why, F& f, G& g, call_site where) const {
    slowly_into(result, why, copied_for_cold<F>(f), copied_for_cold<G>(g), where);
  }
  NEARFORK_COLD static void slowly_into(fork_result<F, G>& result, push_outcome why, passed<F> f, passed<G> g,
                                        call_site where) {
    make_anew(result, [&] { return to_result<F, G>(fork_slowly<F, G>(why, f, g, where)); });
  }
};

template <class F, class G, class Results>
NEARFORK_INLINE auto fork_two(F& f, G& g, Results results, call_site where) {
  fiber& self = this_fiber();
  const kept_on_stack<fiber> self_later(self);
  stack_job<G> second(g);
  slot* const head = self.jobs.owner_head();
  if (self.jobs.owner_offer(head, &second)) [[likely]] {
    self.jobs.owner_set_head(head + 1);
  } else {
    const push_outcome outcome = push_slow();
    if (outcome != push_outcome::pushed) return results.slowly(outcome, f, g, where);
  }
  auto first = [&]() __attribute__((__always_inline__)) {
    try {
      return results.first_of(f);
    } catch (...) {
      abandon_fork(found_anew(second));
      second.drop_value();
      throw;
    }
  }();
  if (self_later->jobs.owner_pop(head) || take_youngest_back_or_wait()) [[likely]]
    return results.with_second_of(first, g);
  return results.with_stolen(first);
}

/// In a worker, or in one of the process-wide runtime.
template <class F, class G>
NEARFORK_INLINE fork_result<F, G> fork_by_value(F& f, G& g, call_site where) {
  if (!thread_mark()) [[unlikely]]
    return to_result<F, G>(
        fork_slowly<F, G>(push_outcome::outside, copied_for_cold<F>(f), copied_for_cold<G>(g), where));
  constexpr results_by_value<F, G> values;
  if constexpr (in_registers<F, G>) return to_result<F, G>(fork_two(f, g, values, where));
  else return fork_two(f, g, values, where);
}
template <class F, class G>
NEARFORK_INLINE fork_result<F, G> fork_in_place(F& f, G& g, call_site where) {
  return filled_in_place<F, G>([&](fork_result<F, G>& result) __attribute__((__always_inline__)) {
    const results_in_place<F, G> into{result};
    if (thread_mark()) [[likely]]
      fork_two(f, g, into, where);
    else into.slowly(push_outcome::outside, f, g, where);
  });
}

}  // namespace nearfork::detail
