// The workers' logs of one iteration, put together: what each task noted.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "runtime/recording/iteration_log.hpp"

namespace nearfork::detail {

/// Used by one thread, after all tasks that note something have ended. Notes stay where they were written. link()
/// replaces the task in each note by the place of that task's next note: 4 bytes more per task.
class noted_tasks {
 public:
  explicit noted_tasks(iteration_log& log) noexcept : log_(log) {}

  [[nodiscard]] iteration_log& log() const noexcept { return log_; }

  /// Called before the functions below. Does nothing if it was called before. Linear in notes. Throws std::bad_alloc,
  /// and may then be called again.
  void link();

  [[nodiscard]] bool any_accesses() const noexcept { return !accesses_.empty(); }
  /// Sorted by stretch, and within a stretch in the order of the notes. Valid until the next call.
  [[nodiscard]] std::span<const work_piece> pieces_of(std::uint32_t task);
  [[nodiscard]] std::span<const noted_access> accesses_of(std::uint32_t task);

 private:
  /// All notes of each task. Notes of one worker keep their order.
  template <class Notes>
  class chains {
   public:
    void link(iteration_log& log, Notes worker_log::* notes);
    [[nodiscard]] bool empty() const noexcept { return pages_.empty(); }
    template <class Take>
    void for_each(std::uint32_t task, const Take& take) const;

   private:
    using note = typename Notes::note;
    void link_page(std::size_t page, std::size_t notes) noexcept;

    std::vector<note*> pages_;
    std::vector<std::uint32_t> first_;  // by task
  };

  iteration_log& log_;
  bool linked_ = false;
  chains<decltype(worker_log::pieces)> narrow_;
  chains<decltype(worker_log::accesses)> accesses_;
  std::vector<work_piece> wide_;  // by task
  std::vector<work_piece> pieces_of_one_;
  std::vector<noted_access> accesses_of_one_;
};

/// Tasks that were forked and whose turn has not come, family by family.
class waiting_tasks {
 public:
  void add(std::uint32_t first, std::uint32_t count) { families_.push_back({first, first + count}); }
  [[nodiscard]] bool empty() const noexcept { return at_ == families_.size(); }
  std::uint32_t take();

 private:
  struct family {
    std::uint32_t next;
    std::uint32_t end;
  };
  static constexpr std::ptrdiff_t forgotten_after = 1 << 16;
  std::vector<family> families_;
  std::size_t at_ = 0;
};

}  // namespace nearfork::detail
