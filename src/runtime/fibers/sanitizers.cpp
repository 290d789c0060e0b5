#include "runtime/fibers/sanitizers.hpp"

#include <algorithm>
#include <bit>

namespace nearfork::sanitizers {
namespace {

/// The leak sanitizer reads all memory that it is told of, also pages that were never touched. So it is told of each
/// stack's upper end only.
constexpr std::size_t most_scanned_bytes = std::size_t{1} << 20;

struct scanned {
  std::byte* low;
  std::size_t bytes;
};
scanned scanned_part(const stack_bounds& stack) noexcept {
  const std::size_t bytes = std::min(stack.bytes(), most_scanned_bytes);
  return {stack.high - bytes, bytes};
}

/// The address sanitizer keeps most variables of a thread not on its stack but in a map that belongs to it. The leak
/// sanitizer knows of that map only while the thread runs on its stack. The size is as in LLVM's asan_fake_stack.h with
/// default options: one page, flags, and eleven times the stack's size, which counts as 64 KiB to 1 MiB.
scanned fake_part(const fiber_context& thread) noexcept {
  const auto log = std::clamp(static_cast<unsigned>(std::bit_width(thread.stack.bytes() - 1)), 16U, 20U);
  return {static_cast<std::byte*>(thread.asan_fake_stack),
          4096 + (std::size_t{1} << (log - 5)) + (std::size_t{11} << log)};
}

/// Calls act(from, bytes) for what a thread that left its stack may hold pointers in.
template <class Act>
void for_each_part(const fiber_context& thread, const Act& act) noexcept {
  const scanned part = scanned_part(thread.stack);
  act(part.low, part.bytes);
  if (thread.asan_fake_stack == nullptr) return;
  const scanned fake = fake_part(thread);
  act(fake.low, fake.bytes);
}

/// The address sanitizer unmaps the fake stack of a stack that is left for good. So this thread reports a switch to
/// that stack and back, without switching, and has its own bounds and fake stack again. Not checked: nothing here may
/// need a fake frame.
__attribute__((noinline, no_sanitize("address"))) void drop_fake_stack(const fiber_context& gone) noexcept {
  void* own = nullptr;
  const void* bottom = nullptr;
  std::size_t bytes = 0;
  __sanitizer_start_switch_fiber(&own, gone.stack.low, gone.stack.bytes());
  __sanitizer_finish_switch_fiber(gone.asan_fake_stack, &bottom, &bytes);
  __sanitizer_start_switch_fiber(nullptr, bottom, bytes);
  __sanitizer_finish_switch_fiber(own, nullptr, nullptr);
}

}  // namespace

void create(fiber_context& made) {
  if (__tsan_create_fiber != nullptr && made.tsan_fiber == nullptr) made.tsan_fiber = __tsan_create_fiber(0);
  const scanned part = scanned_part(made.stack);
  holds_pointers(part.low, part.bytes);
}

void destroy(fiber_context& gone) noexcept {
  if (__tsan_destroy_fiber != nullptr && gone.tsan_fiber != nullptr) __tsan_destroy_fiber(gone.tsan_fiber);
  gone.tsan_fiber = nullptr;
  if (checks_addresses() && gone.asan_fake_stack != nullptr) drop_fake_stack(gone);
  gone.asan_fake_stack = nullptr;
  const scanned part = scanned_part(gone.stack);
  holds_no_pointers(part.low, part.bytes);
  // Frames that were left by an exception or by a jump may have left parts of the stack closed.
  open(gone.stack.low, gone.stack.bytes());
}

void keep_thread(fiber_context& thread, const void* bottom, std::size_t bytes) noexcept {
  thread.stack.low = static_cast<std::byte*>(const_cast<void*>(bottom));
  thread.stack.high = thread.stack.low + bytes;
  for_each_part(thread, holds_pointers);
}

void release_thread(fiber_context& thread) noexcept {
  if (thread.stack.low == nullptr) return;
  for_each_part(thread, holds_no_pointers);
  thread.stack = {};
}

}  // namespace nearfork::sanitizers
