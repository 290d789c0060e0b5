// Callables are called once and in place. Results of any type arrive; no result is lost or leaked.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <memory>
#include <stdexcept>
#include <string>
#include <thread>
#include <utility>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::fork_join;
using nearfork::test::with_workers;
using std::chrono_literals::operator""us;

class callables_with : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, callables_with, testing::Values(1U, 2U, 5U));

/// Lasts long enough for a thief to come.
void dawdle() {
  std::this_thread::sleep_for(50us);
}

struct counter {
  long n = 0;
  void operator()() {
    dawdle();
    ++n;
  }
};
struct counter_of_const_calls {
  mutable long n = 0;
  void operator()() const {
    dawdle();
    ++n;
  }
};

TEST_P(callables_with, keeps_what_a_call_changes) {
  runtime_.run([] {
    constexpr int rounds = 100;
    counter a, b, c;
    counter_of_const_calls d, e;
    long of_closure = 0;
    auto closure = [n = 0L]() mutable {
      dawdle();
      return ++n;
    };
    for (int i = 0; i < rounds; ++i) {
      fork_join(a, b);
      fork_join(a, b, c);
      fork_join(d, e);
      of_closure = std::get<1>(fork_join([] { dawdle(); }, closure));
      nearfork::region("changes", [&] { fork_join(a, b); });
    }
    EXPECT_EQ(a.n, 3 * rounds);
    EXPECT_EQ(b.n, 3 * rounds);
    EXPECT_EQ(c.n, rounds);
    EXPECT_EQ(d.n, rounds);
    EXPECT_EQ(e.n, rounds);
    EXPECT_EQ(of_closure, rounds);
  });
}

struct only_as_rvalue {
  int value;
  int operator()() && { return value; }
};
struct move_only {
  move_only() = default;
  move_only(move_only&&) = default;
  move_only& operator=(move_only&&) = default;
  int operator()() const { return 4; }
};
struct not_to_be_copied {
  not_to_be_copied() = default;
  not_to_be_copied(const not_to_be_copied&) = delete;
  not_to_be_copied& operator=(const not_to_be_copied&) = delete;
  int operator()() noexcept { return 5; }
};
struct alignas(128) over_aligned {
  std::array<char, 200> bytes{};
  bool operator()() const { return reinterpret_cast<std::uintptr_t>(this) % 128 == 0; }
};
int plain_function() {
  return 6;
}

static_assert(!nearfork::detail::task_callable<only_as_rvalue&>, "an lvalue is not moved from unasked");

TEST_P(callables_with, calls_callables_of_every_kind) {
  runtime_.run([] {
    not_to_be_copied here;
    const over_aligned aligned;
    auto generic = [](auto... none) { return sizeof...(none); };
    for (int i = 0; i < 100; ++i) {
      EXPECT_EQ(fork_join(only_as_rvalue{3}, move_only{}), std::tuple(3, 4));
      EXPECT_EQ(fork_join(here, aligned), std::tuple(5, true));
      EXPECT_EQ(fork_join(plain_function, &plain_function, generic), std::tuple(6, 6, std::size_t{0}));
      nearfork::task_group group;
      std::atomic<bool> is_aligned{false};
      over_aligned mine;
      group.spawn([mine, &is_aligned] { is_aligned = mine(); });
      group.spawn([owner = std::make_unique<int>(1)] { EXPECT_EQ(*owner, 1); });
      group.sync();
      EXPECT_TRUE(is_aligned);
    }
    EXPECT_EQ(nearfork::run(only_as_rvalue{8}), 8);
    EXPECT_EQ(nearfork::region("rvalue", only_as_rvalue{9}), 9);
  });
  EXPECT_EQ(runtime_.run(only_as_rvalue{7}), 7);
}

struct without_default {
  explicit without_default(int number) : value(number) {}
  int value;
};

TEST_P(callables_with, hands_results_of_every_kind_through) {
  runtime_.run([] {
    int target = 1;
    const int fixed = 2;
    for (int i = 0; i < 100; ++i) {
      auto [moved, constant] =
          fork_join([&]() -> int&& { return std::move(target); }, [&]() -> const int& { return fixed; });
      EXPECT_EQ(&moved, &target);
      EXPECT_EQ(&constant, &fixed);
      auto [made, owner, text] = fork_join([] { return without_default(3); }, [] { return std::make_unique<int>(4); },
                                           []() -> const std::string { return "five"; });
      EXPECT_EQ(made.value + *owner, 7);
      EXPECT_EQ(text, "five");
    }
  });
}

/// Counts its living objects, and throws when it is moved while `armed`.
struct counted {
  static inline std::atomic<int> alive{0};
  static inline std::atomic<bool> armed{false};
  counted() { ++alive; }
  counted(counted&& from) : counted() {
    (void)from;
    if (!armed) return;
    throw std::runtime_error("moved");
  }
  counted& operator=(counted&&) = delete;
  ~counted() { --alive; }
};

TEST_P(callables_with, destroys_results_whose_move_throws) {
  for (int round = 0; round < 100; ++round) {
    const auto slow = [&] {
      dawdle();
      counted::armed = round % 2 == 1;
      return counted();
    };
    const auto quick = [] { return counted(); };
    const auto tried = [&](auto fork) {
      counted::armed = false;
      try {
        fork();
      } catch (const std::runtime_error&) {
      }
      counted::armed = false;
      EXPECT_EQ(counted::alive.load(), 0);
    };
    runtime_.run([&] {
      tried([&] { (void)fork_join(slow, quick); });
      tried([&] { (void)fork_join(quick, slow); });
      tried([&] { (void)fork_join(slow, quick, quick, slow); });
      tried([&] { nearfork::region("throwing moves", [&] { (void)fork_join(slow, quick, slow); }); });
    });
  }
}

}  // namespace
