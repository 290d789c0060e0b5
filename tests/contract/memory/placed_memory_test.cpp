// Arrays, allocators and memory resources, as a program sees them on any machine.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <list>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "message_of.hpp"

namespace {

using nearfork::array;
using nearfork::huge_pages;
using nearfork::memory_options;
using nearfork::placing;
using nearfork::test::message_of;
using testing::Each;
using testing::HasSubstr;

constexpr std::size_t large = nearfork::placed_from_bytes / sizeof(double) + 7;

template <class T>
std::uintptr_t offset(const T* address, std::size_t alignment) {
  return reinterpret_cast<std::uintptr_t>(address) % alignment;
}

TEST(array, starts_with_every_element_fresh) {
  for (const std::size_t size : {std::size_t{1}, std::size_t{100}, large}) {
    const array<double> numbers(size);
    ASSERT_EQ(numbers.size(), size);
    EXPECT_THAT(std::vector<double>(numbers.begin(), numbers.end()), Each(0.0));
    const array<std::string> words(size);
    EXPECT_THAT(std::vector<std::string>(words.begin(), words.end()), Each(""));
  }
  EXPECT_TRUE(array<int>().empty());
  EXPECT_TRUE(array<int>(0).empty());
}

TEST(array, is_a_span_that_can_be_written) {
  array<int> numbers(1000);
  const std::span<int> seen = numbers;
  std::iota(seen.begin(), seen.end(), 0);
  EXPECT_EQ(numbers[999], 999);
  const array<int>& same = numbers;
  EXPECT_EQ(std::span<const int>(same)[5], 5);
  EXPECT_EQ(numbers.size_bytes(), 4000U);
}

TEST(array, is_moved_without_its_elements) {
  array<double> one(large);
  one[3] = 3;
  const double* const where = one.data();
  array<double> other(std::move(one));
  EXPECT_EQ(other.data(), where);
  EXPECT_TRUE(one.empty());  // NOLINT(bugprone-use-after-move): the test's subject
  array<double> third(5);
  third = std::move(other);
  EXPECT_EQ(third.data(), where);
  EXPECT_EQ(third[3], 3);
  swap(third, one);
  EXPECT_EQ(one.data(), where);
  static_assert(!std::is_copy_constructible_v<array<double>>);
}

TEST(array, is_aligned_as_asked) {
  for (const std::size_t alignment : {std::size_t{64}, std::size_t{4096}, std::size_t{1} << 21, std::size_t{1} << 24}) {
    EXPECT_EQ(offset(array<double>(10, {.alignment = alignment}).data(), alignment), 0U);
    EXPECT_EQ(offset(array<double>(large, {.alignment = alignment}).data(), alignment), 0U);
  }
  struct alignas(256) wide {
    char bytes[256];
  };
  EXPECT_EQ(offset(array<wide>(3).data(), 256), 0U);
}

// A runtime knows how many nodes there are. On a single node, freed pages serve the next array, which starts as fresh
// as any.
TEST(array, starts_fresh_on_the_pages_of_a_freed_one) {
  nearfork::config settings;
  settings.workers = 1;
  nearfork::runtime run(settings);
  for (int i = 0; i < 3; ++i) {
    array<std::uint64_t> numbers(large, {.where = placing::interleaved()});
    EXPECT_THAT(std::vector<std::uint64_t>(numbers.begin(), numbers.end()), Each(0U));
    std::fill(numbers.begin(), numbers.end(), ~std::uint64_t{0});
  }
  EXPECT_GE(run.report().memory.blocks_reused, 2U);
  EXPECT_GE(run.report().memory.kept_bytes, large * sizeof(std::uint64_t));
}

/// Counts living objects; throws while making the `throws_at`-th.
struct counted {
  static inline int living = 0;
  static inline int throws_at = 0;
  counted() {
    if (living + 1 == throws_at) throw std::runtime_error("no more");
    ++living;
  }
  ~counted() { --living; }
  char bytes[1024]{};
};

TEST(array, destroys_what_it_made) {
  counted::throws_at = 0;
  {
    const array<counted> small(3);
    const array<counted> big(1000);
    EXPECT_EQ(counted::living, 1003);
  }
  EXPECT_EQ(counted::living, 0);
}

TEST(array, leaves_nothing_behind_if_an_element_throws) {
  for (const std::size_t size : {std::size_t{10}, std::size_t{1000}}) {
    counted::throws_at = 7;
    EXPECT_THROW(array<counted>{size}, std::runtime_error);
    EXPECT_EQ(counted::living, 0);
  }
  counted::throws_at = 0;
}

TEST(array, says_what_is_wrong) {
  EXPECT_THAT(message_of([] { array<double>(~std::size_t{0} / 4); }), HasSubstr("more than addresses there are"));
  EXPECT_THAT(message_of([] { array<double>(std::size_t{1} << 50); }), HasSubstr("no memory for a block"));
  EXPECT_THAT(message_of([] { array<double>(1, {.alignment = 48}); }), HasSubstr("power of two"));
  EXPECT_THAT(message_of([] { array<double>(large, {.alignment = std::size_t{1} << 40}); }), HasSubstr("power of two"));
  EXPECT_THAT(message_of([] { array<double>(large, {.where = placing::by_weights({})}); }), HasSubstr("weights"));
}

TEST(array, can_be_had_with_any_option) {
  const memory_options all[] = {{.where = placing::interleaved()},
                                {.where = placing::by_bandwidth()},
                                {.where = placing::by_capacity()},
                                {.where = placing::by_weights({{0, 1}})},
                                {.where = placing::bound_to(0)},
                                {.where = placing::preferring(0)},
                                {.huge = huge_pages::wanted},
                                {.huge = huge_pages::never},
                                {.region = "heat"}};
  for (const memory_options& options : all)
    for (const std::size_t size : {std::size_t{10}, large}) {
      array<double> numbers(size, options);
      numbers[size - 1] = 1;
      EXPECT_EQ(numbers[0] + numbers[size - 1], 1);
    }
}

TEST(array, on_a_node_that_is_not_there_is_a_degradation) {
  array<double> numbers(large, {.where = placing::bound_to(1000)});
  numbers[0] = 1;
  nearfork::config settings;
  settings.workers = 1;
  const nearfork::runtime run(settings);
  const auto facts = run.report().degradations;
  const auto tells = [](const nearfork::degradation& one) {
    return one.why.find("there is no node 1000") != std::string::npos;
  };
  EXPECT_TRUE(std::any_of(facts.begin(), facts.end(), tells));
}

TEST(array, may_be_made_and_freed_by_many_threads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        array<std::uint64_t> numbers(large + static_cast<std::size_t>(i) * 1000);
        numbers[numbers.size() - 1] = static_cast<std::uint64_t>(t);
        EXPECT_EQ(numbers[0], 0U);
        EXPECT_EQ(numbers[numbers.size() - 1], static_cast<std::uint64_t>(t));
      }
    });
  for (std::thread& one : threads) one.join();
}

// Threads free blocks of one sort and get each other's kept pages. No two arrays may own a block at the same time.
TEST(array, is_nobody_elses_on_kept_pages) {
  nearfork::config settings;
  settings.workers = 1;
  const nearfork::runtime run(settings);
  std::vector<std::thread> threads;
  for (std::uint64_t t = 1; t <= 4; ++t)
    threads.emplace_back([t] {
      for (int i = 0; i < 50; ++i) {
        array<std::uint64_t> numbers(large, {.where = placing::interleaved()});
        for (std::size_t at = 0; at < numbers.size(); at += 512) numbers[at] += t;
        std::this_thread::yield();
        for (std::size_t at = 0; at < numbers.size(); at += 512) ASSERT_EQ(numbers[at], t);
      }
    });
  for (std::thread& one : threads) one.join();
  EXPECT_GT(run.report().memory.blocks_reused, 0U);
}

TEST(array, is_a_forked_childs_own) {
  array<int> numbers(1 << 20);
  numbers[7] = 7;
  const pid_t child = fork();
  if (child == 0) {
    bool well = numbers[7] == 7;
    numbers[7] = 8;
    {
      array<int> more(1 << 20);
      more[0] = 1;
      well = well && more[1] == 0;
    }
    numbers = array<int>();
    _exit(well ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
  EXPECT_EQ(numbers[7], 7);
}

TEST(allocator, serves_containers) {
  std::vector<double, nearfork::allocator<double>> numbers;
  for (int i = 0; i < 200'000; ++i) numbers.push_back(i);
  EXPECT_EQ(std::accumulate(numbers.begin(), numbers.end(), 0.0), 19'999'900'000.0);
  auto copy = numbers;
  numbers.clear();
  numbers.shrink_to_fit();
  EXPECT_EQ(copy.size(), 200'000U);
  std::list<std::string, nearfork::allocator<std::string>> words(nearfork::allocator<double>({.alignment = 64}));
  for (int i = 0; i < 100; ++i) words.push_back(std::to_string(i));
  EXPECT_EQ(words.back(), "99");
}

TEST(allocator, frees_what_another_allocated) {
  nearfork::allocator<int> one({.alignment = 4096});
  nearfork::allocator<int> other;
  EXPECT_TRUE(one == other);
  for (const std::size_t count : {std::size_t{3}, std::size_t{1} << 20}) {
    int* const numbers = one.allocate(count);
    EXPECT_EQ(offset(numbers, 4096), 0U);
    numbers[count - 1] = 1;
    other.deallocate(numbers, count);
  }
  EXPECT_THROW((void)one.allocate(~std::size_t{0} / 2), nearfork::error);
}

TEST(placed_resource, serves_pmr_containers) {
  nearfork::placed_resource memory({.alignment = 128});
  nearfork::placed_resource other;
  EXPECT_TRUE(memory == other);
  EXPECT_FALSE(memory == *std::pmr::new_delete_resource());
  std::pmr::vector<std::pmr::string> words(&memory);
  for (int i = 0; i < 20'000; ++i) words.emplace_back("a text that is too long for the string itself");
  EXPECT_EQ(offset(words.data(), 128), 0U);
  EXPECT_EQ(words.back(), words.front());
  void* const wide = memory.allocate(100, 512);
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(wide) % 512, 0U);
  other.deallocate(wide, 100, 512);
}

TEST(where_lies, tells_of_every_byte_or_why_not) {
  array<char> bytes(std::size_t{1} << 20);
  bytes[0] = 1;
  const nearfork::memory_map shown = nearfork::where_lies(bytes);
  if (!shown.not_known.empty()) GTEST_SKIP() << "skipped: " << shown.not_known;
  std::size_t sum = 0;
  for (const auto& part : shown.parts) sum += part.bytes;
  EXPECT_EQ(sum, bytes.size());
  ASSERT_TRUE(shown.parts.front().os_node);
  EXPECT_GT(shown.bytes_on(*shown.parts.front().os_node), 0U);
  EXPECT_THAT(nearfork::picture_of(shown), HasSubstr("node " + std::to_string(*shown.parts.front().os_node)));
}

TEST(region, runs_with_placed_data) {
  nearfork::config settings;
  settings.workers = 2;
  settings.pin = nearfork::pinning::off;
  settings.policy = "auto";
  settings.machine = "package:2 l3:1 core:1 pu:1";
  nearfork::runtime run(settings);
  array<double> grid(1 << 17, {.region = "heat"});
  for (int i = 0; i < 5; ++i)
    run.run([&] {
      nearfork::region(
          "heat", [&] { nearfork::parallel_for(std::size_t{0}, grid.size(), [&](std::size_t at) { grid[at] += 1; }); });
    });
  EXPECT_THAT(std::vector<double>(grid.begin(), grid.end()), Each(5.0));
  const nearfork::run_report report = run.report();
  EXPECT_EQ(report.regions.at(0).input_bytes, grid.size_bytes());
  EXPECT_THAT(nearfork::to_text(report), HasSubstr("the machine is described"));
}

}  // namespace
