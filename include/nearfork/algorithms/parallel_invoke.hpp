#pragma once

#include <nearfork/detail/language.hpp>

#include <nearfork/fork_join.hpp>

namespace nearfork {

/// Calls all callables, possibly in parallel, and returns when all are done. Drops their results; fork_join() returns
/// them.
///
///     std::vector<int> left(1000, 1), right(1000, 2);
///     long a = 0, b = 0;
///     nearfork::parallel_invoke([&] { a = std::accumulate(left.begin(), left.end(), 0L); },
///                               [&] { b = std::accumulate(right.begin(), right.end(), 0L); });
///
/// Everything else is as for fork_join(): what is thrown, cancellation, complexity, thread-safety.
template <class... F>
  requires(sizeof...(F) > 0) && (detail::task_callable<F> && ...)
void parallel_invoke(F&&... calls) {
  if constexpr (sizeof...(F) == 1) run([&] { (static_cast<void>(detail::call(calls)), ...); });
  else static_cast<void>(fork_join(static_cast<F&&>(calls)...));
}

}  // namespace nearfork
