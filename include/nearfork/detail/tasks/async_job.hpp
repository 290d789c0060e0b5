// What a future and its task share.
#pragma once

#include <exception>

#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/stack_job.hpp>
#include <nearfork/detail/tasks/event.hpp>
#include <nearfork/detail/tasks/submitted_job.hpp>

namespace nearfork::detail {

/// The same for all results. The task holds one share until it is done.
class async_job : public submitted_job {
 public:
  async_job(const async_job&) = delete;
  async_job& operator=(const async_job&) = delete;

  /// True once the task has ended.
  [[nodiscard]] bool ready() const noexcept { return done_.happened(); }
  /// Throws nearfork::error in a child made by fork(), where the task does not run.
  void wait();
  /// Call it once, after wait(): throws what the task threw.
  void throw_if_failed() {
    if (failure_ != nullptr) rethrow_failure(std::move(failure_));
  }
  /// The future or the task goes. The later one destroys the job.
  void let_go() noexcept;

 protected:
  using submitted_job::submitted_job;
  virtual ~async_job() = default;
  /// The whole run of the task: `call` keeps the value in the job, and destroys the callable. The job may be gone
  /// afterwards.
  void execute_awaited(raw_task call) noexcept;

 private:
  /// By a thread outside.
  void wait_outside() noexcept;
  static void begin_if_nobody_has(void* job);

  event done_;
  holders holders_{2};  // the future and the task
  std::exception_ptr failure_;
};

struct let_go_of_async {
  void operator()(async_job* one) const noexcept { one->let_go(); }
};

template <class R>
class async_result : public async_job {
 public:
  using value = kept_value_of<R>;

  /// Call it once, after throw_if_failed().
  [[nodiscard]] value take() {
    const struct dropped_at_end {
      async_result& result;
      ~dropped_at_end() {
        result.made_ = false;
        result.room_.drop();
      }
    } end{*this};
    return room_.value();
  }

 protected:
  using async_job::async_job;
  ~async_result() override {
    if (made_) room_.drop();
  }
  template <class F>
  void make_from(F& f) {
    room_.make_from(f);
    made_ = true;
  }

 private:
  bool made_ = false;
  value_room<value> room_;
};

}  // namespace nearfork::detail
