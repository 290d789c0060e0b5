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

/// Resumes the fiber that waits for a finished job, here or in its domain or runtime; nullptr: nobody waits.
void resume_waiter(fiber* waiter) noexcept;

/// A job of a fork begins on the fiber that runs here. False: it was cancelled before, and shall not run.
[[nodiscard]] bool begin_fork_job() noexcept;
/// The job threw, or was cancelled: its siblings stop.
void end_failed_fork_job() noexcept;

/// How a call ended that may have run on another thread.
enum class ending : std::uint8_t { value, failure, cancelled };

/// Throws it on this fiber.
[[noreturn]] NEARFORK_COLD void rethrow_failure(std::exception_ptr failure, ending how);

/// The result of such a call: nothing yet, a value, or an exception.
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

  /// After set_from().
  [[nodiscard]] ending ended() const noexcept { return ended_; }

  /// Once, after set_from(): the value, or the exception thrown again.
  R take() {
    if (ended_ != ending::value) rethrow_failure(take_failure(), ended_);
    const struct destroyed_at_end {
      R& value;
      ~destroyed_at_end() { std::destroy_at(std::addressof(value)); }
    } end{value_};  // also where the move throws
    return std::move(value_);
  }

  /// Instead of take(), if it did not end with a value.
  [[nodiscard]] std::exception_ptr take_failure() noexcept {
    std::exception_ptr failure = std::move(failure_);
    std::destroy_at(std::addressof(failure_));
    return failure;
  }

  /// Instead of take(): another exception is on its way and wins.
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
  /// Small closures are copied: the copy escapes, so the original that the fast path calls keeps its captures
  /// in registers (worth 1 ns of a fork's 2). Other callables are called where they are.
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
    resume_waiter(me.finish());  // [J3] nothing of me is touched after finish()
  }

  NEARFORK_INLINE void call_kept() noexcept {
    if constexpr (copies) result_.set_from(f_);
    else result_.set_from(*f_);
  }

  kept f_;
  outcome<value> result_;
};

/// A stolen child's result: taken, or dropped where something throws before.
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
