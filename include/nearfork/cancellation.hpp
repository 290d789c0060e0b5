#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>
#include <exception>
#include <memory>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Thrown by a loop, a fork or a sync() that stops early because the task around it was cancelled.
///
/// A task is cancelled when its loop or group is cancelled, when another piece of its loop throws, or when its sibling
/// in a fork throws. The exception unwinds the cancelled task and does not leave it. So a call that returns normally
/// has done all its work. A task that catches this exception should clean up and return.
class cancelled : public std::exception {
 public:
  /// One sentence. Lives as long as the program.
  [[nodiscard]] const char* what() const noexcept override;
};

namespace detail {

/// How many scopes and sources of this process are cancelled now. While it is zero, no look goes further than this
/// counter.
extern constinit seam::atomic<std::uint32_t> cancellations;
/// Relaxed: a look may be early.
[[nodiscard]] inline bool nothing_is_cancelled() noexcept {
  return cancellations.load(seam::memory_order_relaxed) == 0;
}

/// Whether the innermost open scope of the calling fiber, or one around it, is cancelled.
[[nodiscard]] bool must_stop_here() noexcept;

/// Sends all running fork trees to their slow path. There they check whether they must stop.
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

/// Tells whether a cancellation_source was cancelled. Get it from cancellation_source::token(). A default-made token is
/// never cancelled.
/// Complexity: one relaxed load for the token's source, and one for each source around that one.
/// Thread-safety: different threads may use different tokens, also of one source. Copy the token for another thread.
class cancellation_token {
 public:
  cancellation_token() noexcept = default;
  /// True once the source, or a source that it was made under, is cancelled.
  [[nodiscard]] bool cancelled() const noexcept { return state_ != nullptr && state_->cancelled(); }
  /// False for a default-made token.
  [[nodiscard]] bool can_cancel() const noexcept { return state_ != nullptr; }

 private:
  friend class cancellation_source;
  explicit cancellation_token(std::shared_ptr<const detail::cancel_state> state) noexcept : state_(std::move(state)) {}
  std::shared_ptr<const detail::cancel_state> state_;
};

/// Cancels the work that was given one of its tokens: loops, groups, and other sources.
///
///     nearfork::cancellation_source stop;
///     nearfork::parallel_for(0, 1'000'000, [&](int i) { if (i == 7) stop.cancel(); }, {.cancel = stop.token()});
///
/// Work that has not started is skipped. Work that runs stops when it asks its token, or before the next piece of its
/// loop. Copies share one state: cancelling one cancels all. A move copies, too.
/// Complexity: constant. Thread-safety: any thread may cancel, also twice.
/// Throws: std::bad_alloc in the constructors.
class cancellation_source {
 public:
  cancellation_source() : state_(std::make_shared<detail::cancel_state>()) {}
  /// A source that is also cancelled when the source of `outer` is.
  explicit cancellation_source(const cancellation_token& outer)
      : state_(std::make_shared<detail::cancel_state>(outer.state_)) {}
  ///@{
  /// The copy is the same source. There are no moves: a moved-from source would have nothing to cancel.
  cancellation_source(const cancellation_source&) = default;
  cancellation_source& operator=(const cancellation_source&) = default;
  ///@}
  ~cancellation_source() = default;

  /// Cancels all work that has a token of this source. Cannot be taken back.
  void cancel() noexcept { state_->cancel(); }
  /// True once this source, or a source that it was made under, is cancelled.
  [[nodiscard]] bool cancelled() const noexcept { return state_->cancelled(); }
  /// A token of this source. The token may outlive the source.
  [[nodiscard]] cancellation_token token() const noexcept { return cancellation_token(state_); }

 private:
  std::shared_ptr<detail::cancel_state> state_;
};

/// About the task that runs the caller.
namespace this_task {
/// True if the running task should stop, because its loop, group or fork, or one around it, was cancelled. A long body
/// may ask, and return. False outside workers.
/// Complexity: one load while nothing in the process is cancelled. Thread-safety: any thread.
[[nodiscard]] inline bool cancelled() noexcept {
  return !detail::nothing_is_cancelled() && detail::must_stop_here();
}
}  // namespace this_task

}  // namespace nearfork
