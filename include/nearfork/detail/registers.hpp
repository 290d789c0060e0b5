// What keeps values out of registers, or brings them there. A value that lives in a register across a call has the
// register saved at the function's entry, also where the function returns at once: most calls of a recursion are such
// leaves.
#pragma once

#include <nearfork/detail/callable.hpp>

#include <cstddef>

namespace nearfork::detail {

/// Nothing of the object stays in registers, or is known to the compiler, beyond this call.
template <class T>
NEARFORK_INLINE void force_to_memory(T& object) noexcept {
  using bytes = char[sizeof(T)];  // const captures are no output for gcc. NOLINT(bugprone-sizeof-expression)
  __asm__("" : "+m"(reinterpret_cast<bytes&>(object)));
}

/// The same object, for a handler or a cold path. A compiler would keep an address that it needs before a call and in a
/// handler in a register (gcc: fib in the style [&] { a = fib(n - 1); } takes 1.65x of serial so, and 1.47x with this).
template <class T>
NEARFORK_INLINE T& found_anew(T& object) noexcept {
#if defined(__x86_64__)
  T* address;
  __asm__ volatile("lea {%1, %0|%0, %1}" : "=r"(address) : "m"(object));  // either dialect: -masm=intel
  return *address;
#else
  return object;
#endif
}

/// 1 or 0, in a register before anything depends on it: else gcc 12 has a branch for each way out of a comparison of
/// pairs or ties, and a sort by them took 1.4x of std::sort; 0.7 so.
[[nodiscard]] NEARFORK_INLINE std::size_t as_number(bool holds) noexcept {
  std::size_t number = holds ? 1 : 0;
#if !defined(__clang__)
  __asm__("" : "+r"(number));
#endif
  return number;
}

/// A pointer that lies in the frame from here on, so that no register is saved for it at the function's entry.
template <class T>
class kept_on_stack {
 public:
  explicit NEARFORK_INLINE kept_on_stack(T& target) noexcept : target_(&target) { force_to_memory(target_); }
  [[nodiscard]] NEARFORK_INLINE T* operator->() const noexcept { return target_; }

 private:
  T* target_;
};

}  // namespace nearfork::detail
