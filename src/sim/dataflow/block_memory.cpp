#include "sim/dataflow/block_memory.hpp"

#include <algorithm>
#include <bit>

#include "sim/memory/pages/page_rooms.hpp"

namespace nearfork::sim {
namespace {

std::uint64_t up_to_page(std::uint64_t bytes, std::uint64_t page_bytes) {
  return (bytes + page_bytes - 1) / page_bytes * page_bytes;
}

}  // namespace

block_layout layout_of(const dataflow_program& what, std::uint64_t page_bytes, std::uint64_t pool_bytes) {
  block_layout made;
  std::uint64_t next = 0;
  for (std::uint32_t block = 0; block < what.blocks().size(); ++block) {
    if (what.is_buffer(block)) {
      made.first_byte.push_back(block_layout::nowhere);
      continue;
    }
    made.first_byte.push_back(next);
    next += up_to_page(what.blocks()[block].bytes, page_bytes);
  }
  made.global_bytes = next;
  made.pool_bytes = up_to_page(pool_bytes, page_bytes);
  return made;
}

block_memory::block_memory(const dataflow_program& what, const machine& where, const machine_model& model,
                           block_layout layout, own_arrays arrays)
    : what_(what),
      layout_(std::move(layout)),
      memory_(where, model, layout_.all_bytes()),
      pools_({.first_byte = layout_.global_bytes,
              .end_byte = layout_.all_bytes(),
              .least_bytes = std::bit_ceil(std::uint64_t{model.page_bytes})},
             node_count(where), room_of(where, model).nearest) {
  for (std::uint32_t block = 0; block < what.blocks().size(); ++block) readers_left_.push_back(what.readers(block));
  if (arrays == own_arrays::interleaved) interleave_global(model, node_count(where));
}

void block_memory::interleave_global(const machine_model& model, std::uint32_t nodes) {
  std::vector<std::uint32_t> with_memory;
  for (std::uint32_t node = 0; node < nodes; ++node)
    if (model.node_bytes.empty() || model.node_bytes[node] > 0) with_memory.push_back(node);
  const page_balancing::pages pages = global_pages();
  for (std::uint64_t i = 0; i < pages.count; ++i)
    memory_.pages().place(pages.first + i, with_memory[i % with_memory.size()]);
}

void block_memory::place_global(const own_pages& how, const machine& where, const machine_model& model,
                                std::uint32_t first_worker) {
  std::vector<data_array> arrays;
  for (std::uint32_t block = 0; block < what_.blocks().size(); ++block)
    if (!what_.is_buffer(block)) arrays.push_back({layout_.first_byte[block], what_.blocks()[block].bytes});
  page_map& pages = memory_.pages();
  apply(how.placing, where, model, arrays, pages);
  const std::vector<std::uint32_t> nodes = first_touch_nodes(where);
  const page_rule rule = rule_of(how.stand_in);
  for (const data_array& one : arrays) place(one, rule, nodes, memory_.page_bytes(), pages);
  if (how.stand_in != setup_kind::serial) return;
  const page_balancing::pages all = global_pages();
  for (std::uint64_t i = 0; i < all.count; ++i) pages.write(all.first + i, first_worker);
}

page_balancing::pages block_memory::global_pages() const noexcept {
  return {0, layout_.global_bytes / memory_.page_bytes()};
}

void block_memory::allocate(std::uint32_t block, std::uint32_t node) {
  std::uint64_t& at = layout_.first_byte[block];
  if (at == block_layout::nowhere) at = pools_.take(node, what_.blocks()[block].bytes);
}

std::optional<std::uint32_t> block_memory::node_of(std::uint32_t block, std::uint64_t byte) const noexcept {
  const std::uint64_t at = layout_.first_byte[block];
  if (at == block_layout::nowhere) return std::nullopt;
  const std::uint64_t asked = what_.is_buffer(block) ? at : at + byte;
  const std::uint16_t node = memory_.pages().node_of(asked / memory_.page_bytes());
  return node == page_map::nowhere ? std::nullopt : std::optional<std::uint32_t>(node);
}

void block_memory::give_back(std::uint32_t block) {
  std::uint64_t& at = layout_.first_byte[block];
  pools_.give_back(at, what_.blocks()[block].bytes, node_of(block).value_or(0));
  at = block_layout::nowhere;
}

void block_memory::done_reading(std::uint32_t block) {
  if (--readers_left_[block] == 0) give_back(block);
}

void block_memory::done_writing(std::uint32_t block) {
  if (readers_left_[block] == 0) give_back(block);
}

}  // namespace nearfork::sim
