#include "runtime/dataflow/task_steps.hpp"

#include <new>
#include <span>
#include <utility>

#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/dataflow/task_layer.hpp>

#include "runtime/dataflow/buffer_memory.hpp"

namespace nearfork {
namespace {

using detail::dataflow_argument;
using detail::dataflow_task;

std::span<dataflow_argument> arguments_of(dataflow_task& one) noexcept {
  return one.kind->arguments == nullptr ? std::span<dataflow_argument>() : one.kind->arguments(one);
}

constexpr std::align_val_t copy_alignment{64};

void make_copy(dataflow_argument& of) {
  auto* const copy = static_cast<std::byte*>(::operator new(of.bytes, copy_alignment));
  of.original = std::exchange(of.data, copy);
  of.rule->fill(copy, of.bytes);
}

bool has_copy(const dataflow_argument& of) noexcept {
  return !of.is_part && of.original != nullptr;
}

void drop_copy(dataflow_argument& of) noexcept {
  if (!has_copy(of)) return;
  ::operator delete(of.data, copy_alignment);
  of.data = std::exchange(of.original, nullptr);
}

}  // namespace

void prepare_arguments(dataflow_task& one, flow_nodes* nodes, node_id own) {
  for (dataflow_argument& each : arguments_of(one)) {
    if (each.rule != nullptr && each.bytes != 0) make_copy(each);
    if (each.is_part) each.part->prepare(each, nodes, static_cast<std::uint32_t>(index_of_id(own)));
    if (each.buffer == nullptr) continue;
    if (each.writes && nodes == nullptr) take_memory(*each.buffer);
    else if (each.writes) take_memory_on(*each.buffer, *nodes, own);
    each.data = each.buffer->data;
  }
}

void fold_copies(dataflow_task& one) {
  for (dataflow_argument& each : arguments_of(one)) {
    if (!has_copy(each)) continue;
    each.rule->fold(each.original, each.data, each.bytes);
    drop_copy(each);
  }
}

void drop_copies(dataflow_task& one) noexcept {
  for (dataflow_argument& each : arguments_of(one)) drop_copy(each);
}

}  // namespace nearfork
