#pragma once

#include <memory>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

/// Asks whether work should stop. Copyable, cheap to ask (one relaxed load); a default-made one never says yes.
class cancellation_token {
 public:
  cancellation_token() noexcept = default;
  [[nodiscard]] bool cancelled() const noexcept {
    return flag_ != nullptr && flag_->load(detail::seam::memory_order_relaxed);
  }

 private:
  friend class cancellation_source;
  explicit cancellation_token(std::shared_ptr<const detail::seam::atomic<bool>> flag) noexcept : flag_(std::move(flag)) {}
  std::shared_ptr<const detail::seam::atomic<bool>> flag_;
};

/// Says that work should stop. Any thread; cancelling twice is fine. Work that has not started is skipped,
/// work that runs goes on until it asks its token.
class cancellation_source {
 public:
  cancellation_source() : flag_(std::make_shared<detail::seam::atomic<bool>>(false)) {}
  /// Relaxed: the flag hands over no data.
  void cancel() noexcept { flag_->store(true, detail::seam::memory_order_relaxed); }
  [[nodiscard]] bool cancelled() const noexcept { return flag_->load(detail::seam::memory_order_relaxed); }
  [[nodiscard]] cancellation_token token() const noexcept { return cancellation_token(flag_); }

 private:
  std::shared_ptr<detail::seam::atomic<bool>> flag_;
};

}  // namespace nearfork
