// A job with its closure and its result, in the frame of the fork. What does not depend on the closure's type is in the
// library (src/runtime/forks/fork_job.cpp), so that each fork adds little code.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/raw_task.hpp>

namespace nearfork::detail {

/// Resumes the fiber that waits for a finished job, here or in its domain or runtime. nullptr: no fiber waits.
void resume_waiter(fiber* waiter) noexcept;

/// How a call ended. The call may have run on another thread.
enum class ending : std::uint8_t {
  value,      // the result is stored
  failure,    // the exception is stored
  cancelled,  // the same, and the exception is nearfork::cancelled
  nothing,    // the call did not start, or its result was taken
};

/// Throws the exception on the calling fiber.
[[noreturn]] NEARFORK_COLD void rethrow_failure(std::exception_ptr failure);

/// A child of a fork, of any type. A child that its parent takes back is called by its parent, and leaves all of this
/// unset.
class fork_job : public job {
 public:
  /// Known once the job is done, or after expect_nothing().
  [[nodiscard]] ending ended() const noexcept { return ended_; }
  void expect_nothing() noexcept { ended_ = ending::nothing; }
  /// Call it once, if the job ended with an exception.
  [[nodiscard]] std::exception_ptr take_failure() noexcept;
  /// Throws the exception of a job that ended with one.
  [[noreturn]] NEARFORK_COLD void throw_failure();

 protected:
  explicit NEARFORK_INLINE fork_job(const job_kind& kind) noexcept : job(kind) {}
  ~fork_job() {}

  void set_value_ended() noexcept { ended_ = ending::value; }
  /// The whole run of a job: calls `call`, which stores its value in the job, unless the job is cancelled; keeps the
  /// exception; tells the siblings of a failure; and resumes the parent. [J3]: the job may be gone afterwards.
  void execute_as(raw_task call) noexcept;

 private:
  void set_cancelled() noexcept;
  void set_caught() noexcept;

  union {
    std::exception_ptr failure_;
  };
  ending ended_;
};

/// Room for a value that is made later. The owner knows whether there is one.
template <class V>
class value_room {
 public:
  value_room() noexcept {}
  ~value_room() {}
  value_room(const value_room&) = delete;
  value_room& operator=(const value_room&) = delete;

  template <class F>
  NEARFORK_INLINE void make_from(F& f) {
    // V may be const.
    ::new (const_cast<void*>(static_cast<const volatile void*>(std::addressof(value_)))) V(call_for_value(f));
  }
  [[nodiscard]] V&& value() noexcept { return std::move(value_); }
  void drop() noexcept { std::destroy_at(std::addressof(value_)); }

 private:
  union {
    V value_;
  };
};

/// A call whose value is kept until the caller takes it.
template <class F>
class kept_call {
 public:
  using value = kept_value_of<result_of<F>>;

  explicit kept_call(F& f) noexcept : f_(f) {}
  ~kept_call() {
    if (made_) room_.drop();
  }
  kept_call(const kept_call&) = delete;
  kept_call& operator=(const kept_call&) = delete;

  /// Call it once. Throws what the call throws.
  [[nodiscard]] raw_task task() noexcept { return {&call_here, this}; }
  /// Call it once, after the task.
  [[nodiscard]] value take() { return room_.value(); }

 private:
  static void call_here(void* data) {
    auto& me = *static_cast<kept_call*>(data);
    me.room_.make_from(me.f_);
    me.made_ = true;
  }

  F& f_;
  bool made_ = false;
  value_room<value> room_;
};

template <class F>
class stack_job : public fork_job {
 public:
  using value = value_of<result_of<F>>;

  explicit NEARFORK_INLINE stack_job(F& f) noexcept : fork_job(kind_of<&execute>), f_(keep(f)) {}

  /// Call it once, when a thief has run the job: the value, or the exception. The moved value is still to be dropped.
  value take() {
    if (ended() != ending::value) throw_failure();
    return room_.value();
  }
  /// Destroys the value, if there is one.
  NEARFORK_INLINE void drop_value() noexcept {
    if constexpr (!std::is_trivially_destructible_v<value>)
      if (ended() == ending::value) room_.drop();
  }

 protected:
  /// Calls the closure and stores the value.
  static void call_kept(void* data) {
    auto& me = *static_cast<stack_job*>(data);
    if constexpr (copies) me.room_.make_from(me.f_);
    else me.room_.make_from(*me.f_);
    me.set_value_ended();
  }

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
    me.execute_as({&call_kept, &me});
  }

  kept f_;
  value_room<value> room_;
};

/// Destroys the value of a stolen job, also if its move throws.
template <class Job>
class dropped_at_end {
 public:
  explicit dropped_at_end(Job& job) noexcept : job_(job) {}
  ~dropped_at_end() { job_.drop_value(); }
  dropped_at_end(const dropped_at_end&) = delete;
  dropped_at_end& operator=(const dropped_at_end&) = delete;

 private:
  Job& job_;
};

/// A child of a fork that is not on its fast path: the library decides where it runs.
struct slow_child {
  fork_job* as_job;
  raw_task call;  // calls the closure, on this thread and without a look at cancellations; what it throws goes through
};

template <class F>
class slow_job final : public stack_job<F> {
 public:
  explicit slow_job(F& f) noexcept : stack_job<F>(f) { this->expect_nothing(); }
  ~slow_job() { this->drop_value(); }
  [[nodiscard]] slow_child child() noexcept {
    return {this, {&stack_job<F>::call_kept, static_cast<stack_job<F>*>(this)}};
  }
};

}  // namespace nearfork::detail
