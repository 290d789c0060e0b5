// How a dataflow task gets into its graph: from its callable to the engine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <new>
#include <span>
#include <type_traits>
#include <utility>

#include <nearfork/call_site.hpp>
#include <nearfork/dataflow/accesses.hpp>
#include <nearfork/dataflow/task_data.hpp>
#include <nearfork/dataflow/task_options.hpp>
#include <nearfork/detail/callable.hpp>
#include <nearfork/detail/dataflow/listed_task.hpp>
#include <nearfork/detail/dataflow/typed_task.hpp>

namespace nearfork {
class nested_tasks;
}

namespace nearfork::detail {

class dataflow_engine;
template <class F>
class parent_dataflow_task;  // in nested_tasks.hpp

/// What the program says of a task beside its accesses and its callable.
struct task_place {
  dataflow_engine& engine;
  dataflow_task* parent;  // of a nested task; else nullptr
  task_options how;
  call_site where;
};

/// A block for a task that is not added yet.
class task_block {
 public:
  /// Throws std::bad_alloc; nearfork::error if the graph takes no more tasks.
  task_block(const task_place& to, std::size_t bytes, std::span<const access> accesses);
  ~task_block();
  task_block(const task_block&) = delete;
  task_block& operator=(const task_block&) = delete;

  [[nodiscard]] void* memory() const noexcept { return memory_; }
  /// The graph owns the block from now on, also if this throws.
  void add(dataflow_task& made, std::span<const access> accesses);

 private:
  const task_place& to_;
  std::size_t bytes_;
  void* memory_;
};

/// Throws nearfork::error unless the spans that a callable takes suit its accesses.
void check_parameters(std::span<const access> accesses, std::span<const expected_element> expected,
                      const call_site& where);
[[noreturn]] void refuse_priority(unsigned priority, const call_site& where);
/// For a callable that can be called once only. Throws nearfork::error if the graph keeps the task.
void refuse_if_called_again(const task_place& to);

/// `bytes`: of the task and what lies behind it.
template <class Task, class... Parts>
void add_task_as(const task_place& to, std::span<const access> accesses, std::size_t bytes, Parts&&... parts) {
  static_assert(alignof(Task) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__);
  if (to.how.priority > highest_priority) refuse_priority(to.how.priority, to.where);
  task_block block(to, bytes, accesses);
  auto& made = *::new (block.memory()) Task(std::forward<Parts>(parts)...);
  made.priority = static_cast<std::uint8_t>(to.how.priority);
  block.add(made, accesses);
}

template <class F>
void add_task(const task_place& to, std::span<const access> accesses, F&& f) {
  using callable = std::decay_t<F>;
  if constexpr (only_callable_as_rvalue<callable>) refuse_if_called_again(to);
  if constexpr (alignof(callable) > __STDCPP_DEFAULT_NEW_ALIGNMENT__) {
    add_task(to, accesses, callable_apart<callable>(std::in_place, std::forward<F>(f)));
  } else if constexpr (task_callable<callable>) {
    using task = plain_dataflow_task<callable>;
    add_task_as<task>(to, accesses, sizeof(task), std::forward<F>(f), to.where);
  } else if constexpr (std::is_invocable_v<callable&, nested_tasks&>) {
    using task = parent_dataflow_task<callable>;
    add_task_as<task>(to, accesses, sizeof(task), std::forward<F>(f), to.engine, to.where);
  } else if constexpr (takes_task_data<callable>) {
    using task = listed_dataflow_task<callable>;
    if (accesses.size() > most_listed_accesses) refuse_many_accesses(accesses.size(), to.where);
    add_task_as<task>(to, accesses, task::block_bytes(accesses.size()), std::forward<F>(f), accesses, to.where);
  } else if constexpr (!takes_spans<callable>) {
    static_assert(takes_spans<callable>,
                  "the callable of a dataflow task takes nothing, a std::span for each access, nearfork::task_data, or "
                  "a nearfork::nested_tasks&; parameters of a lambda cannot be auto");
  } else {
    check_parameters(accesses, parameters_of<callable>::expected, to.where);
    using task = span_dataflow_task<callable>;
    add_task_as<task>(to, accesses, sizeof(task), std::forward<F>(f), accesses, to.where);
  }
}

}  // namespace nearfork::detail
