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
inline constexpr bool all_void = std::conjunction_v<std::is_void<result_of<F>>...>;
template <class R>
using element_of = std::conditional_t<std::is_reference_v<R>, R, value_of<R>>;
template <class... F>
using fork_result = std::conditional_t<all_void<F...>, void, std::tuple<element_of<result_of<F>>...>>;

/// What both children left. An aggregate, unlike std::tuple: it is returned in registers where it fits, so that the cold
/// paths do not put the results of the hot one into memory (0.4 ns of a fork under clang).
template <class F, class G>
struct two_values {
  [[no_unique_address]] value_of<result_of<F>> first;
  [[no_unique_address]] value_of<result_of<G>> second;
};

/// How cold paths take a callable. Under clang small closures by value: the hot path's stays in registers (fib(40) takes 1.24x
/// of serial, by reference 1.36x). Under gcc by reference: what it holds in registers all along it saves at entry, also
/// where the caller returns at once without a fork (1.10x by reference, 1.25x by value).
template <class F>
#if defined(__clang__)
using passed = std::conditional_t<copy_stands_for<F>(2 * sizeof(void*)), F, F&>;
#else
using passed = F&;
#endif

template <class F, class G>
NEARFORK_INLINE fork_result<F, G> to_result(two_values<F, G>&& both) {
  if constexpr (!all_void<F, G>) return {unwrap<result_of<F>>(both.first), unwrap<result_of<G>>(both.second)};
}

/// All children are done. If any threw: the first exception, by position, that tells why; nearfork::cancelled only tells that
/// a sibling's did. The others are dropped.
template <class... Jobs>
void throw_first_failure(Jobs&... children) {
  if (((children.ended() == ending::value) && ...)) return;
  const auto throws = [&](ending how) {
    bool thrown = false;
    std::exception_ptr first;
    const auto look = [&](auto& child) {
      if (!thrown && child.ended() == how) {
        thrown = true;
        first = child.take_failure();
      } else child.drop();
    };
    (look(children), ...);
    rethrow_failure(std::move(first), how);
  };
  throws(((children.ended() == ending::failure) || ...) ? ending::failure : ending::cancelled);
}

/// Both children as a plan says.
template <class F, class G>
NEARFORK_COLD two_values<F, G> fork_planned(fiber& self, passed<F> f, passed<G> g) {
  stack_job<F> first(f);
  stack_job<G> second(g);
  job* const children[] = {&first, &second};
  run_planned(self, children);
  throw_first_failure(first, second);
  taken_once<stack_job<F>> one(first);
  taken_once<stack_job<G>> other(second);
  return {one.take(), other.take()};
}

template <class F, class G>
NEARFORK_COLD two_values<F, G> fork_in_place(passed<F> f, passed<G> g) {
  auto a = call_for_value(f);
  return {std::move(a), call_for_value(g)};
}

/// In a handler: f threw, and the other child must not outlive this frame. Not started, it is dropped; else it stops as
/// soon as it can. Throws the other child's exception where f was cancelled because of it.
template <class G>
NEARFORK_COLD void abandon(fiber& self, slot* head, stack_job<G>& second) {
  const bool ours = abandon_fork(self, head, second);
  self.jobs.owner_set_head(head);
  if (ours) return;
  if (second.ended() == ending::failure && handles_cancelled()) rethrow_failure(second.take_failure(), ending::failure);
  second.drop();
}

/// The other child was stolen, and is done.
template <class F, class G>
NEARFORK_COLD two_values<F, G> with_stolen(value_of<result_of<F>>& first, stack_job<G>& second) {
  taken_once<stack_job<G>> other(second);
  return {std::move(first), other.take()};
}

template <class F, class G>
NEARFORK_INLINE two_values<F, G> fork_two(F& f, G& g) {
  fiber& self = this_fiber();
  stack_job<G> second(g);
  slot* const head = self.jobs.owner_head();
  if (!self.jobs.owner_offer(head, &second)) [[unlikely]] {
    switch (push_slow(self, head)) {
      case push_outcome::pushed: break;
      case push_outcome::full: return fork_in_place<F, G>(f, g);
      case push_outcome::planned: return fork_planned<F, G>(self, f, g);
      case push_outcome::cancelled: throw_cancelled();
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
  if (self.jobs.owner_sees_private(head) || take_back_or_wait(self, head, second)) [[likely]] {
    self.jobs.owner_set_head(head);
    return {std::move(a), call_for_value(g)};
  }
  return with_stolen<F, G>(a, second);
}

template <class F, class G>
NEARFORK_COLD two_values<F, G> fork_from_outside(passed<F> f, passed<G> g) {
  return run([&] { return fork_two(f, g); });
}

/// More than two children: the first runs here, the others are pushed, the second on top.
template <class F, class... G>
class wide_fork {
 public:
  NEARFORK_INLINE wide_fork(F& f, G&... g) noexcept : f_(f), calls_(g...), jobs_(g...) {}

  fork_result<F, G...> run() {
    fiber& self = this_fiber();
    first_slot_ = self.jobs.owner_head();
    if (!self.jobs.owner_may_push(first_slot_) && must_stop_at(self, first_slot_)) throw_cancelled();
    if (self.cursor != nullptr) return run_by_plan(self);
    push_all<sizeof...(G)>(self);
    value_of<result_of<F>> first = guarded(self, 0, [&] { return call_for_value(f_); });
    return join_from<0>(self, std::move(first));
  }

 private:
  static constexpr std::size_t width = sizeof...(G);
  template <std::size_t I>
  using call_at = std::tuple_element_t<I, std::tuple<G...>>;

  /// Child I of the others lies in this slot if it was pushed.
  slot* slot_of(std::size_t i) const noexcept { return first_slot_ + (width - 1 - i); }

  /// From the last child to the second; a full deque leaves the rest to be called in place.
  template <std::size_t Left>
  void push_all(fiber& self) noexcept {
    if constexpr (Left > 0) {
      slot* const head = self.jobs.owner_head();
      if (!self.jobs.owner_offer(head, &std::get<Left - 1>(jobs_)) && push_slow(self, head) != push_outcome::pushed)
        return;  // cancelled only just now: what runs here looks again
      self.jobs.owner_set_head(head + 1);
      unpushed_ = Left - 1;
      push_all<Left - 1>(self);
    }
  }

  /// True: child I is to be called here.
  bool taken_back(fiber& self, std::size_t i, job& child) noexcept {
    if (i < unpushed_) return true;
    slot* const position = slot_of(i);
    const bool ours = self.jobs.owner_sees_private(position) || take_back_or_wait(self, position, child);
    self.jobs.owner_set_head(position);
    return ours;
  }

  template <std::size_t I, class... Done>
  fork_result<F, G...> join_from(fiber& self, Done&&... done) {
    if constexpr (I == width) {
      if constexpr (!all_void<F, G...>) return values(std::index_sequence_for<F, G...>{}, done...);
    } else {
      auto& child = std::get<I>(jobs_);
      auto value = guarded(
          self, I + 1, [&] { return taken_back(self, I, child) ? call_for_value(std::get<I>(calls_)) : child.take(); });
      return join_from<I + 1>(self, std::forward<Done>(done)..., std::move(value));
    }
  }

  template <std::size_t... I, class... Done>
  static fork_result<F, G...> values(std::index_sequence<I...>, Done&&... done) {
    return {unwrap<std::tuple_element_t<I, std::tuple<result_of<F>, result_of<G>...>>>(done)...};
  }

  /// A child threw: those from `rest` on must not outlive this frame. Not started, they are dropped; else they stop as soon
  /// as they can. Throws the exception of the one because of which the child was cancelled, if it was.
  template <class Call>
  auto guarded(fiber& self, std::size_t rest, Call&& call) {
    try {
      return call();
    } catch (...) {
      const std::exception_ptr cause = abandon_from(self, rest, std::make_index_sequence<width>{});
      if (cause != nullptr && handles_cancelled()) rethrow_failure(cause, ending::failure);
      throw;
    }
  }
  template <std::size_t... I>
  NEARFORK_COLD std::exception_ptr abandon_from(fiber& self, std::size_t rest, std::index_sequence<I...>) noexcept {
    cancel_forks_from(self, first_slot_);
    std::exception_ptr cause;
    const auto abandon_one = [&](auto& child) {
      if (child.ended() == ending::failure && cause == nullptr) cause = child.take_failure();
      else child.drop();
    };
    ((I >= rest && !taken_back(self, I, std::get<I>(jobs_)) ? abandon_one(std::get<I>(jobs_)) : void()), ...);
    forget_cancelled_forks(self, first_slot_);
    return cause;
  }

  NEARFORK_COLD fork_result<F, G...> run_by_plan(fiber& self) {
    stack_job<F> first(f_);
    return std::apply(
        [&](auto&... others) -> fork_result<F, G...> {
          job* const children[] = {&first, &others...};
          run_planned(self, children);
          throw_first_failure(first, others...);
          return take_all(taken_once(first), taken_once(others)...);
        },
        jobs_);
  }
  template <class... Taken>
  static fork_result<F, G...> take_all(Taken&&... children) {
    if constexpr (all_void<F, G...>) (children.take(), ...);
    else return values(std::index_sequence_for<F, G...>{}, children.take()...);
  }

  F& f_;
  std::tuple<G&...> calls_;
  std::tuple<stack_job<G>...> jobs_;
  slot* first_slot_ = nullptr;
  std::size_t unpushed_ = width;  // children below this index are not in the deque
};

}  // namespace detail

/// Calls f and g, which may run in parallel, and returns when both are done.
///
/// The calling thread runs f at once; g waits for a thief and is called here after f if none came. Neither may
/// rely on the other running at the same time. Both are called once, where they are, whoever runs them: what a call changes in
/// a callable is there afterwards. Callables that can only be called as rvalues may be passed as rvalues. After a wait the
/// caller may go on on another thread: do not keep addresses of thread_locals across the call (or see the option pin_waits).
///
/// Returns: nothing if both return void, else a std::tuple of the results, std::monostate for void.
/// Throws: what f throws, else what g throws; nearfork::cancelled where the task around the call is cancelled. If one of the
/// two throws, the other is skipped, or, once it runs, cancelled as in cancellation.hpp: loops, forks and groups in it stop, and
/// what they throw then is not passed on.
/// Cost: no allocation, no fence and no atomic read-modify-write unless a thief comes.
/// Thread-safety: any thread; outside a worker the call runs inside the process-wide runtime.
/// Source: child stealing over a split deque, Lace (van Dijk, van de Pol 2014).
template <class F, class G>
  requires detail::task_callable<F> && detail::task_callable<G>
NEARFORK_INLINE detail::fork_result<std::remove_reference_t<F>, std::remove_reference_t<G>> fork_join(F&& f, G&& g) {
  using first = std::remove_reference_t<F>;
  using second = std::remove_reference_t<G>;
  if (!detail::inside_worker) [[unlikely]]
    return detail::to_result<first, second>(detail::fork_from_outside<first, second>(f, g));
  return detail::to_result<first, second>(detail::fork_two<first, second>(f, g));
}

/// The same for more children. Thieves take the last ones first.
template <class F, class G, class H, class... More>
  requires detail::task_callable<F> && detail::task_callable<G> && detail::task_callable<H> &&
           (detail::task_callable<More> && ...)
auto fork_join(F&& f, G&& g, H&& h, More&&... more) {
  using fork = detail::wide_fork<std::remove_reference_t<F>, std::remove_reference_t<G>, std::remove_reference_t<H>,
                                 std::remove_reference_t<More>...>;
  const auto here = [&] { return fork(f, g, h, more...).run(); };
  return detail::inside_worker ? here() : run(here);
}

}  // namespace nearfork
