#include "runtime/cells/cell_index.hpp"

#include <gtest/gtest.h>

#include <cstdint>
#include <iterator>
#include <map>
#include <random>
#include <vector>

namespace nearfork {
namespace {

struct place {
  std::uintptr_t begin = 0;
};

/// An index beside a map.
class index_under_test {
 public:
  void insert(std::uintptr_t begin) {
    const auto [at, is_new] = all_.try_emplace(begin, place{begin});
    if (is_new) index_.insert(at->second);
  }
  void erase(std::uintptr_t begin) {
    const auto at = all_.find(begin);
    if (at == all_.end()) return;
    index_.erase(at->second);
    all_.erase(at);
  }
  void clear() {
    index_.clear();
    all_.clear();
  }
  void expect_right(std::uintptr_t begin) {
    const auto behind = all_.upper_bound(begin);
    const place* const expected = behind == all_.begin() ? nullptr : &std::prev(behind)->second;
    ASSERT_EQ(index_.last_until(begin), expected) << begin;
  }
  void expect_right_everywhere() {
    for (const auto& [begin, each] : all_)
      for (const std::uintptr_t asked : {begin - 1, begin, begin + 1}) expect_right(asked);
  }
  [[nodiscard]] const std::map<std::uintptr_t, place>& all() const { return all_; }

 private:
  web_memory memory_;
  cell_index<place>::parts parts_{memory_};
  cell_index<place> index_{parts_};
  std::map<std::uintptr_t, place> all_;
};

/// 32 places fill a leaf, and 1024 a branch.
constexpr std::uintptr_t some_branches = 10'000;

TEST(cell_index, finds_places_that_come_in_any_order) {
  for (unsigned seed = 0; seed < 4; ++seed) {
    std::mt19937 random(seed);
    std::uniform_int_distribution<std::uintptr_t> any(1, 40 * some_branches);
    index_under_test tested;
    for (std::uintptr_t i = 0; i < some_branches; ++i) {
      tested.insert(any(random));
      tested.expect_right(any(random));
    }
    tested.expect_right_everywhere();
    for (std::uintptr_t i = 0; i < 2 * some_branches; ++i) {  // half of them go, and some come
      const auto next = tested.all().lower_bound(any(random));
      if (next != tested.all().end() && i % 3 != 0) tested.erase(next->first);
      else tested.insert(any(random));
      tested.expect_right(any(random));
    }
    tested.expect_right_everywhere();
    while (!tested.all().empty()) {
      const auto next = tested.all().lower_bound(any(random));
      if (next != tested.all().end()) tested.erase(next->first);
      else tested.erase(tested.all().begin()->first);
      tested.expect_right(any(random));
    }
    for (std::uintptr_t i = 0; i < 100; ++i) tested.insert(any(random));
    tested.expect_right_everywhere();
    tested.clear();
    tested.expect_right(any(random));
  }
}

TEST(cell_index, finds_arrays_that_are_named_in_turn) {
  for (const int arrays : {1, 2, 3, 4, 7}) {
    for (const bool upwards : {true, false}) {
      index_under_test tested;
      for (std::uintptr_t i = 0; i < some_branches / 2; ++i)
        for (int array = 0; array < arrays; ++array) {
          const std::uintptr_t at = upwards ? i : some_branches - i;
          tested.insert(static_cast<std::uintptr_t>(array + 1) * 1'000'000 + at * 8);
        }
      tested.expect_right_everywhere();
    }
  }
}

TEST(cell_index, drops_places_in_order) {
  index_under_test tested;
  for (int round = 0; round < 2; ++round) {
    for (std::uintptr_t i = 1; i <= some_branches; ++i) tested.insert(i * 8);
    for (std::uintptr_t i = 1; i <= some_branches; ++i) {
      tested.erase((round == 0 ? i : some_branches + 1 - i) * 8);
      tested.expect_right(i * 8);
      tested.expect_right(some_branches * 4);
    }
  }
}

}  // namespace
}  // namespace nearfork
