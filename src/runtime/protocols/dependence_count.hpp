// How many dependences of a task have not ended, where no lock is around the count: for tasks that run again and again.
#pragma once

#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork {

namespace seam = detail::seam;

/// Counts down once in each replay. Whoever ends the last dependence finds the task ready, and what all others did
/// before they ended theirs is visible to that thread.
///
/// [DC1] After the last end no thread touches the count until the task has run, so the last one sets it back with a
///      plain store. The ends of the next replay come after all tasks of this one have ended.
class dependence_count {
 public:
  enum class task : std::uint8_t { waits, ready, ready_to_be_skipped };

  dependence_count() noexcept = default;
  /// Before the first replay, by one thread.
  void begin(std::uint32_t dependences) noexcept {
    all_ = dependences;
    left_.store(dependences, seam::memory_order_relaxed);  // relaxed: the start of the replay publishes it
  }
  [[nodiscard]] std::uint32_t all() const noexcept { return all_; }

  /// `lost`: what the task depends on has failed or was skipped. At most 2^31-1 dependences.
  [[nodiscard]] task end_one(bool lost) noexcept {
    // acquire: pairs with the releases below, all of which are in one release sequence. Who sees 1 is alone, and saves
    // the read-modify-write.
    std::uint32_t before = left_.load(seam::memory_order_acquire);
    if ((before & ~lost_bit) != 1) {
      if (lost) left_.fetch_or(lost_bit, seam::memory_order_relaxed);  // relaxed: the release comes next
      // release: what this thread did is visible to who ends the last. acquire: this thread may be that one.
      // Mutant: end_not_released.
      before = left_.fetch_sub(1, seam::memory_order_acq_rel);
    }
    if ((before & ~lost_bit) != 1) return task::waits;
    left_.store(all_, seam::memory_order_relaxed);  // [DC1]
    return lost || (before & lost_bit) != 0 ? task::ready_to_be_skipped : task::ready;
  }

 private:
  static constexpr std::uint32_t lost_bit = std::uint32_t{1} << 31;

  seam::atomic<std::uint32_t> left_{0};
  std::uint32_t all_ = 0;
};

}  // namespace nearfork
