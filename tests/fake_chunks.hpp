// A source of chunks with nodes of given size, for pools of buffers. The chunks are memory of this process, on whatever
// node; the fake records which node each counts for, and where the program's own pages are said to lie.
#pragma once

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <utility>
#include <vector>

#include "memory/pools/buffer_pools.hpp"
#include "memory/system/chunk_source.hpp"

namespace nearfork::test {

/// The state that tests look at and change. Thread-safe.
struct chunk_books {
  std::mutex mutex;
  std::vector<std::size_t> room;                                     // bytes that each node still has
  std::map<std::byte*, std::pair<node_id, std::size_t>> out;         // chunks that were not given back
  std::map<const std::byte*, std::pair<node_id, std::size_t>> lies;  // the program's own ranges
  std::uint64_t asked = 0;                                           // pages whose place was asked for
  bool binds = true;
  int refuse_query = 0;

  void say_lies(const void* begin, std::size_t bytes, node_id node) {
    const std::lock_guard now(mutex);
    const auto* const at = static_cast<const std::byte*>(begin);
    std::erase_if(lies, [&](const auto& one) {  // memory that was freed meanwhile
      return one.first < at + bytes && at < one.first + one.second.second;
    });
    lies[at] = {node, bytes};
  }
  [[nodiscard]] std::size_t bytes_out(node_id node) {
    const std::lock_guard now(mutex);
    std::size_t sum = 0;
    for (const auto& [begin, one] : out) sum += one.first == node ? one.second : 0;
    return sum;
  }
  /// The node whose chunk holds the block; 999: none does.
  [[nodiscard]] std::uint32_t node_holding(const void* block) {
    const std::lock_guard now(mutex);
    auto* const at = static_cast<std::byte*>(const_cast<void*>(block));
    const auto after = out.upper_bound(at);
    if (after == out.begin()) return 999;
    const auto& [begin, one] = *std::prev(after);
    return at < begin + one.second ? static_cast<std::uint32_t>(one.first) : 999;
  }
};

class fake_chunks final : public chunk_source {
 public:
  explicit fake_chunks(std::shared_ptr<chunk_books> books) : books_(std::move(books)) {}

  taken_chunk take(node_id node, std::size_t bytes, std::size_t alignment) noexcept override {
    const std::lock_guard now(books_->mutex);
    std::size_t& room = books_->room.at(index_of_id(node));
    if (room < bytes) return {.errno_value = ENOMEM};
    auto* const start = static_cast<std::byte*>(::operator new(bytes, std::align_val_t{alignment}, std::nothrow));
    if (start == nullptr) return {.errno_value = ENOMEM};
    room -= bytes;
    books_->out[start] = {node, bytes};
    if (books_->binds) return {.start = start};
    return {start, span_binding::first_touch, EPERM};
  }
  void give_back(std::byte* start, std::size_t bytes) noexcept override {
    const std::lock_guard now(books_->mutex);
    const auto found = books_->out.find(start);
    if (found == books_->out.end() || found->second.second != bytes) std::terminate();  // twice, or never taken
    books_->room.at(index_of_id(found->second.first)) += bytes;
    books_->out.erase(found);
    ::operator delete(start, std::align_val_t{std::size_t{2} << 20});
  }
  page_place place_of(const void* address) noexcept override {
    const std::lock_guard now(books_->mutex);
    ++books_->asked;
    if (books_->refuse_query != 0) return {std::nullopt, books_->refuse_query};
    const auto* const at = static_cast<const std::byte*>(address);
    const auto after = books_->lies.upper_bound(at);
    if (after == books_->lies.begin()) return {};
    const auto& [begin, one] = *std::prev(after);
    return at < begin + one.second ? page_place{one.first} : page_place{};
  }

 private:
  std::shared_ptr<chunk_books> books_;
};

/// Pools on nodes in a row, each with so many bytes; the distance of two nodes is their gap.
inline std::unique_ptr<buffer_pools> pools_on(std::shared_ptr<chunk_books> books, std::vector<std::size_t> bytes,
                                              strict_now strict = nullptr) {
  nodes_by_distance nearest(bytes.size());
  const auto count = static_cast<std::uint32_t>(bytes.size());
  for (std::uint32_t from = 0; from < count; ++from)
    for (std::uint32_t gap = 0; gap < count; ++gap) {
      if (from + gap < count) nearest[from].push_back(node_id{from + gap});
      if (gap > 0 && from >= gap) nearest[from].push_back(node_id{from - gap});
    }
  books->room = std::move(bytes);
  return std::make_unique<buffer_pools>(std::make_unique<fake_chunks>(std::move(books)), std::move(nearest), strict);
}

}  // namespace nearfork::test
