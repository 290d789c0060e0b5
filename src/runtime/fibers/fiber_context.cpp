#include "runtime/fibers/fiber_context.hpp"

#include <atomic>
#include <memory>

#include <boost/context/detail/fcontext.hpp>

#include "runtime/fibers/fiber_thread.hpp"
#include "runtime/fibers/sanitizers.hpp"

namespace nearfork {
namespace {

namespace bc = boost::context::detail;
using detail::fiber_context;

/// The head of __cxa_eh_globals, fixed by the Itanium C++ ABI (2.2.2).
struct exception_globals {
  void* caught;
  unsigned uncaught;
};

/// abi::__cxa_get_globals, which <cxxabi.h> of libc++ does not declare.
extern "C" exception_globals* nearfork_exception_globals() asm("__cxa_get_globals");

/// The thread stays the same in a switch, so its exceptions are exchanged before it: one call for the address, 3 ns, in
/// place of one on each side. Not inlined: a compiler must not keep one thread's address across a switch.
__attribute__((noinline)) void exchange_exceptions(fiber_context& from, const fiber_context& to) noexcept {
  exception_globals& of_thread = *nearfork_exception_globals();
  from.caught_exceptions = of_thread.caught;
  from.uncaught_exceptions = of_thread.uncaught;
  of_thread.caught = to.caught_exceptions;
  std::atomic_ref(of_thread.uncaught).store(to.uncaught_exceptions, std::memory_order_relaxed);
}

/// What the side that resumes must know of the switch.
struct crossing {
  fiber_context* from;
  fiber_context* to;
};

/// The first thing done on the new stack.
void arrive(bc::transfer_t transfer) noexcept {
  const auto& came = *static_cast<crossing*>(transfer.data);
  came.from->registers = transfer.fctx;
  sanitizers::finish_switch(*came.from, *came.to);
}

/// The function to run on a fresh stack; read at the first switch to that stack.
struct start_record {
  fiber_entry entry;
};

void trampoline(bc::transfer_t transfer) noexcept {
  const auto* to = static_cast<crossing*>(transfer.data)->to;
  const auto entry = reinterpret_cast<const start_record*>(to->stack.high - sizeof(start_record))->entry;
  arrive(transfer);
  entry();
}

}  // namespace

detail::fiber_context::fiber_context() noexcept = default;
detail::fiber_context::~fiber_context() = default;

void mark_worker_thread(std::size_t span_bytes) noexcept {
  detail::large_span_mask = span_bytes - 1;
  detail::inside_worker = span_bytes == detail::usual_span_bytes ? detail::usual_spans : detail::large_spans;
}

bool prepare_context(fiber_context& context, fiber_entry entry, std::size_t span_bytes, carriers by) {
  if (by == carriers::own_threads) {
    context.thread = detail::fiber_thread::start(context.stack, entry, span_bytes);
    return context.thread != nullptr;
  }
  // The entry's address lies at the top of the stack itself.
  auto* const top = context.stack.high - 64;
  *reinterpret_cast<start_record*>(context.stack.high - sizeof(start_record)) = {entry};
  context.registers = bc::make_fcontext(top, static_cast<std::size_t>(top - context.stack.low), trampoline);
  context.caught_exceptions = nullptr;
  context.uncaught_exceptions = 0;
  sanitizers::create(context);
  return true;
}

void adopt_thread_stack(fiber_context& context, carriers by) {
  if (by == carriers::own_threads) context.thread = std::make_unique<detail::fiber_thread>();
  else sanitizers::adopt_thread(context);
}

void release_thread_stack(fiber_context& context) noexcept {
  sanitizers::release_thread(context);
}

void release_context(fiber_context& context) noexcept {
  if (context.thread != nullptr) context.thread.reset();
  else sanitizers::destroy(context);
}

unsigned* uncaught_exceptions_here() noexcept {
  return &nearfork_exception_globals()->uncaught;
}

void switch_context(fiber_context& from, fiber_context& to) noexcept {
  if (to.thread != nullptr) return from.thread->hand_over_to(*to.thread);
  exchange_exceptions(from, to);
  crossing over{&from, &to};
  sanitizers::start_switch(from, to);
  arrive(bc::jump_fcontext(to.registers, &over));
}

}  // namespace nearfork
