// A job with its closure and its result, in the frame of the fork.
#pragma once

#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>
#include <variant>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

#define NEARFORK_COLD __attribute__((noinline, cold))
#define NEARFORK_INLINE inline __attribute__((always_inline))

namespace nearfork::detail {

/// Resumes the fiber that waits for a finished job, here or in its domain; nullptr: nobody waits.
void resume_waiter(fiber* waiter) noexcept;

/// What a call leaves behind: its value, a pointer for a reference, std::monostate for void.
template <class R>
using value_of = std::conditional_t<std::is_void_v<R>, std::monostate,
                                    std::conditional_t<std::is_reference_v<R>, std::remove_reference_t<R>*, R>>;

template <class F>
using result_of = std::invoke_result_t<F&>;

template <class F>
NEARFORK_INLINE value_of<result_of<F>> call_for_value(F& f) {
  if constexpr (std::is_void_v<result_of<F>>) {
    f();
    return {};
  } else if constexpr (std::is_reference_v<result_of<F>>) {
    return std::addressof(f());
  } else {
    return f();
  }
}

/// The result of a call that may run on another thread: nothing yet, a value, or an exception.
template <class R>
class outcome {
 public:
  outcome() noexcept {}
  outcome(const outcome&) = delete;
  outcome& operator=(const outcome&) = delete;
  ~outcome() {}  // empty unless set, and take() leaves it empty

  template <class F>
  void set_from(F& f) noexcept {
    try {
      ::new (static_cast<void*>(std::addressof(value_))) R(call_for_value(f));
      failed_ = false;
    } catch (...) {
      ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::current_exception());
      failed_ = true;
    }
  }

  /// Once, after set_from(): the value, or the exception thrown again.
  R take() {
    if (failed_) {
      std::exception_ptr failure = std::move(failure_);
      std::destroy_at(std::addressof(failure_));
      std::rethrow_exception(std::move(failure));
    }
    R value = std::move(value_);
    std::destroy_at(std::addressof(value_));
    return value;
  }

  /// Instead of take(): another exception is on its way and wins.
  void drop() noexcept {
    if (failed_) std::destroy_at(std::addressof(failure_));
    else std::destroy_at(std::addressof(value_));
  }

 private:
  union {
    R value_;
    std::exception_ptr failure_;
  };
  bool failed_;
};

template <class F>
class stack_job final : public job {
 public:
  using value = value_of<result_of<F>>;

  explicit NEARFORK_INLINE stack_job(F& f) noexcept : job(&execute), f_(keep(f)) {}

  /// The value that execute() left, or its exception.
  value take() { return result_.take(); }
  void drop() noexcept { result_.drop(); }

 private:
  /// Small closures are copied: the copy escapes, so the original that the fast path calls keeps its captures
  /// in registers (worth 1 ns of a fork's 2).
  static constexpr bool copies = std::is_trivially_copyable_v<F> && sizeof(F) <= 64;
  using kept = std::conditional_t<copies, F, F*>;

  static NEARFORK_INLINE kept keep(F& f) noexcept {
    if constexpr (copies) return f;
    else return std::addressof(f);
  }

  static void execute(job& self) noexcept {
    auto& me = static_cast<stack_job&>(self);
    if constexpr (copies) me.result_.set_from(me.f_);
    else me.result_.set_from(*me.f_);
    resume_waiter(me.finish());  // [J3] nothing of me is touched after finish()
  }

  kept f_;
  outcome<value> result_;
};

}  // namespace nearfork::detail
