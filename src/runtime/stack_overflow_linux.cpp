#include "runtime/stack_overflow.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include <nearfork/detail/fiber.hpp>

#include "runtime/fiber_context.hpp"
#include "runtime/sanitizers.hpp"
#include "runtime/worker.hpp"

namespace nearfork {
namespace {

constexpr std::size_t handler_stack_bytes = std::size_t{32} << 10;

struct sigaction previous_action;

std::uintptr_t stack_pointer_of(const ucontext_t& interrupted) noexcept {
#if defined(__x86_64__)
  return static_cast<std::uintptr_t>(interrupted.uc_mcontext.gregs[REG_RSP]);
#else
  return static_cast<std::uintptr_t>(interrupted.uc_mcontext.sp);
#endif
}

/// The fiber whose stack ends right above `fault`, if the interrupted code ran on one: only then may its record be read.
const fiber* overflown_fiber(std::uintptr_t fault, const ucontext_t& interrupted) noexcept {
  if (!detail::inside_worker) return nullptr;
  const std::uintptr_t span = detail::fiber_span_bytes - 1;
  const std::uintptr_t pointer = stack_pointer_of(interrupted);
  // A frame may be larger than the guard: what counts is that pointer and fault are in one span, below the record.
  const std::uintptr_t record = (pointer | span) + 1 - detail::fiber_record_bytes;
  if ((fault | span) != (pointer | span) || fault >= record) return nullptr;
  const auto* const here = reinterpret_cast<const fiber*>(record);
  if (here->context == nullptr || here->runner == nullptr) return nullptr;
  return fault < reinterpret_cast<std::uintptr_t>(here->context->stack.low) ? here : nullptr;
}

/// Only what a signal handler may: snprintf with integers is safe in glibc, though POSIX does not promise it.
void say_overflow(const fiber& of) noexcept {
  char text[256];
  const int length = std::snprintf(
      text, sizeof text,
      "nearfork: stack overflow in a task on worker %u: its stack has %zu KiB. Set NEARFORK_STACK_BYTES (or "
      "config::stack_bytes) higher, or use less stack.\n",
      of.runner->index, of.context->stack.bytes() >> 10);
  if (length > 0) [[maybe_unused]] const auto ignored = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

void pass_on(int signal, siginfo_t* info, void* interrupted) noexcept {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) return previous_action.sa_sigaction(signal, info, interrupted);
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    return previous_action.sa_handler(signal);
  // The fault repeats when we return, and ends the process as if we were not here.
  ::signal(signal, SIG_DFL);
}

void on_fault(int signal, siginfo_t* info, void* interrupted) {
  const auto fault = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (const fiber* const over = overflown_fiber(fault, *static_cast<const ucontext_t*>(interrupted))) {
    say_overflow(*over);
    ::signal(signal, SIG_DFL);
    return;
  }
  pass_on(signal, info, interrupted);
}

}  // namespace

void install_overflow_handler() {
  if (sanitizers::handle_faults()) return;
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = on_fault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    ::sigemptyset(&action.sa_mask);
    ::sigaction(SIGSEGV, &action, &previous_action);
  });
}

overflow_stack::overflow_stack() {
  if (sanitizers::handle_faults()) return;
  void* const got =
      ::mmap(nullptr, handler_stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_STACK, -1, 0);
  if (got == MAP_FAILED) return;
  memory_ = got;
  stack_t alternative = {};
  alternative.ss_sp = memory_;
  alternative.ss_size = handler_stack_bytes;
  ::sigaltstack(&alternative, nullptr);
}

overflow_stack::~overflow_stack() {
  if (memory_ == nullptr) return;
  stack_t none = {};
  none.ss_flags = SS_DISABLE;
  ::sigaltstack(&none, nullptr);
  ::munmap(memory_, handler_stack_bytes);
}

}  // namespace nearfork
