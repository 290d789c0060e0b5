// Results that are made in the tuple of their fork arrive whole, whoever makes the call.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <chrono>
#include <complex>
#include <cstdint>
#include <numeric>
#include <stdexcept>
#include <thread>
#include <tuple>
#include <type_traits>
#include <variant>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;
using many_words = std::array<std::uint64_t, 40>;

many_words counted_from(std::uint64_t first) {
  many_words made;
  std::iota(made.begin(), made.end(), first);
  return made;
}

class large_results_with : public ::testing::TestWithParam<unsigned> {
 protected:
  template <class F>
  void in_worker(const F& f) {
    nearfork::runtime runtime(with_workers(GetParam()));
    runtime.run(f);
  }
};

/// Of `n` levels. Leaves are long enough to be stolen.
many_words sums(unsigned n) {
  if (n == 0) {
    const auto until = std::chrono::steady_clock::now() + std::chrono::microseconds(20);
    while (std::chrono::steady_clock::now() < until) {
    }
    return counted_from(1);
  }
  const auto [a, b] = nearfork::fork_join([=] { return sums(n - 1); }, [=] { return sums(n - 1); });
  many_words both;
  for (std::size_t i = 0; i < both.size(); ++i) both[i] = a[i] + b[i];
  return both;
}

TEST_P(large_results_with, arrive_from_thieves_and_from_the_caller) {
  in_worker([] {
    for (unsigned levels = 0; levels < 10; ++levels) {
      const many_words got = sums(levels);
      for (std::size_t i = 0; i < got.size(); ++i) ASSERT_EQ(got[i], (i + 1) << levels);
    }
  });
}

TEST_P(large_results_with, stand_beside_results_of_other_kinds) {
  in_worker([] {
    int object = 5;
    for (int round = 0; round < 100; ++round) {
      const auto [large, nothing] = nearfork::fork_join([] { return counted_from(7); }, [] {});
      static_assert(std::is_same_v<std::remove_const_t<decltype(nothing)>, std::monostate>);
      EXPECT_EQ(large, counted_from(7));
      const auto [small, after] = nearfork::fork_join([] { return 'x'; }, [] { return counted_from(8); });
      EXPECT_EQ(small, 'x');
      EXPECT_EQ(after, counted_from(8));
      const auto [number, words] = nearfork::fork_join([] { return 2.5; }, [] { return counted_from(9); });
      EXPECT_EQ(number, 2.5);
      EXPECT_EQ(words, counted_from(9));
      const auto referred = nearfork::fork_join([&]() -> int& { return object; }, [] { return counted_from(10); });
      EXPECT_EQ(&std::get<0>(referred), &object);
      EXPECT_EQ(std::get<1>(referred), counted_from(10));
    }
  });
}

/// Trivial, and yet it can be made alone.
struct never_assigned {
  std::uint64_t words[20];
  never_assigned() = default;
  never_assigned(const never_assigned&) = default;
  never_assigned& operator=(const never_assigned&) = delete;
};
/// Its only copy is a move.
struct moved_alone {
  std::uint64_t words[20];
  moved_alone() = default;
  moved_alone(moved_alone&&) = default;
};
struct alignas(256) far_apart {
  std::uint64_t words[20];
};

template <class R>
R words_of(std::uint64_t each) {
  R made;
  for (auto& word : made.words) word = each;
  return made;
}
template <class R>
void expect_words(const R& got, std::uint64_t each) {
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&got) % alignof(R), 0U);
  for (const auto word : got.words) EXPECT_EQ(word, each);
}
template <class R>
void expect_both() {
  const auto both = nearfork::fork_join([] { return words_of<R>(1); },
                                        [] {
                                          std::this_thread::yield();
                                          return words_of<R>(2);
                                        });
  expect_words(std::get<0>(both), 1);
  expect_words(std::get<1>(both), 2);
}

struct one_number {
  double value;
};
struct mixed {
  char letter;
  double value;
  int number;
};
constexpr mixed some_mixed{.letter = 'y', .value = 1.5, .number = 3};

/// Compilers warned of such results in programs: "used uninitialized".
TEST_P(large_results_with, stand_beside_structs_with_members_of_their_own) {
  in_worker([] {
    const auto [number, words] = nearfork::fork_join([] { return one_number{2.5}; }, [] { return counted_from(7); });
    EXPECT_EQ(number.value, 2.5);
    EXPECT_EQ(words, counted_from(7));
    const auto [first, second] = nearfork::fork_join([] { return some_mixed; }, [] { return some_mixed; });
    EXPECT_EQ(std::tie(first.letter, first.value, first.number), std::tie(second.letter, second.value, second.number));
    EXPECT_EQ(first.letter, 'y');
    const auto [complex, wide] = nearfork::fork_join([] { return std::complex(1.0, 2.0); }, [] { return 0.5L; });
    EXPECT_EQ(complex, std::complex(1.0, 2.0));
    EXPECT_EQ(wide, 0.5L);
  });
}

TEST_P(large_results_with, need_no_assignment_and_no_copy_and_keep_their_alignment) {
  const auto body = [] {
    for (int round = 0; round < 100; ++round) {
      expect_both<never_assigned>();
      expect_both<moved_alone>();
      expect_both<far_apart>();
    }
  };
  in_worker(body);
  body();  // outside
}

TEST_P(large_results_with, are_dropped_if_a_child_throws) {
  in_worker([] {
    for (int round = 0; round < 100; ++round) {
      EXPECT_THROW(nearfork::fork_join([] { return counted_from(1); },
                                       []() -> many_words { throw std::runtime_error("second"); }),
                   std::runtime_error);
      EXPECT_THROW(
          nearfork::fork_join([]() -> many_words { throw std::logic_error("first"); }, [] { return counted_from(1); }),
          std::logic_error);
    }
  });
}

INSTANTIATE_TEST_SUITE_P(workers, large_results_with, ::testing::Values(1U, 2U, 4U));

}  // namespace
