#include <memory>
#include <utility>

#include <nearfork/cancellation.hpp>
#include <nearfork/dataflow/flow_task.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/tasks/submitted_job.hpp>
#include <nearfork/error.hpp>

#include "runtime/dataflow/dataflow_engine.hpp"
#include "runtime/webs/call_site_text.hpp"

#ifdef __cpp_impl_coroutine

namespace nearfork::detail {

namespace {

class resumption final : public submitted_job {
 public:
  resumption(std::coroutine_handle<> resumed, dataflow_engine& graph) noexcept
      : submitted_job(kind_of<&execute>, {"co_await", 0}), resumed_(resumed), graph_(graph) {}

 private:
  static void execute(job& self) noexcept {
    auto& me = static_cast<resumption&>(self);
    me.execute_unwaited({&resume_and_destroy, &me});
  }
  static void resume_and_destroy(void* data) {
    const std::unique_ptr<resumption> me(static_cast<resumption*>(data));
    const dataflow_engine::resumed_coroutine here(me->graph_);
    me->resumed_.resume();
  }

  std::coroutine_handle<> resumed_;
  dataflow_engine& graph_;
};

}  // namespace

flow_wait::flow_wait(const dataflow& graph, const buffer_state* of, const call_site& where) noexcept
    : graph_(*graph.engine_), of_(of), where_(where) {}

void flow_wait::refuse_kept_graph() const {
  if (graph_.is_kept())
    throw error(
        "nearfork: a coroutine waits for a buffer of a graph that is kept, but it can go on only once; wait for such "
        "buffers in graphs that are not kept");
}

std::exception_ptr flow_wait::why_dropped() noexcept {
  if (graph_.must_stop_now()) return std::make_exception_ptr(nearfork::cancelled());
  if (std::exception_ptr first = graph_.failure(); first != nullptr) return first;
  return std::make_exception_ptr(
      error("nearfork: the coroutine at " + to_text(where_) + " waits for the buffer of " + to_text(of_->where()) +
            ", which no task writes; create the task that writes it before the graph is waited for"));
}

void flow_wait::resume(std::coroutine_handle<> waiter, dataflow_engine& graph) noexcept {
  try {
    auto made = std::make_unique<resumption>(waiter, graph);
    graph.expect_resumption();
    try {
      made->enter(nullptr, submitted_job::among::awaited);
    } catch (...) {
      graph.renounce_resumption();
      throw;
    }
    (void)made.release();  // the workers own it; it may be gone
  } catch (...) {
    waiter.resume();
  }
}

void refuse_empty_flow_task() {
  throw error(
      "nearfork: this flow_task has no coroutine: it was made without one, was moved from, or its result was taken "
      "before; ask valid() first");
}

}  // namespace nearfork::detail

#endif
