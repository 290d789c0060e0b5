// The inlined parts of traces: each costs one branch while no runtime is traced.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

/// How many runtimes of this process are traced. Relaxed: each is counted before its first task starts.
extern constinit seam::atomic<std::uint32_t> traced_runtimes;
[[nodiscard]] inline bool anybody_traces() noexcept {
  return traced_runtimes.load(seam::memory_order_relaxed) != 0;
}

/// True if the caller is a task of a runtime that is traced: then end_traced_span() must follow.
[[nodiscard]] bool begin_traced_span(const char* name) noexcept;
void end_traced_span() noexcept;
void note_traced_counter(const char* name, double value) noexcept;

}  // namespace nearfork::detail
