// A region whose entry or end fails is not in progress afterwards. The causes are: each allocation on the way in turn
// finds no memory, memory cannot be had in strict mode, and a policy throws.
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <stdexcept>
#include <string>

#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "failing_allocations.hpp"
#include "machines_with_memory.hpp"
#include "memory/placed/placed_memory.hpp"
#include "plan/policies/laws_policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime_settings.hpp"
#include "scripted_misses.hpp"

constinit thread_local long nearfork::test::failing_allocation = 0;
std::atomic<long> nearfork::test::failing_anywhere{0};

namespace {

using nearfork::test::failing_allocation;
using nearfork::test::failing_anywhere;

bool this_one_fails() noexcept {
  if (failing_anywhere.load(std::memory_order_relaxed) > 0 && failing_anywhere.fetch_sub(1) == 1) return true;
  return failing_allocation > 0 && --failing_allocation == 0;
}

void* allocate(std::size_t bytes) {
  if (this_one_fails()) throw std::bad_alloc();
  if (void* const got = std::malloc(bytes == 0 ? 1 : bytes)) return got;
  throw std::bad_alloc();
}

}  // namespace

void* operator new(std::size_t bytes) {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes) {
  return allocate(bytes);
}
void* operator new(std::size_t bytes, const std::nothrow_t&) noexcept {
  return this_one_fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t&) noexcept {
  return this_one_fails() ? nullptr : std::malloc(bytes == 0 ? 1 : bytes);
}
void operator delete(void* memory) noexcept {
  std::free(memory);
}
void operator delete[](void* memory) noexcept {
  std::free(memory);
}
void operator delete(void* memory, std::size_t) noexcept {
  std::free(memory);
}
void operator delete[](void* memory, std::size_t) noexcept {
  std::free(memory);
}

namespace {

using namespace nearfork;
using test::fake_memory;
using test::fake_nodes;

constexpr std::size_t page_bytes = fake_nodes::page;

/// Plans by profile, as laws does; throws from next() a given number of times.
class throwing_policy final : public policy {
 public:
  explicit throwing_policy(std::atomic<int>& times) : times_(times) {}
  std::string_view name() const override { return laws_.name(); }
  policy_needs needs() const override { return laws_.needs(); }
  plan first(const machine& where, const region_facts& facts) const override { return laws_.first(where, facts); }
  plan next(const machine& where, const profile& measured, const plan& previous) const override {
    if (times_.load() > 0) {
      --times_;
      throw std::runtime_error("the policy gave up");
    }
    return laws_.next(where, measured, previous);
  }
  search_order order(const machine& where, phase now) const override { return laws_.order(where, now); }

 private:
  std::atomic<int>& times_;
  laws_policy laws_{laws_policy::subtrees::packed};
};

class region_entry : public testing::Test {
 protected:
  void start(const std::string& record = "") {
    config settings = test::with_workers(2);
    settings.record = record;
    settings.strict = strict;
    home = std::make_unique<scheduler>(settings, where, std::make_unique<throwing_policy>(policy_throws),
                                       std::make_shared<test::scripted_misses>(), &memory);
    inside = home.get();
    settings.record.clear();  // nothing is written
    run = std::make_unique<runtime>(settings, std::move(home));
  }
  static void body() {
    failing_allocation = 0;
    (void)fork_join([] { return 1; }, [] { return 2; }, [] { return 3; }, [] { return 4; });
  }
  void iterate(long failing = 0) {
    run->run([failing] {
      failing_allocation = failing;
      try {
        region({.name = "heat"}, body);
      } catch (...) {
        failing_allocation = 0;
        throw;
      }
      failing_allocation = 0;
    });
  }
  [[nodiscard]] region_report heat() const { return run->report().regions.at(0); }
  [[nodiscard]] bool nothing_is_in_progress() {
    crew& all = inside->workers();
    const bool idle = all.iterations().profiling.load() == 0 && all.iterations().planned.load() == 0;
    for (std::uint32_t i = 0; i < all.domain_count(); ++i)
      if (all.domain_at(i).to_come.load() != 0) return false;
    return idle;
  }
  /// Makes every allocation of an entry fail once. Returns their number.
  long fail_each() {
    for (long n = 1;; ++n) {
      try {
        iterate(n);
        return n - 1;  // the entry has fewer allocations
      } catch (const std::bad_alloc&) {
      }
      EXPECT_TRUE(nothing_is_in_progress()) << "allocation " << n;
    }
  }

  bool strict = false;
  std::atomic<int> policy_throws{0};
  fake_nodes nodes{{100, 100}};
  std::shared_ptr<const machine> where = machine_with({100, 100});
  placed_memory memory{std::make_unique<fake_memory>(nodes), where};
  std::unique_ptr<scheduler> home;
  scheduler* inside = nullptr;
  std::unique_ptr<runtime> run;
};

TEST_F(region_entry, without_memory_leaves_it_out_of_progress) {
  (void)memory.allocate(8 * page_bytes, 8, {});
  start();
  EXPECT_GT(fail_each(), 2) << "of the profiling iteration";
  const std::uint64_t planned = heat().planned;
  EXPECT_GT(fail_each(), 0) << "of a planned one";
  iterate();
  EXPECT_GT(heat().planned, planned + 1);
}

TEST_F(region_entry, without_memory_while_it_is_recorded) {
  start("unused.nfg");
  EXPECT_GT(fail_each(), 2);
  EXPECT_GT(fail_each(), 2);
  iterate();
  EXPECT_GE(heat().profiled, 1U);
  EXPECT_TRUE(nothing_is_in_progress());
}

TEST_F(region_entry, that_strict_memory_refuses_leaves_it_out_of_progress) {
  strict = true;
  std::byte* const block = static_cast<std::byte*>(memory.allocate(8 * page_bytes, 8, {}));
  for (int i = 0; i < 8; ++i) nodes.touch(block + static_cast<std::size_t>(i) * page_bytes, 0);
  start();
  nodes.refuse_policy = EPERM;
  EXPECT_THROW(iterate(), error);
  EXPECT_TRUE(nothing_is_in_progress());
  nodes.refuse_policy = 0;
  iterate();
  EXPECT_EQ(heat().iterations, 2U);
  EXPECT_EQ(heat().plain, 0U) << "the second is not taken for one that overlaps the first";
}

TEST_F(region_entry, whose_policy_throws_at_its_end_goes_on_and_says_so) {
  start();
  policy_throws.store(2);
  iterate();
  iterate();
  EXPECT_TRUE(nothing_is_in_progress());
  bool said = false;
  for (const std::string& line : heat().why)
    said |= line == "iterations that taught nothing: 2; the last: the policy gave up";
  EXPECT_TRUE(said);
  iterate();
  iterate();
  EXPECT_EQ(heat().profiled, 1U);
  EXPECT_EQ(heat().plain, 0U);
}

/// The end of an iteration allocates on the thread where the body ended.
TEST_F(region_entry, whose_end_finds_no_memory_goes_on) {
  start();
  for (long n = 1; n < 200; ++n) {
    run->run([n] {
      region({.name = "heat"}, [n] {
        body();
        failing_allocation = n;
      });
      failing_allocation = 0;
    });
    ASSERT_TRUE(nothing_is_in_progress()) << "allocation " << n;
  }
  iterate();
  EXPECT_GT(heat().planned, 0U);
}

/// The children go to pools, whose memory is waited for. Six of them need memory of their own: without it the fork
/// throws, before any child begins.
TEST_F(region_entry, whose_forks_find_no_memory_goes_on) {
  start();
  for (long n = 1; n < 300; ++n) {
    std::array<std::atomic<int>, 6> begun{};
    bool has_thrown = false;
    run->run([&] {
      region({.name = "heat"}, [&] {
        failing_anywhere = 1 + n % 10;
        try {
          const auto child = [&](std::size_t i) { return [&begun, i] { begun[i].fetch_add(1); }; };
          fork_join(child(0), child(1), child(2), child(3), child(4), child(5));
        } catch (const std::bad_alloc&) {
          has_thrown = true;
        }
        failing_anywhere = 0;
      });
    });
    for (const auto& each : begun) ASSERT_EQ(each.load(), has_thrown ? 0 : 1) << "allocation " << 1 + n % 10;
    ASSERT_TRUE(nothing_is_in_progress());
  }
  EXPECT_GT(heat().planned, 0U);
}

}  // namespace
