#include "runtime/fibers/stack_overflow.hpp"

#include <signal.h>
#include <sys/mman.h>
#include <ucontext.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <mutex>

#include <nearfork/detail/fiber.hpp>

#include "power/last_writes.hpp"
#include "runtime/fibers/fiber_context.hpp"
#include "runtime/fibers/sanitizers.hpp"

namespace nearfork {

using detail::fiber;

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

/// Tells which fiber ran here: below a very large frame the stack pointer does not.
constinit thread_local overflow_watch watched_here;

/// How far below the stack pointer an instruction may write: x86-64's red zone, and pushes that move the pointer later.
constexpr std::uintptr_t reach_below_pointer = 4096;

bool is_in_guard_of(const fiber* of, std::uintptr_t fault) noexcept {
  if (of == nullptr || of->context == nullptr) return false;
  const auto low = reinterpret_cast<std::uintptr_t>(of->context->stack.low);
  return fault < low && low - fault <= of->context->stack.guard_bytes;
}

/// The fiber that ran here if one of its frames reached into the guard below its stack; else nullptr. A wild pointer
/// may point there, too, but no frame lies far below the stack pointer.
const fiber* overflown_fiber(std::uintptr_t fault, const ucontext_t& interrupted) noexcept {
  if (watched_here.present == nullptr || fault + reach_below_pointer < stack_pointer_of(interrupted)) return nullptr;
  const fiber* const present = watched_here.present->load(detail::seam::memory_order_relaxed);
  if (is_in_guard_of(present, fault)) return present;
  // The fault may come between the announcement of a switch and the switch.
  const fiber* const left = *watched_here.left;
  return is_in_guard_of(left, fault) ? left : nullptr;
}

/// Does only what a signal handler may: snprintf with integers is safe in glibc, though POSIX does not promise it.
void say_overflow(const fiber& of) noexcept {
  char text[256];
  const int length = std::snprintf(
      text, sizeof text,
      "nearfork: stack overflow in a task on worker %u: its stack has %zu KiB. Set NEARFORK_STACK_BYTES (or "
      "config::stack_bytes) higher, up to 1G, or use less stack.\n",
      watched_here.worker, of.context->stack.bytes() >> 10);
  if (length > 0) [[maybe_unused]]
    const auto ignored = ::write(STDERR_FILENO, text, static_cast<std::size_t>(length));
}

void pass_on(int signal, siginfo_t* info, void* interrupted) noexcept {
  if ((previous_action.sa_flags & SA_SIGINFO) != 0) return previous_action.sa_sigaction(signal, info, interrupted);
  if (previous_action.sa_handler != SIG_DFL && previous_action.sa_handler != SIG_IGN)
    return previous_action.sa_handler(signal);
  // The fault repeats after the return, and ends the process as if there were no handler. A signal that was sent, by
  // kill() or raise(), does not repeat.
  const bool was_sent = info->si_code <= 0;
  if (was_sent && previous_action.sa_handler == SIG_IGN) return;
  do_last_writes();
  ::signal(signal, SIG_DFL);
  if (was_sent) ::raise(signal);
}

void on_fault(int signal, siginfo_t* info, void* interrupted) {
  const auto fault = reinterpret_cast<std::uintptr_t>(info->si_addr);
  if (const fiber* const over = overflown_fiber(fault, *static_cast<const ucontext_t*>(interrupted))) {
    say_overflow(*over);
    do_last_writes();
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

void expect_overflows(const overflow_watch& here) noexcept {
  watched_here = here;
}

overflow_stack::overflow_stack() {
  if (sanitizers::handle_faults()) return;
  stack_t before = {};
  if (::sigaltstack(nullptr, &before) != 0 || (before.ss_flags & SS_DISABLE) == 0) return;  // the program's own will do
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
  watched_here = {};
  stack_t now = {};
  if (::sigaltstack(nullptr, &now) == 0 && now.ss_sp == memory_) {
    stack_t none = {};
    none.ss_flags = SS_DISABLE;
    ::sigaltstack(&none, nullptr);
  }
  ::munmap(memory_, handler_stack_bytes);
}

}  // namespace nearfork
