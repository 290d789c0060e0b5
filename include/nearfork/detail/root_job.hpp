// A call from outside the runtime. A calling thread sleeps on a futex until a worker has run the call; a calling fiber
// of another runtime is suspended.
#pragma once

#include <cstdint>

#include <nearfork/detail/stack_job.hpp>

namespace nearfork::detail {

class root_job_base : public job {
 public:
  /// A calling fiber of another runtime calls this before it injects the job. `caller_scope` is its scope. wait_for()
  /// then suspends the fiber.
  void resumes_fiber(const cancel_scope* caller_scope) noexcept {
    resumes_fiber_ = true;
    caller_scope_ = caller_scope;
  }
  /// A calling thread waits here after it has injected the job.
  void sleep_until_done() noexcept;

 protected:
  using job::job;
  /// The worker calls this before the call.
  void enter_scope() noexcept { this_fiber().base.parent = caller_scope_; }
  /// The worker calls this after the call. The job may be gone as soon as the caller sees the store, so the wake-up
  /// uses only the address.
  void signal_done() noexcept;

 private:
  seam::atomic<std::uint32_t> signal_{0};
  bool resumes_fiber_ = false;
  const cancel_scope* caller_scope_ = nullptr;
};

template <class F>
class root_job final : public root_job_base {
 public:
  using value = value_of<result_of<F>>;
  explicit root_job(F& f) noexcept : root_job_base(&execute), f_(&f) {}
  value take() { return result_.take(); }

 private:
  static void execute(job& self) noexcept {
    auto& me = static_cast<root_job&>(self);
    me.enter_scope();
    me.result_.set_from(*me.f_);
    end_unwinding();
    me.signal_done();
  }

  F* f_;
  outcome<value> result_;
};

}  // namespace nearfork::detail
