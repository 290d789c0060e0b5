// Random sequences of a user's calls of pools, checked against a model: a map of the blocks in use.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <new>
#include <numeric>
#include <thread>
#include <vector>

#include "tests/fake_spans.hpp"

namespace {

using namespace nearfork;
using test::fake_pools;

struct block {
  std::size_t bytes;
  unsigned char stamp;
};

class book_keeper {
 public:
  explicit book_keeper(std::vector<std::size_t> spans_of_nodes) : pools_(std::move(spans_of_nodes)) {}

  void allocate(node_id node, std::size_t bytes, std::size_t alignment) {
    void* made = nullptr;
    try {
      made = pools_->allocate(node, bytes, alignment);
    } catch (const std::bad_alloc&) {
      RC_ASSERT(pools_.books->spans_out() == all_spans_);
      return;
    }
    RC_ASSERT(reinterpret_cast<std::uintptr_t>(made) % block_bytes(class_for(bytes, alignment)) == 0U);
    RC_ASSERT(!overlaps_another(made, bytes));
    RC_ASSERT(node_pools::node_of(made) == pools_.books->node_holding(made, bytes));
    ++stamp_;
    std::memset(made, stamp_, bytes);
    live_.emplace(made, block{bytes, stamp_});
  }

  void release(std::size_t which) {
    if (live_.empty()) return;
    const auto one = std::next(live_.begin(), static_cast<std::ptrdiff_t>(which % live_.size()));
    release_at(one);
  }
  void release_many_in_another_thread(std::size_t first, std::size_t count) {
    std::thread([&] {
      for (std::size_t i = 0; i < count; ++i) release(first);
    }).join();
  }
  void release_all() {
    while (!live_.empty()) release_at(live_.begin());
  }
  void give_back() { pools_->give_back(); }
  void no_span_is_out() { RC_ASSERT(pools_.books->spans_out() == 0U); }
  void set_all_spans(std::size_t number) { all_spans_ = number; }

 private:
  using blocks = std::map<void*, block>;

  void release_at(blocks::iterator one) {
    const auto* const bytes = static_cast<const unsigned char*>(one->first);
    for (std::size_t i = 0; i < one->second.bytes; ++i) whole_ = whole_ && bytes[i] == one->second.stamp;
    RC_ASSERT(whole_);
    pools_->deallocate(one->first, one->second.bytes);
    live_.erase(one);
  }
  [[nodiscard]] bool overlaps_another(void* made, std::size_t bytes) const {
    const auto end_of = [](const auto& one) {
      return static_cast<std::byte*>(one.first) + std::max<std::size_t>(one.second.bytes, 1);
    };
    const auto next = live_.lower_bound(made);
    if (next != live_.end() && static_cast<std::byte*>(made) + std::max<std::size_t>(bytes, 1) > next->first)
      return true;
    return next != live_.begin() && end_of(*std::prev(next)) > made;
  }

  fake_pools pools_;
  blocks live_;
  unsigned char stamp_ = 0;
  bool whole_ = true;
  std::size_t all_spans_ = 0;
};

RC_GTEST_PROP(node_pools_property, no_block_is_double_or_lost_and_all_spans_go_back, ()) {
  const auto spans = *rc::gen::container<std::vector<std::size_t>>(3, rc::gen::inRange<std::size_t>(0, 12));
  book_keeper keeper(spans);
  keeper.set_all_spans(std::accumulate(spans.begin(), spans.end(), std::size_t{0}));
  const auto steps = *rc::gen::inRange(1, 400);
  for (int i = 0; i < steps; ++i) {
    const int act = *rc::gen::inRange(0, 20);
    if (act < 12) {
      const auto node = node_id(*rc::gen::inRange(0U, 3U));
      const auto bits = *rc::gen::inRange(0, 17);
      const auto bytes = *rc::gen::inRange<std::size_t>(0, (std::size_t{1} << bits) + 1);
      keeper.allocate(node, bytes, std::size_t{1} << *rc::gen::inRange(0, 17));
    } else if (act < 17) {
      keeper.release(*rc::gen::arbitrary<std::size_t>());
    } else if (act < 19) {
      keeper.release_many_in_another_thread(*rc::gen::arbitrary<std::size_t>(), *rc::gen::inRange<std::size_t>(1, 40));
    } else {
      keeper.give_back();
    }
  }
  keeper.release_all();
  keeper.give_back();
  keeper.no_span_is_out();
}

}  // namespace
