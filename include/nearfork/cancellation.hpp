#pragma once

#include <cstdint>
#include <exception>
#include <memory>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Thrown by a loop, a fork or a sync() that was cut short because the task around it was cancelled: another piece of its loop
/// threw, its group was cancelled, or its sibling in a fork threw. It unwinds the task; nobody outside sees it. So a call
/// that returns normally has done all its work. A task that catches it should clean up and return.
class cancelled : public std::exception {
 public:
  [[nodiscard]] const char* what() const noexcept override;
};

namespace detail {

/// Scopes and sources of this process that are cancelled now. While it is zero nobody looks any further.
extern constinit seam::atomic<std::uint32_t> cancellations;

/// Sends running fork trees to their slow path, where they look whether they must stop.
void make_everybody_look() noexcept;

/// What a cancellation_source and its tokens share.
class cancel_state {
 public:
  explicit cancel_state(std::shared_ptr<const cancel_state> outer = nullptr) noexcept : outer_(std::move(outer)) {}
  ~cancel_state();
  cancel_state(const cancel_state&) = delete;
  cancel_state& operator=(const cancel_state&) = delete;

  void cancel() noexcept;
  /// Relaxed: the flag hands over no data.
  [[nodiscard]] bool cancelled() const noexcept {
    return flag_.load(seam::memory_order_relaxed) || (outer_ != nullptr && outer_->cancelled());
  }

 private:
  seam::atomic<bool> flag_{false};
  std::shared_ptr<const cancel_state> outer_;
};

}  // namespace detail

/// Asks whether work should stop. Copyable, cheap to ask (one relaxed load for each source that the token's source was made
/// under). A default-made token never says yes. Thread-safety: distinct tokens from any thread.
class cancellation_token {
 public:
  cancellation_token() noexcept = default;
  [[nodiscard]] bool cancelled() const noexcept { return state_ != nullptr && state_->cancelled(); }
  /// False for a default-made token.
  [[nodiscard]] bool can_cancel() const noexcept { return state_ != nullptr; }

 private:
  friend class cancellation_source;
  explicit cancellation_token(std::shared_ptr<const detail::cancel_state> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<const detail::cancel_state> state_;
};

/// Says that work should stop. Work that has not started is skipped; work that runs goes on until it asks its token, or begins
/// the next piece of a loop. Copies, also those made by a move, speak for the same source.
/// Thread-safety: any thread; cancelling twice is fine. Throws: std::bad_alloc when made.
class cancellation_source {
 public:
  cancellation_source() : state_(std::make_shared<detail::cancel_state>()) {}
  /// Cancelled with `outer`, too.
  explicit cancellation_source(const cancellation_token& outer)
      : state_(std::make_shared<detail::cancel_state>(outer.state_)) {}
  // No moves: a moved-from source would have nothing to cancel.
  cancellation_source(const cancellation_source&) = default;
  cancellation_source& operator=(const cancellation_source&) = default;
  ~cancellation_source() = default;

  void cancel() noexcept { state_->cancel(); }
  [[nodiscard]] bool cancelled() const noexcept { return state_->cancelled(); }
  [[nodiscard]] cancellation_token token() const noexcept { return cancellation_token(state_); }

 private:
  std::shared_ptr<detail::cancel_state> state_;
};

/// About the task that runs the caller.
namespace this_task {
/// True if the task should stop: the loop, the group or the fork that it belongs to was cancelled, or one around that.
/// A long body may ask, and return. False outside workers. Complexity: one load while nothing is cancelled.
[[nodiscard]] bool cancelled() noexcept;
}  // namespace this_task

}  // namespace nearfork
