#pragma once

#include <source_location>
#include <type_traits>
#include <utility>

#include <nearfork/detail/root_job.hpp>
#include <nearfork/runtime.hpp>

namespace nearfork {

/// Calls f inside the process-wide runtime, which starts at the first use with config::from_environment()
/// and stops at exit (process_runtime()), and returns what f returns. Inside a worker: simply calls f.
/// Throws: what f throws; nearfork::error where the environment's configuration is wrong.
/// `where`: what a recording calls it.
template <class F>
auto run(F&& f, std::source_location where = std::source_location::current()) -> std::invoke_result_t<F&> {
  if (detail::inside_worker) return f();
  return process_runtime().run(std::forward<F>(f), where);
}

}  // namespace nearfork
