// The trace of a runtime: its rings while it runs, and where the trace goes when it stops.
#pragma once

#include <optional>
#include <string>

#include <nearfork/config.hpp>
#include <nearfork/run_report.hpp>

#include "trace/trace_rings.hpp"

namespace nearfork {

/// Workers of runtimes that are traced note what they do while it lives.
class run_trace {
 public:
  run_trace(const config& settings, std::uint32_t workers);
  ~run_trace();
  run_trace(const run_trace&) = delete;
  run_trace& operator=(const run_trace&) = delete;

  [[nodiscard]] traces::trace_rings& rings() noexcept { return rings_; }
  /// What is not as asked for before the first event.
  [[nodiscard]] std::optional<degradation> shortfall() const;
  /// Events that were lost so far; nullopt: none.
  [[nodiscard]] std::optional<degradation> lost() const;
  /// Writes the trace. If that fails, the file of the rings stays, and the message says so.
  /// Throws: nearfork::error, std::bad_alloc.
  void write();

 private:
  const std::string path_;
  traces::trace_rings rings_;
};

}  // namespace nearfork
