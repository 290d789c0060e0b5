#include "runtime/dataflow/buffer_memory.hpp"

#include <new>

#include "memory/pools/buffer_pools.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

using detail::buffer_state;

namespace {

void take_from_heap(buffer_state& of) {
  of.data = static_cast<std::byte*>(::operator new(of.bytes, std::align_val_t{of.alignment}));
}

void take_on(buffer_state& of, flow_nodes& nodes, node_id node) {
  buffer_pools* const pools = nodes.memory();
  if (pools == nullptr || !buffer_pools::serves(of.bytes, of.alignment)) {
    take_from_heap(of);
    // A block that shares its pages with others has no node that would be known.
    if (pools == nullptr) of.node.store(static_cast<int>(index_of_id(node)), detail::seam::memory_order_relaxed);
    return;
  }
  const contentment so(!nodes.is_named());  // the default options are content with what the system grants
  const pooled_block got = pools->take(node, of.bytes);
  of.data = got.data;
  of.chunk = got.chunk;
  of.pools = pools;
  of.node.store(static_cast<int>(index_of_id(got.node)), detail::seam::memory_order_relaxed);
}

}  // namespace

void take_memory(buffer_state& of) {
  if (of.bytes != 0 && of.data == nullptr) take_from_heap(of);
}

void take_memory_on(buffer_state& of, flow_nodes& nodes, node_id node) {
  using room = buffer_state::room;
  if (of.bytes == 0) return;
  for (room seen = room::none; !of.taken.compare_exchange_strong(seen, room::coming, detail::seam::memory_order_acquire,
                                                                 detail::seam::memory_order_acquire);
       seen = room::none) {
    if (seen == room::there) return;  // acquire: pairs with the release below
    detail::seam::yield();            // another thread is taking it, which takes a microsecond
  }
  try {
    take_on(of, nodes, node);
  } catch (...) {
    of.taken.store(room::none, detail::seam::memory_order_release);
    throw;
  }
  of.taken.store(room::there, detail::seam::memory_order_release);
}

}  // namespace nearfork

namespace nearfork::detail {

void buffer_state::destroy() noexcept {
  const int on = node.load(seam::memory_order_relaxed);
  if (pools != nullptr) pools->give_back({data, chunk, node_id{static_cast<std::uint32_t>(on)}});
  else ::operator delete(data, std::align_val_t{alignment});
  delete this;
}

}  // namespace nearfork::detail
