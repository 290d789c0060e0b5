#include "runtime/webs/buffer_memory.hpp"

#include <algorithm>
#include <new>

#include <nearfork/detail/memory.hpp>

#include "base/sanitizer_calls.hpp"
#include "memory/allocation/small_blocks.hpp"
#include "memory/pools/buffer_pools.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

using detail::buffer_place;
using detail::buffer_state;

namespace {

/// The heap rounds blocks of few bytes up to 32, with a header in front of each; the pools to 16, 32 and 64.
constexpr std::size_t most_small_bytes = 64;

[[nodiscard]] constexpr bool is_small(std::size_t bytes, std::size_t alignment) noexcept {
  return std::max(bytes, alignment) <= most_small_bytes;
}

/// Near the calling thread, but nobody insists on that.
[[nodiscard]] void* take_small(std::size_t bytes, std::size_t alignment) {
  const contentment so(true);
  void* const made = allocate_small(bytes, alignment, detail::default_memory_options());
  if (made == nullptr) throw std::bad_alloc();
  return made;
}

[[nodiscard]] constexpr std::size_t bytes_with(buffer_state::placing place) noexcept {
  return sizeof(buffer_state) + (place == buffer_state::placing::known ? sizeof(buffer_place) : 0);
}

void take_from_heap(buffer_state& of) {
  of.data = take_data(of.bytes, of.alignment());
}

void take_on(buffer_state& of, flow_nodes& nodes, node_id node) {
  buffer_place* const place = of.place();
  buffer_pools* const pools = nodes.memory();
  if (place == nullptr || pools == nullptr) {
    take_from_heap(of);
    if (place != nullptr) place->node.store(static_cast<int>(index_of_id(node)), detail::seam::memory_order_relaxed);
    return;
  }
  const contentment so(!nodes.is_named());  // the default options are content with what the system grants
  const pooled_block got = pools->take(node, of.bytes);
  of.data = got.data;
  place->chunk = got.chunk;
  place->pools = pools;
  place->node.store(static_cast<int>(index_of_id(got.node)), detail::seam::memory_order_relaxed);
}

/// A block that shares its pages with others has no node that would be known.
[[nodiscard]] buffer_state::placing placing_of(std::size_t bytes, std::size_t alignment,
                                               const flow_nodes* nodes) noexcept {
  const bool is_known = nodes != nullptr && (nodes->memory() == nullptr || buffer_pools::serves(bytes, alignment));
  return is_known ? buffer_state::placing::known : buffer_state::placing::unknown;
}

}  // namespace

std::byte* take_data(std::size_t bytes, std::size_t alignment) {
  if (is_small(bytes, alignment)) return static_cast<std::byte*>(take_small(bytes, alignment));
  if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) return static_cast<std::byte*>(::operator new(bytes));
  return static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}));
}

void give_data(std::byte* data, std::size_t bytes, std::size_t alignment) noexcept {
  if (data == nullptr) return;
  if (is_small(bytes, alignment)) free_small(data, bytes);
  else if (alignment <= __STDCPP_DEFAULT_NEW_ALIGNMENT__) ::operator delete(data);
  else ::operator delete(data, std::align_val_t{alignment});
}

buffer_state& make_buffer_state(detail::graph_id graph, std::size_t bytes, std::size_t alignment,
                                const call_site& where, const flow_nodes* nodes) {
  const auto place = placing_of(bytes, alignment, nodes);
  void* const block = take_small(bytes_with(place), alignof(buffer_state));
  auto& made = *::new (block) buffer_state(graph, bytes, alignment, where, place);
  if (place == buffer_state::placing::known) ::new (&made + 1) buffer_place();
  return made;
}

detail::buffer_notes& notes_of(buffer_state& of) {
  if (of.notes == nullptr) of.notes = new detail::buffer_notes();
  return *of.notes;
}

std::optional<node_id> node_of(buffer_state& of) noexcept {
  const buffer_place* const place = of.place();
  const int node = place == nullptr ? -1 : place->node.load(detail::seam::memory_order_relaxed);
  return node < 0 ? std::nullopt : std::optional(node_id{static_cast<std::uint32_t>(node)});
}

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

void buffer_state::let_go() noexcept {
  if (drop_holder()) destroy();
}

/// The last holder frees what another one allocated and read: a sanitizer does not see how the count orders that.
bool buffer_state::drop_holder() noexcept {
  sanitizers::hand_over(this);
  if (!holders_.let_go()) return false;
  sanitizers::take_over(this);
  return true;
}

void buffer_state::destroy() noexcept {
  const buffer_place* const own = place();
  if (own != nullptr && own->pools != nullptr) {
    const int on = own->node.load(seam::memory_order_relaxed);
    own->pools->give_back({data, own->chunk, node_id{static_cast<std::uint32_t>(on)}});
  } else {
    give_data(data, bytes, alignment());
  }
  delete notes;
  const std::size_t block = bytes_with(place_);
  this->~buffer_state();
  free_small(this, block);
}

}  // namespace nearfork::detail
