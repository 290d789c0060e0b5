#pragma once

#include <array>
#include <cstddef>
#include <tuple>
#include <type_traits>
#include <utility>

#include <nearfork/detail/scheduler.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/run.hpp>

namespace nearfork {
namespace detail {

template <class R>
NEARFORK_INLINE decltype(auto) unwrap(value_of<R>& value) {
  if constexpr (std::is_reference_v<R>) return static_cast<R>(*value);
  else return std::move(value);
}

/// All void: nothing. Otherwise a tuple, std::monostate standing for void.
template <class... F>
inline constexpr bool all_void = (std::is_void_v<result_of<F>> && ...);
template <class R>
using element_of = std::conditional_t<std::is_reference_v<R>, R, value_of<R>>;
template <class... F>
using fork_result = std::conditional_t<all_void<F...>, void, std::tuple<element_of<result_of<F>>...>>;

template <class F, class G>
NEARFORK_INLINE fork_result<F, G> join_values(value_of<result_of<F>>&& first, value_of<result_of<G>>&& second) {
  if constexpr (!all_void<F, G>)
    return {unwrap<result_of<F>>(first), unwrap<result_of<G>>(second)};
}

/// Both children as a plan says, or a deque that is full: neither is worth a fast path.
template <class F, class G>
NEARFORK_COLD fork_result<F, G> fork_join_planned(fiber& self, F& f, G& g) {
  stack_job<F> first(f);
  stack_job<G> second(g);
  job* const children[] = {&first, &second};
  run_planned(self, children);
  auto a = [&] {
    try {
      return first.take();
    } catch (...) {
      second.drop();
      throw;
    }
  }();
  return join_values<F, G>(std::move(a), second.take());
}

template <class F, class G>
NEARFORK_COLD fork_result<F, G> fork_join_in_place(F& f, G& g) {
  auto a = call_for_value(f);
  return join_values<F, G>(std::move(a), call_for_value(g));
}

/// f threw: the other child must not outlive this frame. Not started, it is dropped.
template <class G>
NEARFORK_COLD void abandon(fiber& self, slot* head, stack_job<G>& second) noexcept {
  if (!self.jobs.owner_is_private(head) && !take_back_or_wait(self, head, second)) second.drop();
  self.jobs.owner_set_head(head);
}

template <class F, class G>
NEARFORK_INLINE fork_result<F, G> fork_join_two(F& f, G& g) {
  fiber& self = this_fiber();
  stack_job<G> second(g);
  slot* const head = self.jobs.owner_head();
  if (!self.jobs.owner_offer(head, &second)) [[unlikely]] {
    switch (push_slow(self, head)) {
      case push_outcome::pushed: break;
      case push_outcome::full: return fork_join_in_place(f, g);
      case push_outcome::planned: return fork_join_planned(self, f, g);
    }
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
  if (self.jobs.owner_is_private(head) || take_back_or_wait(self, head, second)) [[likely]] {
    self.jobs.owner_set_head(head);
    return join_values<F, G>(std::move(a), call_for_value(g));
  }
  return join_values<F, G>(std::move(a), second.take());
}

}  // namespace detail

/// Calls f and g, which may run in parallel, and returns when both are done.
///
/// The calling thread runs f at once; g waits for a thief and is called here after f if none came. Neither may
/// rely on the other running at the same time. After a wait the caller may go on on another
/// thread: do not keep addresses of thread_locals across the call.
///
/// Returns: nothing if both return void, else a std::tuple of the results, std::monostate for void.
/// Throws: what f throws (g is then skipped if it had not started), else what g throws.
/// Cost: no allocation, no fence and no atomic read-modify-write unless a thief comes.
/// Thread-safety: any thread; outside a worker the call runs inside the process-wide runtime.
/// Source: child stealing over a split deque, Lace (van Dijk, van de Pol 2014).
template <class F, class G>
NEARFORK_INLINE detail::fork_result<std::remove_reference_t<F>, std::remove_reference_t<G>> fork_join(F&& f, G&& g) {
  if (!detail::inside_worker) [[unlikely]]
    return run([&] { return detail::fork_join_two(f, g); });
  return detail::fork_join_two(f, g);
}

}  // namespace nearfork
