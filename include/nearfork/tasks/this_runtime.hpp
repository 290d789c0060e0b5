#pragma once

#include <nearfork/detail/language.hpp>

namespace nearfork {

class runtime;

/// About the runtime that the parallel functions use here: on a worker its own runtime, elsewhere process_runtime().
/// this_worker (runtime.hpp) tells which worker that is.
///
///     nearfork::run([] {
///       std::printf("worker %u of %u\n", nearfork::this_worker::index(), nearfork::this_runtime::workers());
///     });
///
/// A task stays in its runtime, so the answers do not change while a task runs.
/// Complexity: a few instructions. Thread-safety: any thread.
namespace this_runtime {

/// The runtime whose worker runs the caller; nullptr on a thread that is no worker. Starts nothing.
[[nodiscard]] runtime* current() noexcept;
/// The runtime whose worker runs the caller. On a thread that is no worker: process_runtime(), which this call starts
/// if need be; then it throws what process_runtime() throws.
[[nodiscard]] runtime& get();
/// The number of workers of get(). On a worker this_worker::index() is smaller.
/// Throws: as get().
[[nodiscard]] unsigned workers();

}  // namespace this_runtime

}  // namespace nearfork
