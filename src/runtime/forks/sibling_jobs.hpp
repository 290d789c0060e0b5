// The children of one fork, in the forking frame where they are few.
#pragma once

#include <array>
#include <cstddef>
#include <memory>

#include <nearfork/detail/fiber.hpp>

namespace nearfork::detail {

template <class Job>
class sibling_jobs {
 public:
  explicit sibling_jobs(std::size_t size) : size_(size) {
    if (size > few_.size()) many_ = std::make_unique<Job[]>(size);
  }
  [[nodiscard]] Job& operator[](std::size_t i) noexcept { return many_ ? many_[i] : few_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::array<Job, 4> few_;
  std::unique_ptr<Job[]> many_;
  std::size_t size_;
};

/// A child begins on a fiber of its own: it stops when its siblings fail, and they stop when it fails.
inline void begin_in_family(fiber& self, cancel_scope& family) noexcept {
  self.stolen_from = {};
  self.base.parent = self.family = &family;
}

/// To the deque, the second on top, as far as there is room; nobody is told. Returns how many are offered.
template <class Job>
std::size_t offer_all_but_first(fiber& self, sibling_jobs<Job>& children) noexcept {
  const std::size_t count = children.size();
  std::size_t offered = 0;
  for (; offered + 1 < count; ++offered) {
    slot* const head = self.jobs.owner_head();
    if (self.jobs.owner_full(head)) break;
    (void)self.jobs.owner_offer(head, &children[count - 1 - offered]);
    self.jobs.owner_set_head(head + 1);
  }
  return offered;
}

}  // namespace nearfork::detail
