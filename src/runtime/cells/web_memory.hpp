// The memory that the small pieces of one graph lie in. Nothing is given back before the graph ends.
#pragma once

#include <algorithm>
#include <cstddef>
#include <span>
#include <utility>

#include "runtime/protocols/chunk_reserve.hpp"

namespace nearfork {

class web_memory {
 public:
  /// `reserve`: nullptr, or where chunks come from and go to. It outlives this.
  explicit web_memory(chunk_reserve* reserve = nullptr) noexcept : reserve_(reserve) {}
  web_memory(const web_memory&) = delete;
  web_memory& operator=(const web_memory&) = delete;
  ~web_memory() {
    if (reserve_ != nullptr) reserve_->give(chunks_);
    else chunk_reserve::drop(chunks_);
  }

  static constexpr std::size_t alignment = 16;
  /// From `least` to `most` bytes, which are multiples of the alignment. Throws std::bad_alloc.
  [[nodiscard]] std::span<std::byte> take(std::size_t least, std::size_t most) {
    if (left_.size() < least) add_chunk();
    const std::span<std::byte> taken = left_.first(std::min(most, left_.size()));
    left_ = left_.subspan(taken.size());
    return taken;
  }

 private:
  using chunk = chunk_reserve::chunk;
  static_assert(sizeof(chunk) <= alignment);

  void add_chunk() {
    chunk_reserve unkept;
    chunk* const made = (reserve_ != nullptr ? *reserve_ : unkept).take();
    made->next = std::exchange(chunks_, made);
    auto* const begin = reinterpret_cast<std::byte*>(made);
    left_ = {begin + alignment, begin + chunk_reserve::chunk_bytes};
  }

  chunk_reserve* const reserve_;
  chunk* chunks_ = nullptr;
  std::span<std::byte> left_;  // of the newest one
};

}  // namespace nearfork
