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

/// How cold paths take a callable. Clang: small closures by value, so that the closure of the hot path stays in
/// registers (fib(40) takes 1.24x of serial by value, 1.36x by reference). Gcc: by reference. A function of gcc saves
/// at entry all registers that it uses, also if it returns at once without a fork (1.10x by reference, 1.25x by value).
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

/// After all children are done: throws the first failure by position, if there is one. nearfork::cancelled counts only
/// if no child failed otherwise, since it only says that a sibling failed. Drops the other exceptions.
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

/// Runs both children as the plan says.
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

/// Call it in a handler: f threw, and the other child must not outlive this frame. A child that has not started is
/// dropped; a started child is told to stop, and this waits for it. If f was cancelled because the other child failed,
/// this throws the other child's exception.
template <class G>
NEARFORK_COLD void abandon(fiber& self, slot* head, stack_job<G>& second) {
  const bool ours = abandon_fork(self, head, second);
  self.jobs.owner_set_head(head);
  if (ours) return;
  if (second.ended() == ending::failure && handles_cancelled()) rethrow_failure(second.take_failure(), ending::failure);
  second.drop();
}

/// The values, after a thief has run the second child.
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

/// A fork of more than two children. The first runs here. The others are pushed, the last one first, so that the second
/// is on top.
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

  /// The slot of child `i` of the others, if that child was pushed.
  slot* slot_of(std::size_t i) const noexcept { return first_slot_ + (width - 1 - i); }

  /// Pushes from the last child to the second. If the deque is full, the remaining children are called in place.
  template <std::size_t Left>
  void push_all(fiber& self) noexcept {
    if constexpr (Left > 0) {
      slot* const head = self.jobs.owner_head();
      if (!self.jobs.owner_offer(head, &std::get<Left - 1>(jobs_)) && push_slow(self, head) != push_outcome::pushed)
        return;  // if this was cancelled just now, the child that runs here looks again
      self.jobs.owner_set_head(head + 1);
      unpushed_ = Left - 1;
      push_all<Left - 1>(self);
    }
  }

  /// True if this fiber must call child `i` itself.
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

  /// Calls a child. If it throws, the children from `rest` on must not outlive this frame: those that have not started
  /// are dropped, the others are told to stop and waited for. If the child was cancelled because another child failed,
  /// this throws that child's exception.
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
NEARFORK_INLINE detail::fork_result<std::remove_reference_t<F>, std::remove_reference_t<G>> fork_join(F&& f, G&& g) {
  using first = std::remove_reference_t<F>;
  using second = std::remove_reference_t<G>;
  if (!detail::inside_worker) [[unlikely]]
    return detail::to_result<first, second>(detail::fork_from_outside<first, second>(f, g));
  return detail::to_result<first, second>(detail::fork_two<first, second>(f, g));
}

/// The same for more than two callables. Thieves take the last callable first.
/// Throws: the exception of the first callable by position that failed; nearfork::cancelled as above.
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
