#pragma once

#include <nearfork/detail/language.hpp>

#include <tuple>
#include <type_traits>

#include <nearfork/call_site.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/tasks/fork_of_many.hpp>
#include <nearfork/detail/tasks/fork_of_two.hpp>

namespace nearfork {

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
  if constexpr (detail::are_made_in_result<first, second>)
    return detail::fork_in_place<first, second>(call_f, call_g, where);
  else return detail::fork_by_value<first, second>(call_f, call_g, where);
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
