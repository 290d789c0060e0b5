// What a dataflow task may call: over-aligned callables, and those that only an lvalue may call.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::in;
using nearfork::inout;
using nearfork::out;
using nearfork::test::with_workers;

/// As a closure that has captured a vector register.
struct alignas(64) lanes {
  double each[8] = {1, 2, 3, 4, 5, 6, 7, 8};
  [[nodiscard]] bool is_aligned() const noexcept {
    return reinterpret_cast<std::uintptr_t>(this) % alignof(lanes) == 0;
  }
};

class dataflow_callables : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, dataflow_callables, testing::Values(1U, 4U));

TEST_P(dataflow_callables, may_hide_their_address) {
  struct hidden {
    int* calls;
    void operator&() const = delete;
    void operator()() const { ++*calls; }
  };
  int calls = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.task({out(calls)}, hidden{&calls});
    graph.sync();
  });
  EXPECT_EQ(calls, 1);
}

TEST_P(dataflow_callables, may_be_over_aligned) {
  std::vector<double> data(8), copy(8);
  int misplaced = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    lanes given;
    graph.task({out(data)}, [&, given] {
      misplaced += given.is_aligned() ? 0 : 1;
      std::copy(given.each, given.each + 8, data.begin());
    });
    graph.task({in(data), out(copy)}, [&, given](std::span<const double> from, std::span<double> to) {
      misplaced += given.is_aligned() ? 0 : 1;
      for (std::size_t i = 0; i != 8; ++i) to[i] = from[i] * given.each[i];
    });
    graph.task({nearfork::weak_inout(copy)}, [&, given](nearfork::nested_tasks& inner) {
      misplaced += given.is_aligned() ? 0 : 1;
      inner.task({inout(copy)}, [&, given, moved = std::make_unique<int>(1)](std::span<double> all) {
        misplaced += given.is_aligned() ? 0 : 1;
        all[0] += *moved;
      });
    });
    graph.sync();
  });
  EXPECT_EQ(misplaced, 0);
  EXPECT_EQ(copy, (std::vector<double>{2, 4, 9, 16, 25, 36, 49, 64}));
}

TEST_P(dataflow_callables, over_aligned_ones_are_kept_and_destroyed) {
  const auto counter = std::make_shared<int>(0);
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.keep();
    int value = 0;
    graph.task({inout(value)}, [given = lanes(), counter] { *counter += given.is_aligned() ? 1 : 100; });
    graph.wait();
    graph.replay();
    graph.replay();
    graph.sync();
    EXPECT_EQ(counter.use_count(), 2);
  });
  EXPECT_EQ(counter.use_count(), 1);
  EXPECT_EQ(*counter, 3);
}

struct lvalue_only {
  void operator()(std::span<int> to) & { to[0] += 1; }
};
struct const_lvalue_only {
  void operator()(std::span<int> to) const& noexcept { to[0] += 10; }
};
struct lvalue_only_noexcept {
  void operator()(std::span<int> to) & noexcept { to[0] += 100; }
};
struct const_lvalue {
  void operator()(std::span<int> to) const& { to[0] += 1000; }
};
struct alignas(128) rvalue_only {
  int* counter;
  void operator()() && { *counter += 1; }
};

TEST_P(dataflow_callables, may_have_a_reference_qualifier) {
  std::vector<int> data(1);
  int calls = 0;
  runtime_.run([&] {
    nearfork::dataflow graph;
    graph.task({inout(data)}, lvalue_only());
    graph.task({inout(data)}, const_lvalue_only());
    graph.task({inout(data)}, lvalue_only_noexcept());
    graph.task({inout(data)}, const_lvalue());
    graph.task({inout(data)}, rvalue_only{&calls});
    graph.sync();
  });
  EXPECT_EQ(data[0], 1111);
  EXPECT_EQ(calls, 1);
}

// A tile whose pieces touch is one range. Its parts are ordered as those of any range.
TEST(dataflow_tiles, without_gaps_conflict_with_their_parts) {
  nearfork::runtime two(nearfork::test::with_workers(2));
  two.run([] {
    for (int round = 0; round < 200; ++round) {
      std::vector<int> data(64, -1);
      const std::span<int> first(data.data(), 8);
      nearfork::dataflow graph;
      graph.task({nearfork::out(first, 8, 8)}, [&] { std::ranges::fill(data, round); });
      graph.task({nearfork::inout(std::span(data).subspan(20, 3))}, [&] { data[21] += 1; });
      graph.task({nearfork::inout(first, 4, 16)}, [&] { data[16] += 2; });
      graph.task({nearfork::in(first, 8, 8)}, [&] {
        EXPECT_EQ(data[21], round + 1);
        EXPECT_EQ(data[16], round + 2);
      });
      graph.sync();
    }
  });
}

}  // namespace
