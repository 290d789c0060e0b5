// A span of memory on one node, cut into blocks of one class. Its header is in its first page. Masking the address of
// any of its blocks gives the header.
//
// Why there is no header per block, as in OpenStream's pools: that was 1.6 times slower (15 instead of 9 ns a block for
// 64 MiB of 32-byte blocks freed in random order, 1.6 instead of 0.8 ns for 8 MiB), because each free reads a cache
// line that is used for nothing else. Up to 65280 blocks share the line of a span. And blocks keep their alignment.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <new>

#include <nearfork/detail/seam.hpp>

#include "base/ids.hpp"
#include "memory/pools/node_pools_returns.hpp"
#include "memory/pools/size_class.hpp"
#include "memory/system/poison.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork {

/// The place of a node and class: of their magazines and of their pool. There are nodes times classes places, padded to
/// a power of two.
using pool_place = std::uint32_t;
inline constexpr std::uint32_t places_per_node = 16;
static_assert(size_classes <= places_per_node);

[[nodiscard]] constexpr pool_place place_of(node_id node, size_class of) noexcept {
  return static_cast<std::uint32_t>(node) * places_per_node + index_of(of);
}
[[nodiscard]] constexpr node_id node_of_place(pool_place place) noexcept {
  return static_cast<node_id>(place / places_per_node);
}
[[nodiscard]] constexpr size_class class_of_place(pool_place place) noexcept {
  return static_cast<size_class>(place % places_per_node);
}

/// How many blocks travel together: 32 KiB of them, so that the transfer costs a fraction of a nanosecond per block. At
/// most 128, because a thread keeps a batch of each class, and at least two.
[[nodiscard]] constexpr std::uint32_t batch_blocks(size_class of) noexcept {
  return static_cast<std::uint32_t>(std::clamp<std::size_t>((std::size_t{32} << 10) / block_bytes(of), 2, 128));
}

class pool_span {
 public:
  /// Makes the header of an unused span. `start`: as span_source returned it.
  static pool_span& open(void* start, std::uint64_t pools, pool_place place) noexcept {
    auto* made = ::new (header_at(reinterpret_cast<std::uintptr_t>(start))) pool_span(pools, place);
    std::byte* const first = static_cast<std::byte*>(start) + first_block(made->block_bytes_);
    poison::close(first, static_cast<std::size_t>(static_cast<std::byte*>(start) + span_bytes - first));
    return *made;
  }
  /// The span of a block that a pool gave out.
  [[nodiscard]] static pool_span& of(const void* block) noexcept {
    return *static_cast<pool_span*>(header_at(reinterpret_cast<std::uintptr_t>(start_of(block))));
  }
  [[nodiscard]] static void* start_of(const void* block) noexcept {
    return reinterpret_cast<void*>(reinterpret_cast<std::uintptr_t>(block) & ~(span_bytes - 1));
  }

  [[nodiscard]] void* start() noexcept { return start_of(this); }
  [[nodiscard]] std::uint64_t pools() const noexcept { return pools_; }
  [[nodiscard]] pool_place place() const noexcept { return place_; }
  [[nodiscard]] std::uint32_t batch() const noexcept { return batch_; }
  [[nodiscard]] std::uint32_t bytes_of_block() const noexcept { return block_bytes_; }

  // Call what follows under the lock of the span's class pool.

  [[nodiscard]] bool has_room() const noexcept { return out_ < blocks_; }
  [[nodiscard]] bool is_unused() const noexcept { return out_ == 0; }
  /// The span must have a free block.
  [[nodiscard]] pool_block* take() noexcept {
    ++out_;
    pool_block* block = free_;
    if (block == nullptr) return carve();
    free_ = block->next;
    return block;
  }
  void put_back(pool_block* block) noexcept {
    --out_;
    block->next = free_;
    free_ = block;
  }

 private:
  friend class span_list;

  // Headers begin at one of 16 places of the first page, chosen by the span's address. At one fixed place all headers
  // would fall into one set of each cache (9.4 instead of 7.2 ns a block in the example above).
  static constexpr std::uintptr_t header_places = 16;
  static constexpr std::size_t header_room_bytes = 256;
  static constexpr std::size_t header_page_bytes = header_places * header_room_bytes;

  static void* header_at(std::uintptr_t start) noexcept {
    return reinterpret_cast<void*>(start + (start / span_bytes % header_places) * header_room_bytes);
  }
  static constexpr std::size_t first_block(std::size_t bytes) noexcept { return std::max(bytes, header_page_bytes); }

  pool_span(std::uint64_t pools, pool_place place) noexcept
      : pools_(pools),
        place_(place),
        batch_(batch_blocks(class_of_place(place))),
        block_bytes_(static_cast<std::uint32_t>(nearfork::block_bytes(class_of_place(place)))),
        blocks_(static_cast<std::uint32_t>((span_bytes - first_block(block_bytes_)) / block_bytes_)) {}

  /// The next block that was never given out. Pages of a span are touched in order, and only when they are needed.
  pool_block* carve() noexcept {
    void* const at =
        static_cast<std::byte*>(start()) + first_block(block_bytes_) + std::size_t{carved_++} * block_bytes_;
    poison::open(at, sizeof(pool_block));
    return ::new (at) pool_block;
  }

  // Written before the first block is given out; read by all threads that free.
  std::uint64_t pools_;
  pool_place place_;
  std::uint32_t batch_;
  std::uint32_t block_bytes_;
  std::uint32_t blocks_;

  // Guarded by the class pool's lock.
  alignas(detail::cache_line_bytes) pool_block* free_ = nullptr;
  std::uint32_t out_ = 0;  // blocks at users, in magazines, and among the returned ones
  std::uint32_t carved_ = 0;
  pool_span* next_ = nullptr;
  pool_span* previous_ = nullptr;
};
static_assert(sizeof(pool_span) <= 256);
static_assert(sizeof(pool_block) <= smallest_block_bytes);

/// The spans of one pool. Those with a free block come first.
class span_list {
 public:
  [[nodiscard]] pool_span* front() const noexcept { return front_; }
  void push_front(pool_span& span) noexcept {
    span.previous_ = nullptr;
    span.next_ = front_;
    (front_ != nullptr ? front_->previous_ : back_) = &span;
    front_ = &span;
  }
  void push_back(pool_span& span) noexcept {
    span.next_ = nullptr;
    span.previous_ = back_;
    (back_ != nullptr ? back_->next_ : front_) = &span;
    back_ = &span;
  }
  void remove(pool_span& span) noexcept {
    (span.previous_ != nullptr ? span.previous_->next_ : front_) = span.next_;
    (span.next_ != nullptr ? span.next_->previous_ : back_) = span.previous_;
  }

 private:
  pool_span* front_ = nullptr;
  pool_span* back_ = nullptr;
};

}  // namespace nearfork
