// A failure or a cancellation stops all that belongs to it, on any worker, within one body each, and stops nothing
// else.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <climits>
#include <functional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::cancellation_source;
using nearfork::fork_join;
using nearfork::parallel_for;
using nearfork::task_group;
using nearfork::test::with_workers;
using namespace std::chrono_literals;

constexpr unsigned workers = 4;

class cancellation : public testing::Test {
 protected:
  /// The text of the exception that the call throws; empty if the call throws none.
  template <class F>
  std::string thrown_by(F&& f) {
    try {
      runtime_.run(f);
      return {};
    } catch (const std::exception& failed) {
      return failed.what();
    }
  }
  nearfork::runtime runtime_{with_workers(workers)};
};

/// The most bodies that may begin after the event. Workers that were running bodies may still begin another before they
/// see the event: few, not thousands. The failing task may lose its core between the event and the throw, for as long
/// as others run hundreds of bodies.
constexpr int few = 500;

void body() {
  std::this_thread::sleep_for(200us);
}

/// Never ends by itself, whichever workers take its children. Its leaves are too short to check for a cancellation in
/// between.
long endless(int n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([n] { return endless(n - 1); }, [n] { return endless(n - 2); });
  return a + b;
}
long endless_tree() {
  return endless(70);
}

/// Records that the event came, and counts the bodies that begin later.
struct event {
  std::atomic<bool> happened{false};
  std::atomic<int> later{0};
  void begin_body() {
    if (happened) ++later;
    body();
  }
  [[noreturn]] void fail(const char* text) {
    happened = true;
    throw std::runtime_error(text);
  }
};

TEST_F(cancellation, of_a_loop_by_a_body_that_throws_stops_all_its_pieces) {
  for (const long count : {4000L, LONG_MAX})
    for (const std::size_t grain : {std::size_t{0}, std::size_t{1}, std::size_t{16}}) {
      event when;
      EXPECT_EQ(thrown_by([&] {
                  parallel_for(0L, count,
                               [&](long i) {
                                 when.begin_body();
                                 if (i == 5) when.fail("five");
                               },
                               {.grain = grain});
                }),
                "five");
      EXPECT_LE(when.later, few) << "of " << count << ", grain " << grain;
    }
}

TEST_F(cancellation, of_a_loop_reaches_loops_and_groups_inside_its_bodies) {
  event when;
  EXPECT_EQ(thrown_by([&] {
              parallel_for(0, 64,
                           [&](int i) {
                             parallel_for(0, INT_MAX, [&](int j) {
                               when.begin_body();
                               if (i == 0 && j == 20) when.fail("inner");
                             });
                           },
                           {.grain = 1});
            }),
            "inner");
  EXPECT_LE(when.later, few);
  event again;
  EXPECT_EQ(thrown_by([&] {
              parallel_for(0, 16,
                           [&](int i) {
                             task_group group;
                             for (int j = 0; j < 200; ++j)
                               group.spawn([&, i, j] {
                                 again.begin_body();
                                 if (i == 0 && j == 150) again.fail("task");
                               });
                             group.sync();
                           },
                           {.grain = 1});
            }),
            "task");
  EXPECT_LE(again.later, few);
}

TEST_F(cancellation, of_a_reduction_and_a_region_by_what_throws_in_them) {
  event when;
  EXPECT_EQ(thrown_by([&] {
              (void)nearfork::parallel_reduce(0, INT_MAX, 0L,
                                              [&](int i) {
                                                when.begin_body();
                                                if (i == 3) when.fail("three");
                                                return 1L;
                                              },
                                              std::plus<>{}, {.grain = 1000});
            }),
            "three");
  EXPECT_LE(when.later, few);
  for (int round = 0; round < 3; ++round)  // profiled, then planned or plain
    EXPECT_EQ(thrown_by([&] {
                nearfork::region("fails", [&] {
                  (void)fork_join(
                      []() -> long {
                        body();
                        throw std::runtime_error("region");
                      },
                      endless_tree);
                });
              }),
              "region");
}

TEST_F(cancellation, of_a_fork_by_either_child_stops_the_other) {
  const auto fails = []() -> long {
    std::this_thread::sleep_for(5ms);
    throw std::runtime_error("child");
  };
  EXPECT_EQ(thrown_by([&] { (void)fork_join(fails, endless_tree); }), "child");
  EXPECT_EQ(thrown_by([&] { (void)fork_join(endless_tree, fails); }), "child");
  const auto short_one = [] { return endless(15); };
  EXPECT_EQ(thrown_by([&] { (void)fork_join(endless_tree, short_one, short_one, fails); }), "child");
  EXPECT_EQ(thrown_by([&] { (void)fork_join(fails, endless_tree, endless_tree); }), "child");
  EXPECT_EQ(runtime_.run([] { return endless(20); }), 6765) << "others go on as ever";
}

TEST_F(cancellation, of_a_fork_leaves_its_parent_and_its_later_forks_alone) {
  runtime_.run([] {
    for (int round = 0; round < 200; ++round) {
      std::atomic<int> ran{0};
      parallel_for(0, 8,
                   [&](int) {
                     try {
                       (void)fork_join([]() -> int { throw std::runtime_error("caught here"); },
                                       [] { return static_cast<int>(endless(12)); });
                       ADD_FAILURE();
                     } catch (const std::runtime_error&) {
                     }
                     EXPECT_FALSE(nearfork::this_task::cancelled());
                     EXPECT_EQ(std::get<0>(fork_join([] { return endless(12); }, [] { return endless(10); })), 144);
                     ++ran;
                   },
                   {.grain = 1});
      ASSERT_EQ(ran, 8);
    }
  });
}

TEST_F(cancellation, of_a_group_reaches_what_its_tasks_began) {
  event when;
  runtime_.run([&] {
    task_group group;
    group.spawn([&] { parallel_for(0, INT_MAX, [&](int) { when.begin_body(); }); });
    group.spawn([&] {
      task_group inner;
      for (int i = 0; i < 100'000; ++i) inner.spawn([&] { when.begin_body(); });
      inner.sync();
    });
    group.spawn([] { (void)endless_tree(); });
    std::thread outsider([&] {
      std::this_thread::sleep_for(20ms);
      when.happened = true;
      group.cancel();
    });
    group.sync();
    outsider.join();
    EXPECT_FALSE(group.cancelled()) << "it is as new";
    std::atomic<int> ran{0};
    group.spawn([&] { parallel_for(0, 100, [&](int) { ++ran; }); });
    group.sync();
    EXPECT_EQ(ran, 100);
  });
  EXPECT_LE(when.later, few);
}

TEST_F(cancellation, by_a_token_reaches_nested_loops_and_groups_made_with_it) {
  event when;
  cancellation_source source;
  const cancellation_source linked(source.token());
  std::atomic<int> finished{0};
  runtime_.run([&] {
    task_group group(linked.token());
    group.spawn([&] {
      parallel_for(0, INT_MAX, [&](int) { when.begin_body(); });
      ++finished;
    });
    std::thread outsider([&] {
      std::this_thread::sleep_for(20ms);
      when.happened = true;
      source.cancel();
    });
    parallel_for(0, 100,
                 [&](int) {
                   parallel_for(0, INT_MAX, [&](int) { when.begin_body(); });
                   ++finished;
                 },
                 {.grain = 1, .cancel = source.token()});  // the loop returns
    group.sync();
    outsider.join();
  });
  EXPECT_LE(when.later, few);
  EXPECT_EQ(finished, 0) << "a call that returns has done all its work";
}

TEST_F(cancellation, reaches_what_was_found_clear_after_an_earlier_one) {
  cancellation_source kept, stop;
  kept.cancel();
  const auto body = [&](int) {
    EXPECT_FALSE(nearfork::this_task::cancelled());
    stop.cancel();
    EXPECT_TRUE(nearfork::this_task::cancelled());
  };
  runtime_.run([&] { parallel_for(0, 1, body, {.cancel = stop.token()}); });
}

TEST_F(cancellation, of_the_caller_reaches_calls_into_another_runtime) {
  nearfork::runtime other(with_workers(2));
  event when;
  EXPECT_EQ(thrown_by([&] {
              (void)fork_join(
                  [&]() -> long {
                    body();
                    when.fail("here");
                  },
                  [&] {
                    return other.run([&] {
                      parallel_for(0, INT_MAX, [&](int) { when.begin_body(); });
                      return 1L;
                    });
                  });
            }),
            "here");
  EXPECT_LE(when.later, few);
}

/// Unwinding after a sibling's exception must not throw again.
struct works_in_its_destructor {
  std::atomic<int>& wrong;
  ~works_in_its_destructor() {
    std::atomic<int> ran{0};
    parallel_for(0, 50, [&](int) { ++ran; }, {.grain = 1});
    const auto [a, b] = fork_join([] { return endless(8); }, [] { return endless(9); });
    std::atomic<int> spawned{0};
    task_group group;
    for (int i = 0; i < 10; ++i) group.spawn([&] { ++spawned; });
    group.sync();
    if (ran != 50 || a + b != 55 || spawned != 10) ++wrong;
  }
};

TEST_F(cancellation, does_not_reach_what_destructors_do_while_it_unwinds) {
  std::atomic<int> wrong{0};
  for (int round = 0; round < 50; ++round)
    EXPECT_EQ(thrown_by([&] {
                parallel_for(0, 16,
                             [&](int) {
                               const works_in_its_destructor guard{wrong};
                               parallel_for(0, INT_MAX,
                                            [&](int j) {
                                              std::this_thread::sleep_for(20us);
                                              if (j == 5) throw std::runtime_error("five");
                                            },
                                            {.grain = 1});
                             },
                             {.grain = 1});
              }),
              "five");
  EXPECT_EQ(wrong, 0);
}

/// The exception comes out of a join. Meanwhile a sibling cancels the loop that the exception unwinds.
TEST_F(cancellation, does_not_reach_forks_of_destructors_that_an_exception_unwinds) {
  std::atomic<int> wrong{0};
  const auto fails_in = [&](auto&& fork) {
    for (int round = 0; round < 50; ++round)
      EXPECT_EQ(thrown_by([&] {
                  parallel_for(0, 16,
                               [&](int) {
                                 const works_in_its_destructor guard{wrong};
                                 fork();
                               },
                               {.grain = 1});
                }),
                "six");
  };
  const auto fail = [] { throw std::runtime_error("six"); };
  fails_in([&] { fork_join([&] { fail(); }, [] { body(); }); });
  fails_in([&] {
    task_group group;
    group.spawn([&] { fail(); });
    group.spawn([] { body(); });
    group.sync();
  });
  EXPECT_EQ(wrong, 0);
}

/// The stolen child fails while the other one, in the forking frame, spawns into groups: each has had its task, or says
/// that it is cut short.
TEST_F(cancellation, of_a_fork_ends_the_groups_inside_it_by_an_exception) {
  for (int round = 0; round < 20; ++round) {
    bool one_is_missing = false;
    const auto makes_groups = [&](const std::atomic<bool>& is_stolen) {
      while (!is_stolen) fork_join([] {}, [] {});
      for (const auto until = std::chrono::steady_clock::now() + 2s; std::chrono::steady_clock::now() < until;) {
        bool ran = false;
        task_group group;
        group.spawn([&] { ran = true; });
        group.sync();
        one_is_missing = one_is_missing || !ran;
      }
    };
    EXPECT_EQ(thrown_by([&] {
                std::atomic<bool> is_stolen{false};
                fork_join([&] { makes_groups(is_stolen); },
                          [&] {
                            is_stolen = true;
                            std::this_thread::sleep_for(200us);
                            throw std::runtime_error("stolen");
                          });
              }),
              "stolen");
    EXPECT_FALSE(one_is_missing);
  }
}

TEST_F(cancellation, by_the_destruction_of_a_group_while_an_exception_passes) {
  event when;
  EXPECT_EQ(thrown_by([&] {
              task_group group;
              for (int i = 0; i < 2000; ++i) group.spawn([&] { when.begin_body(); });
              when.fail("around the group");
            }),
            "around the group");
  EXPECT_LE(when.later, few);
}

TEST(cancellation_source, that_was_moved_from_speaks_for_the_same) {
  cancellation_source source;
  const nearfork::cancellation_token token = source.token();
  const cancellation_source moved = std::move(source);
  source.cancel();  // NOLINT(bugprone-use-after-move): the test's subject
  EXPECT_TRUE(moved.cancelled());
  EXPECT_TRUE(token.cancelled());
  EXPECT_FALSE(nearfork::cancellation_token().cancelled());
  EXPECT_FALSE(nearfork::this_task::cancelled()) << "outside workers";
}

TEST(cancellation_source, counts_for_nothing_once_it_is_gone) {
  {
    const cancellation_source source;
    cancellation_source(source).cancel();
    EXPECT_EQ(nearfork::detail::cancellations.load(), 1U);
  }
  EXPECT_EQ(nearfork::detail::cancellations.load(), 0U);
}

}  // namespace
