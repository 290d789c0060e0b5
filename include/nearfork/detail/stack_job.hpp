// A job with its closure and its result, in the frame of the fork.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>

namespace nearfork::detail {

/// Resumes the fiber that waits for a finished job, here or in its domain or runtime. nullptr: no fiber waits.
void resume_waiter(fiber* waiter) noexcept;

/// Begins a job of a fork on the calling fiber. False: the job is already cancelled and must not run.
[[nodiscard]] bool begin_fork_job() noexcept;
/// Call it after the job threw or was cancelled: tells its siblings to stop.
void end_failed_fork_job() noexcept;

/// How a call ended. The call may have run on another thread.
enum class ending : std::uint8_t { value, failure, cancelled };

/// Throws the exception on the calling fiber.
[[noreturn]] NEARFORK_COLD void rethrow_failure(std::exception_ptr failure, ending how);

/// The result of a call that may have run on another thread: nothing yet, a value, or an exception.
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
      // R may be const.
      ::new (const_cast<void*>(static_cast<const volatile void*>(std::addressof(value_)))) R(call_for_value(f));
      ended_ = ending::value;
    } catch (...) {
      set_caught();
    }
  }
  void set_cancelled() noexcept {
    ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::make_exception_ptr(cancelled()));
    ended_ = ending::cancelled;
  }

  /// Call it after set_from().
  [[nodiscard]] ending ended() const noexcept { return ended_; }

  /// Call it once, after set_from(). Returns the value, or throws the exception.
  R take() {
    if (ended_ != ending::value) rethrow_failure(take_failure(), ended_);
    const struct destroyed_at_end {
      R& value;
      ~destroyed_at_end() { std::destroy_at(std::addressof(value)); }
    } end{value_};  // destroys the value also if the move throws
    return std::move(value_);
  }

  /// In place of take(), if the call did not end with a value.
  [[nodiscard]] std::exception_ptr take_failure() noexcept {
    std::exception_ptr failure = std::move(failure_);
    std::destroy_at(std::addressof(failure_));
    return failure;
  }

  /// In place of take(), if another exception is thrown.
  void drop() noexcept {
    if (ended_ != ending::value) std::destroy_at(std::addressof(failure_));
    else std::destroy_at(std::addressof(value_));
  }

 private:
  NEARFORK_COLD void set_caught() noexcept {
    ::new (static_cast<void*>(std::addressof(failure_))) std::exception_ptr(std::current_exception());
    ended_ = handles_cancelled() ? ending::cancelled : ending::failure;
  }

  union {
    R value_;
    std::exception_ptr failure_;
  };
  ending ended_;
};

template <class F>
class stack_job final : public job {
 public:
  using value = value_of<result_of<F>>;

  explicit NEARFORK_INLINE stack_job(F& f) noexcept : job(&execute), f_(keep(f)) {}

  /// The value that execute() left, or its exception.
  value take() { return result_.take(); }
  void drop() noexcept { result_.drop(); }
  [[nodiscard]] std::exception_ptr take_failure() noexcept { return result_.take_failure(); }
  [[nodiscard]] ending ended() const noexcept { return result_.ended(); }

 private:
  /// Small closures are copied. Only the copy's address escapes, so the original, which the fast path calls, keeps its
  /// captures in registers (worth 1 ns of a fork's 2). Other callables are called in place.
  static constexpr bool copies = copy_stands_for<F>(64);
  using kept = std::conditional_t<copies, F, F*>;

  static NEARFORK_INLINE kept keep(F& f) noexcept {
    if constexpr (copies) return f;
    else return std::addressof(f);
  }

  static void execute(job& self) noexcept {
    auto& me = static_cast<stack_job&>(self);
    if (begin_fork_job()) me.call_kept();
    else me.result_.set_cancelled();
    if (me.ended() != ending::value) [[unlikely]]
      end_failed_fork_job();
    resume_waiter(me.finish());  // [J3] `me` is not touched after finish()
  }

  NEARFORK_INLINE void call_kept() noexcept {
    if constexpr (copies) result_.set_from(f_);
    else result_.set_from(*f_);
  }

  kept f_;
  outcome<value> result_;
};

/// Takes a stolen child's result once, or drops it if an exception comes first.
template <class Job>
class taken_once {
 public:
  explicit taken_once(Job& child) noexcept : child_(&child) {}
  ~taken_once() {
    if (child_ != nullptr) child_->drop();
  }
  taken_once(const taken_once&) = delete;
  taken_once& operator=(const taken_once&) = delete;
  typename Job::value take() { return std::exchange(child_, nullptr)->take(); }

 private:
  Job* child_;
};

}  // namespace nearfork::detail
