// parallel_pipeline: each item passes each filter once, serial filters one at a time, and never more items inside than
// tokens.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <optional>
#include <stdexcept>
#include <thread>
#include <type_traits>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::filter_mode;
using nearfork::make_filter;
using nearfork::parallel_pipeline;
using nearfork::test::with_workers;

class pipeline : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, pipeline, testing::Values(1U, 4U));

/// Gives 0 to count - 1.
auto numbers_up_to(int count) {
  return [next = 0, count]() mutable { return next < count ? std::optional<int>(next++) : std::nullopt; };
}
/// Takes longer for some items, so that items overtake each other.
int delayed(int i) {
  volatile int spin = 0;
  for (int turns = i % 7 == 0 ? 3000 : 10; turns > 0; --turns) spin = spin + 1;
  return i;
}

TEST_P(pipeline, keeps_the_order_in_serial_filters_in_order) {
  for (const std::size_t tokens : {1UL, 2UL, 16UL, 5000UL})
    for (const int count : {0, 1, 1000}) {
      std::vector<int> first, second;
      runtime_.run([&] {
        parallel_pipeline(tokens, numbers_up_to(count), make_filter<filter_mode::parallel>(delayed),
                          make_filter<filter_mode::serial_in_order>([&](int i) { return first.push_back(i), i; }),
                          make_filter<filter_mode::parallel>(delayed),
                          make_filter<filter_mode::serial_in_order>([&](int i) { second.push_back(i); }));
      });
      std::vector<int> expected(static_cast<std::size_t>(count));
      std::iota(expected.begin(), expected.end(), 0);
      ASSERT_EQ(first, expected) << tokens;
      ASSERT_EQ(second, expected) << tokens;
    }
}

TEST_P(pipeline, lets_one_item_at_a_time_into_a_serial_filter_and_as_many_as_tokens_into_all) {
  constexpr int tokens = 5;
  std::atomic<int> inside{0}, in_serial{0}, most{0};
  std::vector<int> seen;
  auto source = [next = 0, &inside, &most]() mutable -> std::optional<int> {
    if (next == 2000) return std::nullopt;
    const int now = inside.fetch_add(1) + 1;
    most.store(std::max(most.load(), now));  // one source call at a time
    return next++;
  };
  runtime_.run([&] {
    parallel_pipeline(tokens, source, make_filter<filter_mode::parallel>(delayed),
                      make_filter<filter_mode::serial_out_of_order>([&](int i) {
                        EXPECT_EQ(in_serial.fetch_add(1), 0);
                        seen.push_back(i);
                        EXPECT_EQ(in_serial.fetch_sub(1), 1);
                        return i;
                      }),
                      make_filter<filter_mode::parallel>([&](int) { inside.fetch_sub(1); }));
  });
  EXPECT_LE(most.load(), tokens);
  std::sort(seen.begin(), seen.end());
  ASSERT_EQ(seen.size(), 2000U);
  for (int i = 0; i < 2000; ++i) ASSERT_EQ(seen[static_cast<std::size_t>(i)], i);
}

TEST_P(pipeline, passes_items_that_only_move_and_change_their_type) {
  long sum = 0;
  auto source = [next = 0]() mutable -> std::optional<std::unique_ptr<int>> {
    return next < 500 ? std::optional(std::make_unique<int>(next++)) : std::nullopt;
  };
  runtime_.run([&] {
    parallel_pipeline(8, source, make_filter<filter_mode::parallel>([](std::unique_ptr<int> i) {
                        nearfork::parallel_for(0, 10, [&](int) {});  // loops inside filters
                        return std::make_unique<long>(*i);
                      }),
                      make_filter<filter_mode::serial_out_of_order>([&](std::unique_ptr<long> i) { sum += *i; }));
  });
  EXPECT_EQ(sum, 499 * 500 / 2);
}

/// Of most items little is to do; of some much, and those wait in the source, or in one filter or the other.
TEST_P(pipeline, passes_each_item_once_whichever_takes_long) {
  for (const std::size_t tokens : {1UL, 2UL, 3UL, 16UL})
    for (const int place : {0, 1, 2, 3}) {
      constexpr int count = 3000;
      const auto slow_at = [place](int here, int i) {
        if (here == place && i % 61 == 0) std::this_thread::sleep_for(std::chrono::microseconds(20));
        return i;
      };
      std::vector<int> in_order, by_arrival, once(count);
      runtime_.run([&] {
        parallel_pipeline(
            tokens,
            [&, next = 0]() mutable { return next < count ? std::optional<int>(slow_at(0, next++)) : std::nullopt; },
            make_filter<filter_mode::parallel>([&](int i) { return slow_at(1, i); }),
            make_filter<filter_mode::serial_in_order>([&](int i) { return in_order.push_back(i), slow_at(2, i); }),
            make_filter<filter_mode::parallel>([&](int i) { return ++once[static_cast<std::size_t>(i)], i; }),
            make_filter<filter_mode::serial_out_of_order>([&](int i) { by_arrival.push_back(slow_at(3, i)); }));
      });
      std::vector<int> expected(count);
      std::iota(expected.begin(), expected.end(), 0);
      ASSERT_EQ(in_order, expected) << tokens << " tokens, slow at " << place;
      std::sort(by_arrival.begin(), by_arrival.end());
      ASSERT_EQ(by_arrival, expected) << tokens << " tokens, slow at " << place;
      ASSERT_EQ(std::count(once.begin(), once.end(), 1), count);
    }
}

// A filter may wait until others have come as far: with more tokens than workers wait, the source is not held back.
TEST(parallel_pipeline, brings_items_to_a_filter_where_several_meet) {
  nearfork::runtime runtime(with_workers(4));
  for (int round = 0; round < 20; ++round) {
    std::atomic<int> here{0};
    runtime.run([&] {
      parallel_pipeline(8, numbers_up_to(400), make_filter<filter_mode::parallel>([&](int i) {
                          if (i != 200 && i != 201) return;
                          here.fetch_add(1);
                          while (here.load() < 2) std::this_thread::yield();
                        }));
    });
    ASSERT_EQ(here.load(), 2);
  }
}

TEST_P(pipeline, ends_with_the_exception_of_its_source_or_of_a_filter) {
  for (const int failing : {0, 1, 500}) {
    std::atomic<int> taken{0};
    const auto run_with = [&](auto mode, bool in_source) {
      taken = 0;
      auto source = [&]() -> std::optional<int> {
        const int i = taken.fetch_add(1);
        if (in_source && i == failing) throw std::runtime_error("source");
        return i;  // never ends
      };
      parallel_pipeline(4, source, make_filter<decltype(mode)::value>([&](int i) {
                          if (i == failing) throw std::runtime_error("filter");
                          return i;
                        }),
                        make_filter<filter_mode::serial_in_order>([](int) {}));
    };
    using parallel = std::integral_constant<filter_mode, filter_mode::parallel>;
    using in_order = std::integral_constant<filter_mode, filter_mode::serial_in_order>;
    EXPECT_THROW(runtime_.run([&] { run_with(parallel(), true); }), std::runtime_error);
    EXPECT_THROW(runtime_.run([&] { run_with(parallel(), false); }), std::runtime_error);
    EXPECT_THROW(runtime_.run([&] { run_with(in_order(), false); }), std::runtime_error);
  }
}

TEST_P(pipeline, ends_when_its_token_or_the_task_around_it_is_cancelled) {
  nearfork::cancellation_source stop;
  std::atomic<int> passed{0};
  const auto endless = [] { return std::optional<int>(1); };
  runtime_.run([&] {
    parallel_pipeline({4, stop.token()}, endless, make_filter<filter_mode::serial_in_order>([&](int) {
                        if (passed.fetch_add(1) == 100) stop.cancel();
                      }));
  });
  EXPECT_GE(passed.load(), 101);
  // The pipeline is the second child, which a thief takes or which is skipped: the first child throws in any case.
  EXPECT_THROW(runtime_.run([&] {
    nearfork::fork_join(
        [] {
          delayed(0);
          throw std::runtime_error("sibling");
        },
        [&] { parallel_pipeline(4, endless, make_filter<filter_mode::parallel>([](int) {})); });
  }),
               std::runtime_error);
}

TEST(parallel_pipeline, needs_a_token) {
  EXPECT_THROW(parallel_pipeline(0, numbers_up_to(1), make_filter<filter_mode::parallel>(delayed)), nearfork::error);
}

}  // namespace
