// The tasks of a group: what the group and its workers know of them, and where they lie.
#pragma once

#include <nearfork/detail/language.hpp>

#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/job.hpp>
#include <nearfork/detail/registers.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork {

class task_group;

namespace detail {

class group_job;

/// What can be done with the tasks of one type. In place of virtual functions, so that a spawn stores one pointer.
struct task_kind : job_kind {
  void (*call)(group_job&);
  void (*drop)(group_job&) noexcept;
};

/// A task of a group. It lies in the cell of its deque's slot, or on the heap.
class group_job : public job {
 public:
  /// Calls the task and destroys it, also if the call throws.
  void call() { task().call(*this); }
  /// Destroys the task without calling it.
  void drop() noexcept { task().drop(*this); }
  [[nodiscard]] const task_group* group() const noexcept { return group_; }
  /// Tells the group what this fiber's account of it holds. The group may be gone then.
  static void settle_account(fiber& self) noexcept;
  /// An address that only the code of tasks of this type has.
  [[nodiscard]] std::uintptr_t code() const noexcept { return reinterpret_cast<std::uintptr_t>(task().call); }

 protected:
  group_job(task_group& group, const task_kind& kind) noexcept : job(kind), group_(&group) {
#if defined(__GNUC__) && !defined(__clang__)
    force_to_memory(group_);  // or gcc joins it with a capture in a vector register
#endif
  }
  ~group_job() = default;
  static void execute(job& self) noexcept;

 private:
  friend class nearfork::task_group;
  [[nodiscard]] const task_kind& task() const noexcept { return static_cast<const task_kind&>(kind()); }
  task_group* group_;
};

/// The base of Task, which has call_here() and drop_here().
template <class Task>
class task_of_group : public group_job {
  friend Task;
  explicit task_of_group(task_group& group) noexcept : group_job(group, kind_of_task) {}
  ~task_of_group() = default;

  static void call_task(group_job& self) { static_cast<Task&>(self).call_here(); }
  static void drop_task(group_job& self) noexcept { static_cast<Task&>(self).drop_here(); }
  NEARFORK_OWN_COPY static constexpr task_kind kind_of_task{{&execute}, &call_task, &drop_task};
};

struct drop_task {
  void operator()(group_job* task) const noexcept { task->drop(); }
};
using task_owner = std::unique_ptr<group_job, drop_task>;

/// Lives while the closure in a cell is made, moved or ended, which may run code of the program: groups in such code
/// must not use the cells of its slot, although the slot is free. Such code nests, and what nests deeper uses cells
/// further on.
class cell_in_use {
 public:
  cell_in_use(fiber& home, const void* cell) noexcept
      : home_(home), before_(std::exchange(home.cell_in_use, home.usual_cell_beside(cell))) {}
  ~cell_in_use() { home_.cell_in_use = before_; }
  cell_in_use(const cell_in_use&) = delete;
  cell_in_use& operator=(const cell_in_use&) = delete;

 private:
  fiber& home_;
  const void* before_;
};

/// Memory for one task, which any thread may give back. Not from malloc if it can be had elsewhere: malloc's blocks
/// return to the spawner's arena one by one, under a lock. A million closures of six words on two workers took 43 to
/// 190 ns each, and take 26 so; trivial ones spawned by a thread outside 110 and 80.
struct task_memory {
  void* begin;
  bool from_pools;
};
/// Throws: std::bad_alloc.
[[nodiscard]] task_memory take_task_memory(std::size_t bytes, std::size_t alignment);
void give_back_task_memory(task_memory memory, std::size_t bytes, std::size_t alignment) noexcept;

template <class F>
class heap_task final : public task_of_group<heap_task<F>> {
 public:
  template <class From>
  [[nodiscard]] static heap_task* made(task_group& group, From&& f) {
    const task_memory memory = take_task_memory(sizeof(heap_task), alignof(heap_task));
    try {
      return ::new (memory.begin) heap_task(group, std::forward<From>(f), memory.from_pools);
    } catch (...) {
      give_back_task_memory(memory, sizeof(heap_task), alignof(heap_task));
      throw;
    }
  }
  /// The end of f_ may throw, too, as at the end of a scope: so no object of this frame owns the task.
  void call_here() {
    try {
      detail::call(f_);
    } catch (...) {
      end();
      throw;
    }
    end();
  }
  void drop_here() noexcept { end(); }

 private:
  template <class From>
  heap_task(task_group& group, From&& f, bool from_pools)
      : task_of_group<heap_task>(group), from_pools_(from_pools), f_(std::forward<From>(f)) {}
  ~heap_task() = default;

  /// The memory goes back also if the end of f_ throws.
  void end() {
    const struct given_back {
      task_memory memory;
      ~given_back() { give_back_task_memory(memory, sizeof(heap_task), alignof(heap_task)); }
    } after{{this, from_pools_}};
    this->~heap_task();
  }

  const bool from_pools_;
  F f_;
};

template <class F>
class cell_task final : public task_of_group<cell_task<F>> {
 public:
  /// The closure lies behind the job, where its alignment allows.
  static constexpr std::size_t bytes = (sizeof(group_job) + alignof(F) - 1) / alignof(F) * alignof(F) + sizeof(F);
  static constexpr bool is_small = bytes <= sizeof(task_cell) && alignof(F) <= alignof(task_cell);
  static constexpr bool fits =
      bytes <= sizeof(wide_cell) && alignof(F) <= alignof(wide_cell) && std::is_nothrow_move_constructible_v<F>;
  /// Making it from From, moving and ending it run no code of the program.
  template <class From>
  static constexpr bool is_trivial = std::is_trivially_constructible_v<F, From> &&
                                     std::is_trivially_move_constructible_v<F> && std::is_trivially_destructible_v<F>;
  template <class From>
  cell_task(task_group& group, From&& f) : task_of_group<cell_task>(group), f_(std::forward<From>(f)) {}
  /// Moves the task to the caller's frame first: once the task runs, its slot is free, and with the slot its cell.
  void call_here() {
    if constexpr (is_trivial<F&&>) {
      F f(std::move(f_));
      detail::call(f);
    } else {
      F f(taken());
      detail::call(f);
    }
  }
  void drop_here() noexcept {
    if constexpr (!std::is_trivially_destructible_v<F>) {
      const cell_in_use here(this_fiber(), this);
      this->~cell_task();
    }
  }
  /// The closure, while no group uses the cell. The task is gone then.
  [[nodiscard]] F taken() noexcept {
    const cell_in_use here(this_fiber(), this);
    const task_owner gone(this);
    return std::move(f_);  // made before both are gone
  }

 private:
  F f_;
};

}  // namespace detail
}  // namespace nearfork
