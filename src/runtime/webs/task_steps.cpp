#include "runtime/webs/task_steps.hpp"

#include <cstddef>
#include <utility>

#include "runtime/webs/buffer_memory.hpp"

namespace nearfork {

using detail::dataflow_argument;
using detail::dataflow_task;
using detail::reduction_copy;

namespace {

void make_copy(reduction_copy& copy, std::size_t bytes, std::uint32_t worker) {
  if (copy.shared != nullptr) {
    copy.taken = &copy.shared->take(worker, copy.any_copy);
    copy.data = copy.taken->data;
    return;
  }
  copy.data = take_data(bytes, detail::alignment_of_copies(*copy.rule));
  copy.rule->fill(copy.data, bytes);
}

void drop_own(reduction_copy& copy, std::size_t bytes) noexcept {
  if (copy.data != nullptr)
    give_data(std::exchange(copy.data, nullptr), bytes, detail::alignment_of_copies(*copy.rule));
}

}  // namespace

void prepare_arguments(dataflow_task& one, const task_web& web, flow_nodes* nodes, const task_runner& by) {
  using content = dataflow_argument::content;
  if (one.kind->arguments == nullptr) return;
  for (dataflow_argument& each : one.kind->arguments(one)) {
    if (each.is == content::copied) make_copy(*each.copied, each.bytes, by.worker);
    if (each.is == content::part) web.layer()->prepare(each, nodes, static_cast<std::uint32_t>(index_of_id(by.node)));
    if (each.is != content::buffer || !each.writes) continue;
    if (nodes == nullptr) take_memory(*each.buffer);
    else take_memory_on(*each.buffer, *nodes, by.node);
  }
}

void fold_copies(dataflow_task& one) {
  for_each_copy(one, [](reduction_copy& copy, std::size_t bytes) {
    if (copy.shared != nullptr) return copy.shared->fold(std::exchange(copy.taken, nullptr));
    if (copy.data == nullptr) return;
    copy.rule->fold(copy.original, copy.data, bytes);
    drop_own(copy, bytes);
  });
}

void drop_copies(dataflow_task& one) noexcept {
  const bool after_body = one.next_step == dataflow_task::step::fold;
  for_each_copy(one, [after_body](reduction_copy& copy, std::size_t bytes) {
    if (copy.shared == nullptr) return drop_own(copy, bytes);
    if (after_body || !copy.any_copy) copy.shared->give_back(std::exchange(copy.taken, nullptr));
  });
}

}  // namespace nearfork
