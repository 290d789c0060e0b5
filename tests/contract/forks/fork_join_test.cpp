#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <variant>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::fork_join;
using nearfork::test::with_workers;

long fib(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return fib(n - 1); }, [n] { return fib(n - 2); });
  return a + b;
}

class fork_join_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, fork_join_with, testing::Values(1U, 2U, 5U));

TEST_P(fork_join_with, gives_what_the_serial_program_gives) {
  EXPECT_EQ(runtime_.run([] { return fib(20); }), 6765);
}

TEST_P(fork_join_with, returns_values_in_the_order_of_the_calls) {
  const auto [number, text] =
      runtime_.run([] { return fork_join([] { return 7; }, [] { return std::string("seven"); }); });
  EXPECT_EQ(number, 7);
  EXPECT_EQ(text, "seven");
}

TEST_P(fork_join_with, stands_in_a_monostate_for_void_and_returns_nothing_for_void_alone) {
  runtime_.run([] {
    static_assert(std::is_void_v<decltype(fork_join([] {}, [] {}))>);
    static_assert(std::is_same_v<decltype(fork_join([] {}, [] { return 1; })), std::tuple<std::monostate, int>>);
    EXPECT_EQ(std::get<1>(fork_join([] {}, [] { return 1; })), 1);
  });
}

TEST_P(fork_join_with, hands_references_and_move_only_values_through) {
  int target = 1;
  runtime_.run([&] {
    auto [reference, owner] = fork_join([&]() -> int& { return target; }, [] { return std::make_unique<int>(5); });
    reference = 9;
    EXPECT_EQ(*owner, 5);
  });
  EXPECT_EQ(target, 9);
}

TEST_P(fork_join_with, takes_large_and_non_trivial_closures) {
  std::array<long, 40> many{};
  many[39] = 4;
  const std::vector<int> heap(100, 1);
  const auto [a, b] = runtime_.run(
      [&] { return fork_join([many] { return many[39]; }, [heap] { return static_cast<long>(heap.size()); }); });
  EXPECT_EQ(a + b, 104);
}

TEST_P(fork_join_with, runs_more_than_two_children) {
  const auto sum = runtime_.run([] {
    const auto [a, b, c, d, e] = fork_join([] { return fib(10); }, [] { return fib(11); }, [] { return fib(12); },
                                           [] { return fib(13); }, [] { return fib(14); });
    return std::vector<long>{a, b, c, d, e};
  });
  EXPECT_EQ(sum, (std::vector<long>{55, 89, 144, 233, 377}));
}

TEST_P(fork_join_with, rethrows_the_first_childs_exception_once_and_skips_or_finishes_the_other) {
  for (int round = 0; round < 200; ++round) {
    std::atomic<int> started{0};
    std::atomic<int> finished{0};
    const auto program = [&] {
      fork_join([] { throw std::runtime_error("first"); },
                [&] {
                  started.fetch_add(1);
                  finished.fetch_add(1);
                });
    };
    try {
      runtime_.run(program);
      FAIL() << "nothing was thrown";
    } catch (const std::runtime_error& thrown) {
      EXPECT_STREQ(thrown.what(), "first");
    }
    EXPECT_EQ(started.load(), finished.load());
  }
}

TEST_P(fork_join_with, rethrows_the_second_childs_exception) {
  for (int round = 0; round < 200; ++round)
    EXPECT_THROW(runtime_.run([] { fork_join([] { fib(8); }, [] { throw std::logic_error("second"); }); }),
                 std::logic_error);
}

TEST_P(fork_join_with, lets_the_first_exception_win) {
  const auto thrown_by = [&](auto fork) {
    try {
      runtime_.run(fork);
    } catch (int which) {
      return which;
    }
    return 0;
  };
  for (int round = 0; round < 200; ++round) {
    // No child forks, so no child is cut short before it throws.
    EXPECT_EQ(thrown_by([] { fork_join([] { throw 1; }, [] { throw 2; }, [] { throw 3; }); }), 1);
    // The first child to throw may cut the others short.
    const int which = thrown_by([] {
      fork_join(
          [] {
            fib(6);
            throw 1;
          },
          [] {
            fib(6);
            throw 2;
          },
          [] {
            fib(6);
            throw 3;
          });
    });
    if (GetParam() == 1) EXPECT_EQ(which, 1);
    else EXPECT_TRUE(which >= 1 && which <= 3) << which;
  }
}

TEST_P(fork_join_with, drops_no_result_and_leaks_none_when_a_sibling_throws) {
  const auto alive = std::make_shared<int>(0);
  for (int round = 0; round < 200; ++round)
    EXPECT_THROW(runtime_.run([&] {
      fork_join(
          [&] {
            fib(5);
            if (alive) throw 1;
            return alive;
          },
          [&] { return alive; }, [&] { return alive; });
    }),
                 int);
  EXPECT_EQ(alive.use_count(), 1);
}

TEST_P(fork_join_with, throws_deep_inside_a_tree) {
  struct tree {
    static int descend(int depth) {
      if (depth == 0) throw depth;
      const auto [a, b] = fork_join([=] { return descend(depth - 1); }, [=] { return descend(depth - 1); });
      return a + b;
    }
  };
  for (int round = 0; round < 20; ++round) EXPECT_THROW(runtime_.run([] { return tree::descend(12); }), int);
}

TEST_P(fork_join_with, works_inside_catch_blocks_and_keeps_the_caught_exception) {
  runtime_.run([] {
    for (int round = 0; round < 100; ++round) {
      try {
        throw std::runtime_error("outer");
      } catch (const std::runtime_error&) {
        fork_join([] { fib(10); },
                  [] {
                    try {
                      throw std::logic_error("inner");
                    } catch (const std::logic_error&) {
                      fib(10);
                    }
                  });
        EXPECT_THROW(throw, std::runtime_error);
      }
      EXPECT_EQ(std::uncaught_exceptions(), 0);
    }
  });
}

/// Trivially copyable, although its copy is deleted.
struct ticket {
  int number;
  explicit ticket(int given) : number(given) {}
  ticket(const ticket&) = delete;
  ticket(ticket&&) = default;
};

TEST_P(fork_join_with, hands_small_values_through_whose_copy_is_deleted) {
  nearfork::runtime runtime(with_workers(GetParam()));
  const auto [a, b] = runtime.run([] { return fork_join([] { return ticket(1); }, [] { return ticket(2); }); });
  EXPECT_EQ(a.number, 1);
  EXPECT_EQ(b.number, 2);
}

TEST_P(fork_join_with, nests_deeper_than_a_deque_holds) {
  struct chain {
    static long descend(int depth) {
      if (depth == 0) return 0;
      const auto [a, b] = fork_join([=] { return descend(depth - 1); }, [] { return 1L; });
      return a + b;
    }
  };
  nearfork::config deep = with_workers(GetParam());
  deep.stack_bytes = std::size_t{nearfork::test::sanitized ? 63 : 15} << 20;
  nearfork::runtime with_large_stacks(deep);
  EXPECT_EQ(with_large_stacks.run([] { return chain::descend(20000); }), 20000);
}

TEST(fork_join, runs_itself_in_the_process_runtime_from_outside) {
  const auto [a, b] = fork_join([] { return fib(15); }, [] { return nearfork::this_worker::inside(); });
  EXPECT_EQ(a, 610);
  EXPECT_TRUE(b);
  EXPECT_FALSE(nearfork::this_worker::inside());
}

TEST(fork_join, may_be_called_from_many_outside_threads_at_once) {
  nearfork::runtime runtime(with_workers(3));
  std::vector<std::thread> callers;
  std::atomic<int> right{0};
  for (int i = 0; i < 8; ++i)
    callers.emplace_back([&] {
      for (int round = 0; round < 50; ++round)
        if (runtime.run([] { return fib(12); }) == 144) right.fetch_add(1);
    });
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(right.load(), 400);
}

}  // namespace
