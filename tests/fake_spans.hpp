// A span source with nodes of given size. The spans are memory of this process, on whatever node; the fake records
// which node each span counts for.
#pragma once

#include <gtest/gtest.h>

#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <new>
#include <numeric>
#include <utility>
#include <vector>

#include "memory/pools/node_pools.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork::test {

/// The state that tests look at; it outlives the pools that own the source. Thread-safe.
struct fake_books {
  std::mutex mutex;
  std::vector<std::size_t> room;  // spans that each node still has
  std::map<void*, node_id> out;   // spans that were taken and not given back
  std::uint64_t taken = 0;
  bool binds = true;  // false: acts like a container that forbids mbind

  [[nodiscard]] std::size_t spans_out() {
    const std::lock_guard guard(mutex);
    return out.size();
  }
  [[nodiscard]] std::uint64_t spans_taken() {
    const std::lock_guard guard(mutex);
    return taken;
  }
  /// The node of the span that holds [block, block + bytes); fails the test if no span does.
  [[nodiscard]] node_id node_holding(const void* block, std::size_t bytes) {
    const std::lock_guard guard(mutex);
    auto after = out.upper_bound(const_cast<void*>(block));
    if (after == out.begin()) {
      ADD_FAILURE() << block << " is below all spans";
      return {};
    }
    const auto& [start, node] = *--after;
    EXPECT_LE(static_cast<const std::byte*>(block) + bytes, static_cast<std::byte*>(start) + span_bytes)
        << "the block reaches out of its span";
    return node;
  }
};

class fake_spans final : public span_source {
 public:
  explicit fake_spans(std::shared_ptr<fake_books> books) : books_(std::move(books)) {}

  taken_span take(node_id node) noexcept override {
    const std::lock_guard guard(books_->mutex);
    std::size_t& room = books_->room.at(index_of_id(node));
    if (room == 0) return {.errno_value = ENOMEM};
    void* const start = ::operator new(span_bytes, std::align_val_t{span_bytes}, std::nothrow);
    if (start == nullptr) return {.errno_value = ENOMEM};
    --room;
    ++books_->taken;
    books_->out.emplace(start, node);
    if (books_->binds) return {.start = start};
    return {start, span_binding::first_touch, EPERM};
  }

  void give_back(void* start) noexcept override {
    const std::lock_guard guard(books_->mutex);
    const auto found = books_->out.find(start);
    if (found == books_->out.end()) {
      ADD_FAILURE() << start << " was given back twice, or was never taken";
      return;
    }
    ++books_->room.at(index_of_id(found->second));
    books_->out.erase(found);
    ::operator delete(start, std::align_val_t{span_bytes});
  }

 private:
  std::shared_ptr<fake_books> books_;
};

/// Pools on nodes in a row, each with `spans_of_nodes` spans; a node's nearest nodes are the next ones in the row.
class fake_pools {
 public:
  explicit fake_pools(std::vector<std::size_t> spans_of_nodes, strict_now strict = nullptr)
      : books(std::make_shared<fake_books>()) {
    nodes_by_distance nearest(spans_of_nodes.size());
    for (std::size_t from = 0; from < nearest.size(); ++from)
      for (std::size_t i = 0; i < nearest.size(); ++i)
        nearest[from].push_back(node_id(static_cast<std::uint32_t>((from + i) % nearest.size())));
    books->room = std::move(spans_of_nodes);
    pools = std::make_unique<node_pools>(std::make_unique<fake_spans>(books), std::move(nearest), strict);
  }
  node_pools* operator->() const noexcept { return pools.get(); }

  std::shared_ptr<fake_books> books;
  std::unique_ptr<node_pools> pools;
};

}  // namespace nearfork::test
