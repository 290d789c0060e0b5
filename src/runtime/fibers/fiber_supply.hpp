// Where workers get fibers to go on with when a join blocks, and where they leave spare ones.
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/fibers/fiber_context.hpp"
#include "runtime/fibers/fiber_stack.hpp"
#include "runtime/fibers/spare_list.hpp"

namespace nearfork {

/// All fibers of a runtime. Thread-safe, except for the lists that workers own.
class fiber_supply {
 public:
  struct rules {
    std::size_t stack_bytes;
    carriers by;
    fiber_entry entry;  // what a fresh fiber runs
    std::uint32_t workers;
    crew* home;  // whose fibers they are
  };
  explicit fiber_supply(const rules& how);
  /// No fiber may run any more.
  ~fiber_supply();
  fiber_supply(const fiber_supply&) = delete;
  fiber_supply& operator=(const fiber_supply&) = delete;

  /// A fiber that runs the entry when switched to, from `own` if that list has one; nullptr: no memory.
  [[nodiscard]] detail::fiber* take(spare_list& own) noexcept;
  /// Puts `spare` into `own`, or, if that list has enough, into the list of all workers.
  void keep(spare_list& own, detail::fiber& spare) noexcept;

  [[nodiscard]] const stack_arena& stacks() const noexcept { return stacks_; }

 private:
  /// A fiber without pages; furnish() makes it ready again.
  struct cold_spare {
    detail::fiber* bare;
    stack_bounds stack;
    std::uint32_t epoch;  // of its deque
  };

  detail::fiber* make() noexcept;
  [[nodiscard]] bool furnish(detail::fiber& bare, stack_bounds stack) const noexcept;
  detail::fiber* take_common() noexcept;
  bool keep_warm(detail::fiber& spare) noexcept;
  void keep_cold(detail::fiber& spare) noexcept;

  const rules rules_;
  stack_arena stacks_;
  std::mutex mutex_;
  std::vector<detail::fiber*> all_;  // every fiber that was made
  spare_list warm_;                  // spares that workers had too many of
  std::vector<cold_spare> cold_;
};

}  // namespace nearfork
