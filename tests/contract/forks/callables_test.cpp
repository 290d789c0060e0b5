// Callables are called once and in place. Results of any type arrive; no result is lost or leaked.
#include <gtest/gtest.h>

#include <any>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::fork_join;
using nearfork::parallel_for;
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

struct counter_of_indices {
  int n = 0;
  void operator()(int) { ++n; }
};
std::atomic<int> noted_indices{0};
void note_index(int i) {
  noted_indices.fetch_add(i);
}

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

/// Larger than what comes in registers, and made from anything.
struct takes_anything {
  template <class T>
  explicit takes_anything(T&& from) : right(std::is_same_v<std::remove_cvref_t<T>, int>), number{} {
    if constexpr (std::is_convertible_v<T, int>) number[0] = from;
  }
  bool right;
  int number[8];
};

TEST_P(callables_with, makes_results_of_what_the_call_returns_alone) {
  using either = std::variant<std::string, std::vector<std::any>, int>;
  runtime_.run([] {
    for (int i = 0; i < 100; ++i) {
      const auto [greedy, any] =
          fork_join([] { return takes_anything(6); }, [] { return std::any(std::string("any")); });
      EXPECT_TRUE(greedy.right);
      EXPECT_EQ(std::any_cast<std::string>(any), "any");
      const auto [list, also_greedy] =
          fork_join([] { return std::vector<std::any>{1, 2}; }, [] { return takes_anything(7); });
      EXPECT_EQ(list.size(), 2U);
      EXPECT_TRUE(also_greedy.right && also_greedy.number[0] == 7);
      const auto [maybe, one, call] =
          fork_join([] { return std::optional<std::any>(std::any(8)); }, [] { return either("text"); },
                    [] { return std::function<std::string()>([] { return std::string("called"); }); });
      EXPECT_EQ(std::any_cast<int>(*maybe), 8);
      EXPECT_EQ(std::get<std::string>(one), "text");
      EXPECT_EQ(call(), "called");
    }
  });
}

/// Counts how often a result is moved.
struct moved_about {
  static inline std::atomic<int> moves{0};
  moved_about() = default;
  moved_about(moved_about&&) noexcept { ++moves; }
  moved_about& operator=(moved_about&&) = delete;
  ~moved_about() = default;
  int large[8] = {};
};

TEST(callables, are_given_no_copies_and_their_results_are_moved_once_at_most) {
  nearfork::runtime alone(with_workers(1));
  const auto make = [] { return moved_about(); };
  const auto moves_of = [&](auto fork) {
    alone.run([&] { (void)fork_join([] {}, [] {}); });  // the first fork looks for sleeping workers
    moved_about::moves = 0;
    alone.run([&] { (void)fork(); });
    return moved_about::moves.load();
  };
  EXPECT_LE(moves_of([&] { return fork_join(make, make); }), 1);
  EXPECT_LE(moves_of([&] { return fork_join(make, [] {}); }), 1);
  EXPECT_LE(moves_of([&] { return fork_join([] {}, make); }), 0);
  EXPECT_LE(moves_of([&] { return fork_join(make, make, make, make); }), 3);
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

/// A const result that cannot be copied is moved all the same.
TEST(callables, may_return_a_const_value_that_only_moves) {
  const auto make = []() -> const std::unique_ptr<int> { return std::make_unique<int>(7); };
  EXPECT_EQ(*nearfork::run(make), 7);
  EXPECT_EQ(*nearfork::region("const", make), 7);
  EXPECT_EQ(*nearfork::async(make).get(), 7);
  nearfork::runtime own(nearfork::test::with_workers(2));
  EXPECT_EQ(*own.run(make), 7);
}

/// Loops call a copy of some closures. What a call changes must be seen in the original all the same.
TEST(callables_of_loops, keep_what_a_call_changes) {
  nearfork::runtime own(with_workers(1));
  own.run([] {
    int last = 0;
    auto counts = [n = 0, &last](int) mutable { last = ++n; };
    nearfork::parallel_for(0, 100, counts);
    counts(0);
    EXPECT_EQ(last, 101);
    auto any = [n = 0, &last](auto) mutable { last = ++n; };
    nearfork::parallel_for(0, 100, any);
    any(0);
    EXPECT_EQ(last, 101);
    counter_of_indices named;
    nearfork::parallel_for(0, 100, named);
    EXPECT_EQ(named.n, 100);
    std::vector<char> in(100, 'a'), out(100);
    auto next = [n = 0](char c) mutable { return static_cast<char>(c + n++ % 2); };
    nearfork::parallel_transform(in.begin(), in.end(), out.begin(), next);
    EXPECT_EQ(next('a'), 'a') << "after 100 calls";
    EXPECT_EQ(next('a'), 'b');
    std::vector<int> numbers(100, 1);
    auto sums = [sum = 0, &last](int& n) mutable { last = sum += n; };
    nearfork::parallel_for(numbers, sums);
    nearfork::parallel_for(numbers.begin(), numbers.end(), [&](auto it) { sums(*it); });
    EXPECT_EQ(last, 200);
  });
}

TEST(callables_of_loops, may_be_of_any_kind) {
  std::vector<unsigned char> bytes(1000), twice(1000);
  const int step = 3;
  nearfork::parallel_for(std::size_t{0}, bytes.size(),
                         [&](std::size_t i) { bytes[i] = static_cast<unsigned char>(i * step); });
  nearfork::parallel_transform(bytes.begin(), bytes.end(), twice.begin(),
                               [step](auto b) { return static_cast<unsigned char>(b + step); });
  nearfork::parallel_transform(bytes.begin(), bytes.end(), twice.begin(), twice.begin(),
                               [](unsigned char a, unsigned char b) { return static_cast<unsigned char>(b - a); });
  for (const unsigned char one : twice) ASSERT_EQ(one, step);
  nearfork::parallel_for(std::size_t{0}, bytes.size(), std::size_t{2},
                         [data = bytes.data()](std::size_t i) { data[i] = 9; });
  for (std::size_t i = 0; i < bytes.size(); i += 2) ASSERT_EQ(bytes[i], 9);
  std::vector<std::string> words(100, "ab");
  std::vector<std::size_t> lengths(100);
  nearfork::parallel_transform(words.begin(), words.end(), lengths.begin(), &std::string::size);
  EXPECT_EQ(lengths, std::vector<std::size_t>(100, 2));
  nearfork::parallel_for(words, std::function<void(std::string&)>([](std::string& word) { word += "c"; }));
  EXPECT_EQ(words.back(), "abc");
  nearfork::parallel_for(0, 100, note_index);
  void (*const pointer)(int) = &note_index;
  nearfork::parallel_for(0, 100, pointer);
  EXPECT_EQ(noted_indices.load(), 2 * 4950);
}

/// Names as programs of expression templates have them: this one has 300,000 characters.
template <class, class>
struct pair_of_types {};
template <int Depth>
struct deep {
  using type = pair_of_types<typename deep<Depth - 1>::type, typename deep<Depth - 1>::type>;
};
template <>
struct deep<0> {
  using type = int;
};
template <class T>
int count_in_loop(T) {
  std::atomic<int> calls{0};
  parallel_for(0, 10, [&calls](int) { ++calls; });
  return calls.load();
}

TEST_P(callables_with, types_with_long_names_are_called) {
  EXPECT_EQ(runtime_.run([] { return count_in_loop(deep<15>::type()); }), 10);
}

}  // namespace
