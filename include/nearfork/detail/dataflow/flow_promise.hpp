// What a flow_task and its coroutine share: the promise.
#pragma once

#include <coroutine>
#include <cstdint>
#include <exception>
#include <optional>
#include <utility>

#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/seam.hpp>
#include <nearfork/detail/tasks/event.hpp>

namespace nearfork::detail {

/// The same for all results. The coroutine and its flow_task each hold the frame; the later one destroys it.
class flow_promise_base {
 public:
  [[nodiscard]] static std::suspend_never initial_suspend() noexcept { return {}; }
  void unhandled_exception() noexcept { failure_ = std::current_exception(); }

  [[nodiscard]] bool ready() const noexcept { return done_.happened(); }
  void wait() { await(done_); }
  /// `waiter` is resumed when the coroutine has ended. False: it has ended already.
  [[nodiscard]] bool set_continuation(std::coroutine_handle<> waiter) noexcept {
    void* none = nullptr;
    // Release: pairs with end(). Acquire: the coroutine has ended, and the caller sees its result.
    return continuation_.compare_exchange_strong(none, waiter.address(), seam::memory_order_acq_rel,
                                                 seam::memory_order_acquire);
  }
  [[nodiscard]] bool let_go() noexcept { return holders_.let_go(); }

 protected:
  void throw_if_failed() {
    if (failure_ != nullptr) std::rethrow_exception(std::exchange(failure_, nullptr));
  }
  /// Who goes on now. The caller holds the frame.
  [[nodiscard]] std::coroutine_handle<> end() noexcept {
    void* const waiter = continuation_.exchange(this, seam::memory_order_acq_rel);  // pairs with set_continuation()
    happen(done_);
    if (waiter == nullptr) return std::noop_coroutine();
    return std::coroutine_handle<>::from_address(waiter);
  }

 private:
  event done_;
  holders holders_{2};
  seam::atomic<void*> continuation_{nullptr};  // this: the coroutine has ended
  std::exception_ptr failure_;
};

/// At the end of the coroutine, when it is suspended for the last time.
struct flow_end {
  [[nodiscard]] static bool await_ready() noexcept { return false; }
  template <class Promise>
  [[nodiscard]] static std::coroutine_handle<> await_suspend(std::coroutine_handle<Promise> ended) noexcept {
    const std::coroutine_handle<> next = ended.promise().end();
    if (ended.promise().let_go()) ended.destroy();
    return next;
  }
  static void await_resume() noexcept {}
};

template <class Promise, class R>
class flow_promise_of : public flow_promise_base {
 public:
  [[nodiscard]] static flow_end final_suspend() noexcept { return {}; }
  template <class Value>
  void return_value(Value&& value) {
    value_.emplace(std::forward<Value>(value));
  }
  /// Call it once, when the coroutine has ended.
  [[nodiscard]] R take() {
    throw_if_failed();
    return std::move(*value_);
  }

 private:
  friend flow_end;
  std::optional<R> value_;
};

template <class Promise>
class flow_promise_of<Promise, void> : public flow_promise_base {
 public:
  [[nodiscard]] static flow_end final_suspend() noexcept { return {}; }
  void return_void() noexcept {}
  void take() { throw_if_failed(); }

 private:
  friend flow_end;
};

}  // namespace nearfork::detail
