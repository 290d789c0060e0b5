// What the program marks itself in a trace.
#include <bit>
#include <new>

#include <nearfork/detail/tracing.hpp>

#include "runtime/workers/crew.hpp"
#include "trace/trace_rings.hpp"

namespace nearfork::detail {
namespace {

/// The calling worker, if it is traced; nullptr: it is not, or the caller is no worker.
worker* traced_worker_here() noexcept {
  if (!thread_mark()) return nullptr;
  worker* const here = this_fiber().runner;
  return here->ring != nullptr ? here : nullptr;
}

/// 0 if there is no memory for the name.
std::uint16_t number_of(worker& me, const char* name) noexcept {
  try {
    return me.home.books().trace->number_of(*me.ring, name);
  } catch (const std::bad_alloc&) {
    return 0;
  }
}

}  // namespace

bool begin_traced_span(const char* name) noexcept {
  worker* const here = traced_worker_here();
  if (here == nullptr) return false;
  here->note({.name = number_of(*here, name), .kind = traces::event_kind::span_begins});
  return true;
}

void end_traced_span() noexcept {
  this_fiber().runner->note({.kind = traces::event_kind::span_ends});
}

void note_traced_counter(const char* name, double value) noexcept {
  if (worker* const here = traced_worker_here())
    here->note({.value = std::bit_cast<std::uint64_t>(value),
                .name = number_of(*here, name),
                .kind = traces::event_kind::counts});
}

}  // namespace nearfork::detail
