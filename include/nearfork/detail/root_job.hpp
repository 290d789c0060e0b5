// A call from a thread that is not a worker: it sleeps on a futex until a worker has run it.
#pragma once

#include <cstdint>

#include <nearfork/detail/stack_job.hpp>

namespace nearfork::detail {

class root_job_base : public job {
 public:
  /// The caller's thread, once the job is injected.
  void sleep_until_done() noexcept;

 protected:
  using job::job;
  /// The worker; the job may be gone as soon as the store is seen, so the wake goes to an address only.
  void signal_done() noexcept;

 private:
  seam::atomic<std::uint32_t> signal_{0};
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
    me.result_.set_from(*me.f_);
    me.signal_done();
  }

  F* f_;
  outcome<value> result_;
};

}  // namespace nearfork::detail
