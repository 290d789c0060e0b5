// The children of one fork; in the forking frame if they are few.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/scheduler.hpp>

#include "runtime/forks/tell_of_push.hpp"

namespace nearfork::detail {

template <class Job>
class sibling_jobs {
 public:
  explicit sibling_jobs(std::size_t size) : size_(size) {
    if (size > few_.size()) many_ = std::make_unique<Job[]>(size);
  }
  [[nodiscard]] Job& operator[](std::size_t i) noexcept { return many_ ? many_[i] : few_[i]; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::span<Job> all() noexcept { return {many_ ? many_.get() : few_.data(), size_}; }

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

/// Pushes the children to the deque, the second on top, as far as there is room. Wakes no worker. Returns how many are
/// offered.
template <class Job>
std::size_t offer_all_but_first(fiber& self, sibling_jobs<Job>& children) noexcept {
  const std::size_t count = children.size();
  std::size_t offered = 0;
  for (; offered + 1 < count; ++offered) {
    slot* const head = self.jobs.owner_head();
    if (self.jobs.owner_full(head)) break;
    (void)self.jobs.owner_offer(head, &children[count - 1 - offered]);
    tell_of_push(self);
    self.jobs.owner_set_head(head + 1);
  }
  return offered;
}

/// What became of an offered child until its turn came.
enum class offered_child : std::uint8_t { unseen, taken_back, stolen };

/// Calls then(child, what became of it) for the children from `begin` on, in their order; they were offered from the
/// slot `first` on. A stolen child has ended by then. The caller runs the others.
template <class Job, class Then>
void take_back_rest(fiber& self, slot* first, sibling_jobs<Job>& children, std::size_t begin, const Then& then) {
  for (std::size_t i = begin; i < children.size(); ++i) {
    slot* const position = first + (children.size() - 1 - i);
    auto found = offered_child::unseen;
    if (!self.jobs.owner_pop(position))
      found = take_back_or_wait(self, position, children[i]) ? offered_child::taken_back : offered_child::stolen;
    then(children[i], found);
  }
}

}  // namespace nearfork::detail
