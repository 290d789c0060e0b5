// A program of any shape computes the same as its serial reading.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cstdint>
#include <functional>
#include <numeric>
#include <tuple>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

/// A program as a tree: each node does one thing with its children.
struct node {
  enum class kind : std::uint8_t { leaf, fork_two, fork_three, group, loop, reduce, thrower } does;
  std::uint32_t value;
  std::vector<node> children;
};

node random_node(std::uint64_t& seed, int depth) {
  const auto next = [&seed] { return (seed = seed * 6364136223846793005 + 1442695040888963407) >> 33; };
  node made{node::kind::leaf, static_cast<std::uint32_t>(next()), {}};
  if (depth == 0 || made.value % 5 == 0) return made;
  made.does = static_cast<node::kind>(1 + made.value % 6);
  for (std::uint32_t i = 0; i < 3; ++i) made.children.push_back(random_node(seed, depth - 1));
  return made;
}

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  return (a ^ b) * 0x9e3779b97f4a7c15 + (a >> 7);
}

/// The result of the serial reading.
std::uint64_t expected(const node& of) {
  std::uint64_t sum = of.value;
  if (of.does == node::kind::thrower) return mixed(sum, expected(of.children[0]));
  const std::size_t used = of.does == node::kind::fork_two ? 2 : of.children.size();
  for (std::size_t i = 0; i < used; ++i) sum = mixed(sum, expected(of.children[i]));
  return sum;
}

std::uint64_t computed(const node& of) {
  using nearfork::fork_join;
  const auto& c = of.children;
  std::vector<std::uint64_t> values(c.size());
  const auto fold = [&](std::size_t count) {
    return std::accumulate(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(count), std::uint64_t{of.value},
                           mixed);
  };
  switch (of.does) {
    case node::kind::leaf: return of.value;
    case node::kind::fork_two: {
      std::tie(values[0], values[1]) = fork_join([&] { return computed(c[0]); }, [&] { return computed(c[1]); });
      return fold(2);
    }
    case node::kind::fork_three:
      fork_join([&] { values[0] = computed(c[0]); }, [&] { values[1] = computed(c[1]); },
                [&] { values[2] = computed(c[2]); });
      return fold(3);
    case node::kind::group: {
      nearfork::task_group group;
      for (std::size_t i = 0; i < c.size(); ++i) group.spawn([&, i] { values[i] = computed(c[i]); });
      group.sync();
      return fold(3);
    }
    case node::kind::loop:
      nearfork::parallel_for(std::size_t{0}, c.size(), [&](std::size_t i) { values[i] = computed(c[i]); },
                             {.grain = 1});
      return fold(3);
    case node::kind::reduce:
      // Every leaf yields its number of children and stores their values aside. The sum shows that no leaf is missing.
      RC_ASSERT(nearfork::parallel_reduce_range(
                    std::size_t{0}, c.size(), std::size_t{0},
                    [&](std::size_t lo, std::size_t hi, std::size_t before) {
                      for (std::size_t i = lo; i != hi; ++i) values[i] = computed(c[i]);
                      return before + (hi - lo);
                    },
                    std::plus<>{}) == c.size());
      return fold(3);
    case node::kind::thrower: try { fork_join([&] { throw computed(c[0]); }, [&] { (void)computed(c[1]); });
      } catch (std::uint64_t thrown) {
        return mixed(of.value, thrown);
      }
      return 0;
  }
  return 0;
}

RC_GTEST_PROP(random_trees, compute_what_their_serial_reading_computes, ()) {
  auto seed = *rc::gen::arbitrary<std::uint64_t>();
  const auto workers = *rc::gen::inRange(1U, 6U);
  const node program = random_node(seed, *rc::gen::inRange(1, 6));
  nearfork::runtime runtime(nearfork::test::with_workers(workers, seed));
  RC_ASSERT(runtime.run([&] { return computed(program); }) == expected(program));
}

}  // namespace
