#pragma once

#include <nearfork/detail/language.hpp>

#include <type_traits>
#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/runtime.hpp>

namespace nearfork {

/// Calls f inside the process-wide runtime and waits for it. Inside a worker, simply calls f.
///
///     const long sum = nearfork::run([] {
///       return nearfork::parallel_reduce(0, 1000, 0L, [](int i) { return long{i}; }, std::plus<>());
///     });
///
/// The process-wide runtime starts at the first use, with config::from_environment(), and stops at exit: see
/// process_runtime(). fork_join() and the loops call run() themselves; run() around them saves going in and out for
/// each.
/// `where`: the name of this call in recordings.
/// Returns: what f returns.
/// Throws: what f throws; nearfork::error if the environment's configuration is wrong or a worker cannot be started;
/// what runtime::run() throws.
/// Thread-safety: any thread.
template <detail::task_callable F>
auto run(F&& f, call_site where = {__builtin_FILE(), __builtin_LINE()})
    -> detail::result_of<std::remove_reference_t<F>> {
  if (detail::thread_mark()) return detail::call(f);
  return process_runtime().run(std::forward<F>(f), where);
}

}  // namespace nearfork
