#include "memory/pools/buffer_pools.hpp"

#include <cerrno>
#include <mutex>
#include <new>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

#include "base/fork_order.hpp"
#include "base/made_once.hpp"
#include "base/text/message_text.hpp"
#include "machine/model/machine.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {
namespace {

/// A chunk is cut into blocks of one class. Of the size of a huge page, so that small classes ask the system seldom.
constexpr std::size_t least_chunk_bytes = std::size_t{2} << 20;
/// Unused chunks that a node keeps, at most: eight of the largest class.
constexpr std::size_t most_reserve_bytes = std::size_t{64} << 20;

constexpr std::size_t class_bytes(unsigned of) noexcept {
  return smallest_buffer_bytes << of;
}

constexpr std::size_t chunk_bytes_for(std::size_t bytes) noexcept {
  if (const auto of = buffer_class_for(bytes)) return std::max(class_bytes(*of), least_chunk_bytes);
  return (bytes + least_chunk_bytes - 1) / least_chunk_bytes * least_chunk_bytes;
}

}  // namespace

/// Guarded by the lock of its node's pool, but for the node.
struct buffer_pools::chunk {
  chunk(node_id of, std::byte* at, std::size_t size) : node(of), start(at), bytes(size) {}

  /// An unused chunk becomes one with blocks of this size.
  void cut(std::size_t block) {
    block_bytes = block;
    fresh = 0;
    free.clear();
    free.reserve(bytes / block);  // so that giving back needs no memory
  }
  [[nodiscard]] bool has_room() const noexcept { return !free.empty() || (fresh + 1) * block_bytes <= bytes; }
  [[nodiscard]] std::byte* take() noexcept {
    ++out;
    if (free.empty()) return start + fresh++ * block_bytes;
    std::byte* const block = start + free.back() * block_bytes;
    free.pop_back();
    return block;
  }
  void give_back(const std::byte* block) noexcept {
    --out;
    free.push_back(static_cast<std::uint32_t>(static_cast<std::size_t>(block - start) / block_bytes));
  }

  const node_id node;
  std::byte* start;
  const std::size_t bytes;
  std::size_t block_bytes = 0;
  std::size_t fresh = 0;  // blocks that were ever taken since the chunk was cut
  std::size_t out = 0;    // blocks in use
  std::vector<std::uint32_t> free;
};

buffer_pools::node_pool::~node_pool() = default;

buffer_pools::buffer_pools(std::unique_ptr<chunk_source> source, nodes_by_distance nearest, strict_now strict)
    : strict_(strict),
      nearest_(std::move(nearest)),
      source_(std::move(source)),
      nodes_(std::make_unique<node_pool[]>(nearest_.size())) {
  if (nearest_.empty()) throw error("pools of buffers: the machine has no memory node: describe it with one at least");
  for (std::size_t i = 0; i < nearest_.size(); ++i) {
    nodes_[i].with_room.resize(buffer_classes);
    nodes_[i].reserve.reserve(most_reserve_bytes / least_chunk_bytes);
    nodes_[i].facts.node = node_id{static_cast<std::uint32_t>(i)};
  }
}

buffer_pools::~buffer_pools() {
  for (std::size_t i = 0; i < nearest_.size(); ++i)
    for (const auto& one : nodes_[i].reserve) source_->give_back(one->start, one->bytes);
}

pooled_block buffer_pools::take(node_id node, std::size_t bytes) {
  node_pool& wanted = nodes_[index_of_id(node)];
  for (const node_id from : nearest_.at(index_of_id(node))) {
    if (const auto block = take_from(nodes_[index_of_id(from)], bytes)) {
      count_block();
      if (from == node) return *block;
      const std::lock_guard guard(wanted.lock);
      ++wanted.facts.elsewhere;
      wanted.facts.elsewhere_at = used_memory.count_shortfall();
      return *block;
    }
    if (is_strict()) throw_refused(wanted, bytes);
  }
  throw std::bad_alloc();
}

std::optional<pooled_block> buffer_pools::take_from(node_pool& pool, std::size_t bytes) {
  const std::lock_guard guard(pool.lock);
  const auto in_class = buffer_class_for(bytes);
  if (in_class && !pool.with_room[*in_class].empty()) {
    chunk& from = *pool.with_room[*in_class].back();
    pooled_block block{from.take(), &from, from.node};
    if (!from.has_room()) pool.with_room[*in_class].pop_back();
    return block;
  }
  std::unique_ptr<chunk> made = chunk_for(pool, bytes);
  if (made == nullptr) return std::nullopt;
  try {
    made->cut(in_class ? class_bytes(*in_class) : made->bytes);
    if (in_class) make_room_in(pool.with_room[*in_class], pool.facts.taken - pool.facts.given_back);
  } catch (const std::bad_alloc&) {
    put_aside(pool, std::move(made));
    throw;
  }
  pooled_block block{made->take(), made.get(), made->node};
  chunk* const kept = made.release();  // until its last block returns
  if (in_class && kept->has_room()) pool.with_room[*in_class].push_back(kept);
  return block;
}

/// For all chunks of the node, so that giving a block back needs no memory.
void buffer_pools::make_room_in(std::vector<chunk*>& list, std::size_t chunks) {
  if (list.capacity() < chunks) list.reserve(2 * chunks);
}

/// An unused chunk, from the reserve or from the system. nullptr: the node has no room, or, if strict, no binding.
std::unique_ptr<buffer_pools::chunk> buffer_pools::chunk_for(node_pool& pool, std::size_t bytes) {
  const std::size_t wanted = chunk_bytes_for(bytes);
  for (std::size_t i = pool.reserve.size(); i-- > 0;) {
    if (pool.reserve[i]->bytes != wanted) continue;
    std::unique_ptr<chunk> again = std::move(pool.reserve[i]);
    pool.reserve.erase(pool.reserve.begin() + static_cast<std::ptrdiff_t>(i));
    pool.reserve_bytes -= wanted;
    return again;
  }
  auto record = std::make_unique<chunk>(pool.facts.node, nullptr, wanted);
  auto made = source_->take(pool.facts.node, wanted, least_chunk_bytes);
  const bool unbound = made.start != nullptr && made.binding == span_binding::first_touch;
  if (unbound && is_strict()) source_->give_back(std::exchange(made.start, nullptr), wanted);
  if (made.start == nullptr) {
    ++pool.facts.refused;
    pool.facts.refusal_errno = made.errno_value;
    return nullptr;
  }
  if (unbound) {
    ++pool.facts.first_touch;
    pool.facts.binding_errno = made.errno_value;
    pool.facts.first_touch_at = used_memory.count_shortfall();
  }
  ++pool.facts.taken;
  pool.facts.bytes += wanted;
  record->start = made.start;
  return record;
}

void buffer_pools::give_back(const pooled_block& block) noexcept {
  blocks_.fetch_sub(1, seam::memory_order_relaxed);
  auto& of = *static_cast<chunk*>(block.chunk);
  node_pool& pool = nodes_[index_of_id(of.node)];
  const std::lock_guard guard(pool.lock);
  const bool had_room = of.has_room();
  of.give_back(block.data);
  const auto in_class = buffer_class_for(of.block_bytes);
  if (of.out == 0) {
    if (in_class && had_room) std::erase(pool.with_room[*in_class], &of);
    return put_aside(pool, std::unique_ptr<chunk>(&of));
  }
  if (in_class && !had_room) pool.with_room[*in_class].push_back(&of);  // take_from() made room
}

void buffer_pools::put_aside(node_pool& pool, std::unique_ptr<chunk> unused) noexcept {
  const std::size_t bytes = unused->bytes;
  if (bytes <= largest_pooled_bytes && pool.reserve_bytes + bytes <= most_reserve_bytes) {
    pool.reserve.push_back(std::move(unused));
    pool.reserve_bytes += bytes;
    return;
  }
  source_->give_back(unused->start, bytes);
  ++pool.facts.given_back;
  pool.facts.bytes -= bytes;
}

void buffer_pools::count_block() noexcept {
  const std::uint64_t now = blocks_.fetch_add(1, seam::memory_order_relaxed) + 1;
  std::uint64_t most = most_blocks_.load(seam::memory_order_relaxed);
  while (now > most &&
         !most_blocks_.compare_exchange_weak(most, now, seam::memory_order_relaxed, seam::memory_order_relaxed)) {
  }
}

void buffer_pools::throw_refused(node_pool& pool, std::size_t bytes) const {
  int cause = 0;
  {
    const std::lock_guard guard(pool.lock);
    cause = pool.facts.refusal_errno;
  }
  throw error("nearfork: strict mode, and a buffer of " + std::to_string(bytes) +
              " bytes cannot be had on memory node " + std::to_string(index_of_id(pool.facts.node)) +
              (cause == ENOMEM ? ": it has no room: free memory there, or leave strict mode to use the next nearest"
                               : ": the system does not bind to it: " + with_number(cause) +
                                     "; allow CAP_SYS_NICE, or a seccomp profile with mbind (nearfork doctor)"));
}

std::vector<buffer_pool_facts> buffer_pools::facts() const {
  std::vector<buffer_pool_facts> all;
  for (std::size_t i = 0; i < nearest_.size(); ++i) {
    const std::lock_guard guard(nodes_[i].lock);
    all.push_back(nodes_[i].facts);
  }
  return all;
}

std::vector<memory_shortfall> buffer_pools::shortfalls(const machine& where) const {
  std::vector<memory_shortfall> made;
  for (const buffer_pool_facts& one : facts()) {
    const std::string node = "node " + std::to_string(number_of(where.at(one.node).os));
    if (one.elsewhere > 0)
      made.push_back({.what = std::to_string(one.elsewhere) + " buffers lie on another node",
                      .where = node,
                      .why = "it has no room: " + with_number(one.refusal_errno),
                      .remedy = "free memory there, or let buffers end earlier",
                      .at = one.elsewhere_at});
    if (one.first_touch > 0)
      made.push_back({.what = "pages of buffers are not bound, but left to first touch",
                      .where = node,
                      .why = with_number(one.binding_errno),
                      .remedy = "containers forbid mbind: allow CAP_SYS_NICE, or a seccomp profile with mbind",
                      .at = one.first_touch_at});
  }
  return made;
}

void buffer_pools::before_fork() noexcept {
  for (std::size_t i = 0; i < nearest_.size(); ++i) nodes_[i].lock.lock();
}
void buffer_pools::after_fork() noexcept {
  for (std::size_t i = nearest_.size(); i-- > 0;) nodes_[i].lock.unlock();
}

namespace {

constexpr fork_handlers pools_around_fork{[]() noexcept { process_buffer_pools().before_fork(); },
                                          []() noexcept { process_buffer_pools().after_fork(); }};

struct shared_pools {
  explicit shared_pools(const machine& where)
      : pools(system_chunks(where, live_os_memory()), nearest_nodes(where),
              []() noexcept { return used_memory.is_strict(); }) {
    call_around_fork(fork_rank::buffer_pools, pools_around_fork);
  }
  buffer_pools pools;
};

}  // namespace

buffer_pools& process_buffer_pools() {
  static constinit made_once<shared_pools> shared;
  return shared.get([] { return shared_pools(*live_machine()); }).pools;
}

}  // namespace nearfork
