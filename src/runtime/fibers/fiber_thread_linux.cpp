#include "runtime/fibers/fiber_thread.hpp"

#include <pthread.h>

#include <new>

#include "base/sanitizer_calls.hpp"
#include "runtime/fibers/stack_overflow.hpp"

namespace nearfork::detail {

static_assert(sizeof(pthread_t) == sizeof(unsigned long));

std::unique_ptr<fiber_thread> fiber_thread::start(const stack_bounds& stack, fiber_entry entry,
                                                  std::size_t span_bytes) noexcept {
  std::unique_ptr<fiber_thread> made(new (std::nothrow) fiber_thread);
  if (made == nullptr) return nullptr;
  made->entry_ = entry;
  made->span_bytes_ = span_bytes;
  pthread_attr_t attributes;
  if (::pthread_attr_init(&attributes) != 0) return nullptr;
  made->started_ = ::pthread_attr_setstack(&attributes, stack.low, stack.bytes()) == 0 &&
                   ::pthread_create(&made->thread_, &attributes, thread_main, made.get()) == 0;
  ::pthread_attr_destroy(&attributes);
  return made->started_ ? std::move(made) : nullptr;
}

fiber_thread::~fiber_thread() {
  if (!started_) return;
  give(turn::end);
  ::pthread_join(thread_, nullptr);
}

void* fiber_thread::thread_main(void* self) noexcept {
  auto& me = *static_cast<fiber_thread*>(self);
  mark_worker_thread(me.span_bytes_);
  const overflow_stack for_handler;
  if (setjmp(me.end_) != 0) {
    inside_worker = outside;
    return nullptr;
  }
  me.wait_for_turn();
  me.entry_();
  return nullptr;
}

void fiber_thread::give(turn what) noexcept {
  sanitizers::hand_over(this);
  turn_.store(static_cast<std::uint32_t>(what), seam::memory_order_release);
  seam::futex_wake_one(turn_);
}

void fiber_thread::wait_for_turn() noexcept {
  constexpr auto nobodys = static_cast<std::uint32_t>(turn::wait);
  std::uint32_t now = turn_.load(seam::memory_order_acquire);
  for (; now == nobodys; now = turn_.load(seam::memory_order_acquire)) seam::futex_wait(turn_, nobodys);
  sanitizers::take_over(this);
  if (now == static_cast<std::uint32_t>(turn::end)) std::longjmp(end_, 1);
  turn_.store(nobodys, seam::memory_order_relaxed);
}

void fiber_thread::hand_over_to(fiber_thread& next) noexcept {
  next.give(turn::go_on);
  wait_for_turn();
}

}  // namespace nearfork::detail
