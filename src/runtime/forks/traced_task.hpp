// A task in the trace that runs inside another one: with option trace_tasks.
#pragma once

#include <cstdint>

#include <nearfork/detail/fiber.hpp>

#include "runtime/workers/worker.hpp"

namespace nearfork::detail {

/// From construction to destruction, which may be on another worker; nothing if the trace does not tell of this task.
class traced_task {
 public:
  traced_task(worker& runs_here, const void* task, traces::task_origin origin) noexcept {
    if (runs_here.traces_task()) [[unlikely]]
      begin(runs_here, task, origin);
  }
  ~traced_task() {
    if (task_ != nullptr) [[unlikely]]
      this_fiber().runner->note({.subject = subject(), .kind = traces::event_kind::task_ends});
  }
  traced_task(const traced_task&) = delete;
  traced_task& operator=(const traced_task&) = delete;

 private:
  [[nodiscard]] std::uintptr_t subject() const noexcept { return reinterpret_cast<std::uintptr_t>(task_); }
  void begin(worker& runs_here, const void* task, traces::task_origin origin) noexcept {
    task_ = task;
    runs_here.note(
        {.subject = subject(), .kind = traces::event_kind::task_begins, .detail = static_cast<std::uint8_t>(origin)});
  }
  const void* task_ = nullptr;
};

}  // namespace nearfork::detail
