// The program's own marks in a trace (NEARFORK_TRACE): spans of time and counters, beside what nearfork notes itself.
// While no runtime is traced, each costs one predictable branch.
#pragma once

#include <nearfork/detail/language.hpp>

#include <nearfork/detail/tracing.hpp>

namespace nearfork {

/// The name of a span or a counter: a string literal, or another constant that lives as long as the program.
class trace_name {
 public:
  /// A name that is no constant does not compile.
  consteval trace_name(const char* text) noexcept : text_(text) {}
  /// The name's characters.
  [[nodiscard]] constexpr const char* text() const noexcept { return text_; }

 private:
  const char* text_;
};

/// From construction to destruction a slice of the calling task in the trace, on the track of the worker that runs it.
///
///     void smooth(std::vector<double>& row) {
///       const nearfork::trace_span here("smooth");
///       for (double& one : row) one /= 2;
///     }
///
/// If the task waits inside, the slice ends there and begins again where the task goes on. Make it a local variable:
/// spans of a task nest. On a thread that is no worker nothing is noted.
/// Complexity: one branch while no runtime is traced; else, at each end, 32 bytes to write. Thread-safety: any thread.
class trace_span {
 public:
  /// Begins the slice.
  explicit trace_span(trace_name name) noexcept {
    if (detail::anybody_traces()) [[unlikely]]
      noted_ = detail::begin_traced_span(name.text());
  }
  ~trace_span() {
    if (noted_) [[unlikely]]
      detail::end_traced_span();
  }
  trace_span(const trace_span&) = delete;
  trace_span& operator=(const trace_span&) = delete;

 private:
  bool noted_ = false;
};

/// The counter `name` has this value from now on; all workers share its track.
///
///     nearfork::trace_counter("rows left", 17);
///
/// On a thread that is no worker nothing is noted.
/// Complexity: as trace_span. Thread-safety: any thread.
inline void trace_counter(trace_name name, double value) noexcept {
  if (detail::anybody_traces()) [[unlikely]]
    detail::note_traced_counter(name.text(), value);
}

}  // namespace nearfork
