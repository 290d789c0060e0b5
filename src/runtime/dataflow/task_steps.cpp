#include "runtime/dataflow/task_steps.hpp"

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include <nearfork/detail/dataflow/dataflow_argument.hpp>

#include "runtime/dataflow/buffer_memory.hpp"

namespace nearfork {
namespace {

using detail::dataflow_argument;
using detail::dataflow_task;

std::span<dataflow_argument> arguments_of(dataflow_task& one) noexcept {
  return one.kind->arguments == nullptr ? std::span<dataflow_argument>() : one.kind->arguments(one);
}

/// Small copies have a cache line each: workers write them side by side.
std::size_t copy_alignment(const dataflow_argument& of) noexcept {
  constexpr std::size_t cache_line = 64;
  return std::max(cache_line, of.copied->rule->alignment);
}

void make_copy(dataflow_argument& of, std::uint32_t worker) {
  detail::reduction_copy& copy = *of.copied;
  if (copy.shared != nullptr) {
    copy.taken = &copy.shared->take(worker, copy.any_copy);
    copy.data = copy.taken->data;
    return;
  }
  copy.data = take_data(of.bytes, copy_alignment(of));
  copy.rule->fill(copy.data, of.bytes);
}

bool has_own_copy(const dataflow_argument& of) noexcept {
  return of.is == dataflow_argument::content::copied && of.copied->shared == nullptr && of.copied->data != nullptr;
}

void drop_copy(dataflow_argument& of) noexcept {
  if (has_own_copy(of)) give_data(std::exchange(of.copied->data, nullptr), of.bytes, copy_alignment(of));
}

}  // namespace

void prepare_arguments(dataflow_task& one, const task_web& web, flow_nodes* nodes, const task_runner& by) {
  using content = dataflow_argument::content;
  for (dataflow_argument& each : arguments_of(one)) {
    if (each.is == content::copied) make_copy(each, by.worker);
    if (each.is == content::part) web.layer()->prepare(each, nodes, static_cast<std::uint32_t>(index_of_id(by.node)));
    if (each.is != content::buffer || !each.writes) continue;
    if (nodes == nullptr) take_memory(*each.buffer);
    else take_memory_on(*each.buffer, *nodes, by.node);
  }
}

void fold_copies(dataflow_task& one) {
  for (dataflow_argument& each : arguments_of(one)) {
    if (each.is != dataflow_argument::content::copied) continue;
    detail::reduction_copy& copy = *each.copied;
    if (copy.shared != nullptr) copy.shared->fold(std::exchange(copy.taken, nullptr));
    if (!has_own_copy(each)) continue;
    copy.rule->fold(copy.original, copy.data, each.bytes);
    drop_copy(each);
  }
}

void drop_copies(dataflow_task& one) noexcept {
  for (dataflow_argument& each : arguments_of(one)) {
    drop_copy(each);
    if (each.is != dataflow_argument::content::copied || each.copied->shared == nullptr) continue;
    detail::reduction_copy& copy = *each.copied;
    const bool would_leave = copy.any_copy && one.next_step == dataflow_task::step::body;
    if (!would_leave) copy.shared->give_back(std::exchange(copy.taken, nullptr));
  }
}

}  // namespace nearfork
