#include "runtime/tracing/run_trace.hpp"

#include <new>
#include <utility>

#include <nearfork/detail/tracing.hpp>
#include <nearfork/error.hpp>

#include "base/output/numbered_path.hpp"
#include "base/output/output_file.hpp"
#include "base/process_number.hpp"
#include "trace/perfetto_trace.hpp"

namespace nearfork {

constinit detail::seam::atomic<std::uint32_t> detail::traced_runtimes{0};

namespace {

constexpr const char* trace_option = "the trace, NEARFORK_TRACE";

/// Beside the trace: t.pftrace.1234-1.ring. Other processes and runtimes have other names, and so have those of the
/// past. Empty if the trace goes to a FIFO or a device.
std::string ring_path(const std::string& trace) {
  static constinit detail::seam::atomic<std::uint32_t> rings{0};
  if (output_file(trace, trace_option).way() != output_way::replaced) return {};
  const std::uint32_t number = rings.fetch_add(1, detail::seam::memory_order_relaxed) + 1;
  return trace + "." + std::to_string(process_number()) + "-" + std::to_string(number) + ".ring";
}

}  // namespace

run_trace::run_trace(const config& settings, std::uint32_t workers)
    : path_(settings.trace),
      rings_({.title = settings.name,
              .workers = workers,
              .events = settings.trace_events,
              .file = ring_path(settings.trace)}) {
  detail::traced_runtimes.fetch_add(1, detail::seam::memory_order_relaxed);
}

run_trace::~run_trace() {
  detail::traced_runtimes.fetch_sub(1, detail::seam::memory_order_relaxed);
}

std::optional<degradation> run_trace::shortfall() const {
  if (rings_.why_no_file().empty()) return std::nullopt;
  return degradation{.what = "events of the trace are in memory alone, and lost if the process is killed",
                     .where = path_,
                     .why = "no file for them beside the trace: " + rings_.why_no_file(),
                     .remedy = "make room there, or set NEARFORK_TRACE_EVENTS lower"};
}

std::optional<degradation> run_trace::lost() const {
  const std::uint64_t events = rings_.lost();
  if (events == 0) return std::nullopt;
  return degradation{.what = std::to_string(events) + " events of the trace are lost",
                     .where = path_,
                     .why = "a worker noted more than its ring holds, and the oldest gave way",
                     .remedy = "set NEARFORK_TRACE_EVENTS higher"};
}

void run_trace::write() {
  try {
    output_file(numbered_path(path_, trace_option), trace_option).write(traces::perfetto_trace(rings_.read()));
    rings_.remove_file();
  } catch (const error& failed) {
    if (rings_.file().empty()) throw;
    rings_.keep_file();
    throw error(std::string(failed.what()) + "; its events are kept: nearfork trace recover " + rings_.file() +
                " -o FILE");
  }
}

}  // namespace nearfork
