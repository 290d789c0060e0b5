// Per-worker values, and what a program can ask about the runtime around it.
#include <gtest/gtest.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <iterator>
#include <memory>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using nearfork::per_worker;
using nearfork::test::message_of;
using nearfork::test::with_workers;

TEST(this_runtime, is_the_workers_own) {
  nearfork::runtime own(with_workers(3)), other(with_workers(2));
  EXPECT_EQ(nearfork::this_runtime::current(), nullptr);
  own.run([&] {
    EXPECT_EQ(nearfork::this_runtime::current(), &own);
    EXPECT_EQ(&nearfork::this_runtime::get(), &own);
    EXPECT_EQ(nearfork::this_runtime::workers(), 3U);
    EXPECT_LT(nearfork::this_worker::index(), 3U);
    EXPECT_EQ(other.run([] { return nearfork::this_runtime::workers(); }), 2U);
    EXPECT_EQ(nearfork::this_runtime::current(), &own);
  });
}

TEST(this_runtime, is_the_process_runtime_outside) {
  EXPECT_EQ(&nearfork::this_runtime::get(), &nearfork::process_runtime());
  EXPECT_EQ(nearfork::this_runtime::workers(), nearfork::process_runtime().workers());
  nearfork::run([] { EXPECT_EQ(nearfork::this_runtime::current(), &nearfork::process_runtime()); });
}

TEST(per_worker, counts_everything_once) {
  nearfork::runtime own(with_workers(4));
  per_worker<long> sum(own);
  own.run([&] {
    nearfork::parallel_for(0, 20'000, [&](int i) {
      sum.with([i](long& mine) { mine += i; });
      nearfork::fork_join([&] { sum.local() += 1; }, [&] { sum.local() += 1; });
    });
  });
  EXPECT_EQ(sum.combine(std::plus<>()), 20'000L * 19'999 / 2 + 40'000);
  EXPECT_EQ(sum.size(), 5U);
}

TEST(per_worker, starts_with_copies_of_the_initial_value) {
  nearfork::runtime own(with_workers(2));
  const per_worker<std::string> words(own, "a");
  EXPECT_EQ(words.combine(std::plus<>()), "aaa");
  int seen = 0;
  for (const std::string& one : words) seen += one == "a" ? 1 : 0;
  EXPECT_EQ(seen, 3);
}

TEST(per_worker, starts_with_what_a_callable_makes) {
  nearfork::runtime own(with_workers(2));
  int calls = 0;
  const per_worker<int> numbers(own, [&] { return ++calls; });
  EXPECT_EQ(numbers.combine(std::plus<>()), 1 + 2 + 3);
  const per_worker<std::function<int()>> functions(own, [&] { return std::function<int()>([] { return 7; }); });
  for (const auto& one : functions) EXPECT_EQ(one(), 7);
  struct fixed {
    explicit fixed(int n) : number(n) {}
    fixed(const fixed&) = delete;
    int number;
  };
  per_worker<fixed> values(own, [n = 4] { return fixed(n); });
  own.run([&] { EXPECT_EQ(values.local().number, 4); });
  per_worker<std::vector<int>> outside([] { return std::vector<int>(3); });
  EXPECT_EQ(outside.local().size(), 3U);
}

TEST(per_worker, destroys_what_it_made_where_making_one_fails) {
  nearfork::runtime own(with_workers(3));
  const auto seen = std::make_shared<int>(0);
  int calls = 0;
  {
    per_worker<std::shared_ptr<int>> values(own, [&] {
      if (++calls == 3) throw nearfork::error("no third");
      return seen;
    });
    EXPECT_THROW((void)values.begin(), nearfork::error);
    EXPECT_EQ(seen.use_count(), 3);
    EXPECT_EQ(std::distance(values.begin(), values.end()), 4) << "another call makes the rest";
    EXPECT_EQ(calls, 5);
  }
  EXPECT_EQ(seen.use_count(), 1);
}

/// Each waits for the others, so each worker has one.
TEST(per_worker, a_worker_makes_its_own_value) {
  constexpr unsigned workers = 4;
  nearfork::runtime own(with_workers(workers));
  const auto here = [] { return nearfork::this_worker::inside() ? nearfork::this_worker::index() : workers; };
  per_worker<unsigned> makers(own, here);
  std::atomic<unsigned> came{0};
  own.run([&] {
    nearfork::parallel_for(0U, workers,
                           [&](unsigned) {
                             EXPECT_EQ(makers.local(), nearfork::this_worker::index());
                             ++came;
                             while (came < workers) std::this_thread::yield();
                           },
                           {.grain = 1});
  });
  EXPECT_EQ(makers.local(), workers);
  EXPECT_EQ(std::vector<unsigned>(makers.begin(), makers.end()), (std::vector<unsigned>{0, 1, 2, 3, 4}));
}

TEST(per_worker, a_value_that_could_not_be_made_is_made_when_it_is_asked_for_again) {
  nearfork::runtime own(with_workers(1));
  bool fails = true;
  per_worker<int> values(own, [&] { return fails ? throw nearfork::error("not yet") : 7; });
  EXPECT_EQ(message_of([&] { own.run([&] { (void)values.local(); }); }), "not yet");
  EXPECT_EQ(message_of([&] { values.with([](int&) {}); }), "not yet");
  fails = false;
  EXPECT_EQ(own.run([&] { return values.local(); }), 7);
  EXPECT_EQ(values.combine(std::plus<>()), 14);
}

TEST(per_worker, gives_members_of_values_that_hide_their_address) {
  struct hidden {
    int number = 3;
    void operator&() const = delete;
  };
  nearfork::runtime own(with_workers(2));
  per_worker<hidden> values(own);
  values.begin()->number = 4;
  EXPECT_EQ(values.begin()->number, 4);
}

TEST(per_worker, keeps_values_apart) {
  struct not_movable {
    not_movable() = default;
    not_movable(const not_movable&) = delete;
    not_movable& operator=(const not_movable&) = delete;
    char byte = 0;
  };
  nearfork::runtime own(with_workers(3));
  per_worker<not_movable> values(own);
  std::set<std::uintptr_t> lines;
  for (not_movable& one : values) lines.insert(reinterpret_cast<std::uintptr_t>(&one) / 128);
  EXPECT_EQ(lines.size(), values.size());
  EXPECT_EQ(std::distance(values.begin(), values.end()), 4);
}

TEST(per_worker, lets_other_threads_share_one_value) {
  nearfork::runtime own(with_workers(2)), other(with_workers(2));
  per_worker<int> count(own, 0);
  count.local() = 1;
  std::vector<std::thread> outside;
  for (int t = 0; t < 4; ++t)
    outside.emplace_back([&] {
      for (int i = 0; i < 1000; ++i) count.with([](int& mine) { ++mine; });
    });
  for (auto& one : outside) one.join();
  other.run([&] {
    nearfork::parallel_for(0, 1000, [&](int) { count.with([](int& mine) { ++mine; }); });
    EXPECT_NE(message_of([&] { (void)count.local(); }).find("worker of another runtime"), std::string::npos);
  });
  EXPECT_EQ(count.combine(std::plus<>()), 5001);
  EXPECT_EQ(count.local(), 5001) << "the workers of its runtime have taken no part";
}

TEST(per_worker, belongs_to_the_current_runtime) {
  nearfork::runtime own(with_workers(3));
  own.run([] {
    per_worker<std::vector<int>> found;
    nearfork::parallel_for(0, 100, [&](int i) { found.with([i](auto& mine) { mine.push_back(i); }); });
    EXPECT_EQ(found.size(), 4U);
    const auto all = found.combine([](std::vector<int> sum, const std::vector<int>& more) {
      sum.insert(sum.end(), more.begin(), more.end());
      return sum;
    });
    EXPECT_EQ(std::set<int>(all.begin(), all.end()).size(), 100U);
  });
}

TEST(per_worker, cleans_up_if_a_value_cannot_be_made) {
  struct third_fails {
    explicit third_fails(int& made) : made_(&made) {}
    third_fails(const third_fails& other) : made_(other.made_) {
      if (*made_ == 3) throw nearfork::error("third");
      ++*made_;
    }
    third_fails& operator=(const third_fails&) = delete;
    ~third_fails() = default;
    int* made_;
  };
  nearfork::runtime own(with_workers(4));
  int made = 0;
  const third_fails first(made);
  EXPECT_EQ(message_of([&] { (void)per_worker<third_fails>(own, first).begin(); }), "third");
}

}  // namespace
