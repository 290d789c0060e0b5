// Runs of pages that are taken from the front.
#pragma once

#include <cstddef>
#include <utility>

#include "machine/nodes/page_split.hpp"

namespace nearfork {

/// Taking from the front is O(1). That matters if the touched pages are scattered, because then there are as many runs
/// as pages.
class page_queue {
 public:
  page_queue() = default;
  page_queue(page_split runs) : runs_(std::move(runs)) {}

  [[nodiscard]] bool empty() const noexcept { return done_ == runs_.size(); }
  [[nodiscard]] const page_run& front() const noexcept { return runs_[done_]; }

  /// Takes the first `pages` pages of the first run, which must have that many.
  void take(std::uint64_t pages) noexcept {
    runs_[done_].begin += pages;
    if (runs_[done_].begin == runs_[done_].end) ++done_;
  }

  /// Adds a run as add_run() does.
  void add(const page_run& added) {
    runs_.erase(runs_.begin(), runs_.begin() + static_cast<std::ptrdiff_t>(std::exchange(done_, 0)));
    add_run(runs_, added);
  }

  void clear() noexcept {
    runs_.clear();
    done_ = 0;
  }

 private:
  page_split runs_;
  std::size_t done_ = 0;  // index into runs_: the runs before it are taken
};

}  // namespace nearfork
