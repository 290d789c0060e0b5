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

void make_copy(dataflow_argument& of) {
  detail::reduction_copy& copy = *of.copied;
  copy.data = take_data(of.bytes, copy_alignment(of));
  copy.rule->fill(copy.data, of.bytes);
}

bool has_copy(const dataflow_argument& of) noexcept {
  return of.is == dataflow_argument::content::copied && of.copied->data != nullptr;
}

void drop_copy(dataflow_argument& of) noexcept {
  if (has_copy(of)) give_data(std::exchange(of.copied->data, nullptr), of.bytes, copy_alignment(of));
}

}  // namespace

void prepare_arguments(dataflow_task& one, const task_web& web, flow_nodes* nodes, node_id own) {
  using content = dataflow_argument::content;
  for (dataflow_argument& each : arguments_of(one)) {
    if (each.is == content::copied) make_copy(each);
    if (each.is == content::part) web.layer()->prepare(each, nodes, static_cast<std::uint32_t>(index_of_id(own)));
    if (each.is != content::buffer || !each.writes) continue;
    if (nodes == nullptr) take_memory(*each.buffer);
    else take_memory_on(*each.buffer, *nodes, own);
  }
}

void fold_copies(dataflow_task& one) {
  for (dataflow_argument& each : arguments_of(one)) {
    if (!has_copy(each)) continue;
    each.copied->rule->fold(each.copied->original, each.copied->data, each.bytes);
    drop_copy(each);
  }
}

void drop_copies(dataflow_task& one) noexcept {
  for (dataflow_argument& each : arguments_of(one)) drop_copy(each);
}

}  // namespace nearfork
