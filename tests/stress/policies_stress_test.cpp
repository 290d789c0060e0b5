// Every policy on virtual domains, with real threads: each task runs exactly once in every iteration, whatever the
// plan.
#include <gtest/gtest.h>

#include <atomic>
#include <cctype>
#include <stdexcept>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::sanitized;

constexpr std::size_t leaves = sanitized ? 512 : 4096;

/// The regions declare eight times the cache as their data. That is so much that they never count as CPU-bound, however
/// slow a sanitizer makes them.
struct virtual_machine {
  const char* name;
  std::string description;
  std::uint64_t input_bytes;
};
constexpr std::uint64_t gib = std::uint64_t{1} << 30;

const std::vector<virtual_machine>& virtual_machines() {
  static const std::vector<virtual_machine> all = {
      {"2x1", "package:2 [numa] l3:1(size=1GiB) core:1 pu:1", 8 * gib},
      {"2x2", "package:2 [numa] l3:1(size=1GiB) core:2 pu:1", 8 * gib},
      {"4x4", "package:4 [numa] l3:1(size=1GiB) core:4 pu:1", 8 * gib},
      {"asymmetric", NEARFORK_SOURCE_DIR "/tests/machines/recorded/15pu-2p-asymmetric.xml", gib / 128},
  };
  return all;
}

class every_policy : public testing::TestWithParam<std::tuple<std::string, std::size_t>> {
 protected:
  every_policy() : runtime_(settings()) {}

  static const virtual_machine& machine() { return virtual_machines()[std::get<1>(GetParam())]; }
  static nearfork::config settings() {
    nearfork::config made;
    made.policy = std::get<0>(GetParam());
    made.machine = machine().description;
    return made;
  }
  static nearfork::region_options with_input(std::string name) {
    return {.name = std::move(name), .input_bytes = machine().input_bytes};
  }

  nearfork::runtime runtime_;
};

std::string name_of(const testing::TestParamInfo<every_policy::ParamType>& info) {
  std::string name = std::get<0>(info.param) + "_on_" + virtual_machines()[std::get<1>(info.param)].name;
  for (char& c : name)
    if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
  return name;
}
INSTANTIATE_TEST_SUITE_P(machines, every_policy,
                         testing::Combine(testing::ValuesIn(nearfork::policy_names()),
                                          testing::Range(std::size_t{0}, virtual_machines().size())),
                         name_of);

class ledger {
 public:
  explicit ledger(std::size_t tasks) : runs_(tasks) {}
  void ran(std::size_t id) { runs_[id].fetch_add(1, std::memory_order_relaxed); }
  /// The number of tasks that did not run exactly once since the last call.
  [[nodiscard]] std::size_t take_faults() {
    std::size_t count = 0;
    for (auto& one : runs_) count += one.exchange(0, std::memory_order_relaxed) != 1;
    return count;
  }

 private:
  std::vector<std::atomic<std::uint8_t>> runs_;
};

/// Splits unevenly, as `salt` decides: equal salts give trees of equal shape.
void tree(ledger& of, std::size_t lo, std::size_t hi, std::size_t salt) {
  if (hi - lo == 1) return of.ran(lo);
  const std::size_t middle = lo + 1 + (lo * 31 + hi * salt) % (hi - lo - 1 == 0 ? 1 : hi - lo - 1);
  nearfork::fork_join([&, lo, middle] { tree(of, lo, middle, salt); }, [&, middle, hi] { tree(of, middle, hi, salt); });
}
void even_tree(ledger& of, std::size_t lo, std::size_t hi) {
  if (hi - lo == 1) return of.ran(lo);
  const std::size_t middle = lo + (hi - lo) / 2;
  nearfork::fork_join([&, lo, middle] { even_tree(of, lo, middle); }, [&, middle, hi] { even_tree(of, middle, hi); });
}

TEST_P(every_policy, runs_each_task_of_a_recurring_tree_once) {
  ledger all(leaves);
  for (int iteration = 0; iteration < 40; ++iteration) {
    runtime_.run([&] { nearfork::region(with_input("even"), [&] { even_tree(all, 0, leaves); }); });
    ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
  }
  const auto regions = runtime_.report().regions;
  ASSERT_EQ(regions.size(), 1U);
  EXPECT_EQ(regions[0].plain + regions[0].profiled + regions[0].planned, 40U);
}

TEST_P(every_policy, runs_each_task_once_when_the_tree_changes_its_shape_every_time) {
  ledger all(leaves);
  for (std::size_t iteration = 0; iteration < 25; ++iteration) {
    runtime_.run([&] { nearfork::region(with_input("changing"), [&] { tree(all, 0, leaves, iteration); }); });
    ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
  }
}

TEST_P(every_policy, runs_regions_inside_regions) {
  ledger all(8 * leaves);
  const auto inner = [&](std::size_t i) {
    nearfork::region(with_input("inner " + std::to_string(i)),
                     [&, i] { even_tree(all, i * leaves, (i + 1) * leaves); });
  };
  for (int iteration = 0; iteration < 15; ++iteration) {
    runtime_.run([&] {
      nearfork::region(with_input("outer"), [&] { nearfork::parallel_for(std::size_t{0}, std::size_t{8}, inner); });
    });
    ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
  }
}

TEST_P(every_policy, serves_two_threads_at_once) {
  std::vector<std::size_t> faults(2);
  const auto caller = [&](std::size_t number) {
    ledger mine(leaves);
    for (int iteration = 0; iteration < 20; ++iteration) {
      // All threads enter the same region, so that iterations overlap; each also enters a region of its own.
      runtime_.run([&] { nearfork::region(with_input("shared"), [&] { even_tree(mine, 0, leaves); }); });
      faults[number] += mine.take_faults();
      runtime_.run(
          [&] { nearfork::region(with_input("own " + std::to_string(number)), [&] { tree(mine, 0, leaves, 3); }); });
      faults[number] += mine.take_faults();
    }
  };
  std::thread first(caller, 0), second(caller, 1);
  first.join();
  second.join();
  EXPECT_EQ(faults, (std::vector<std::size_t>{0, 0}));
}

TEST_P(every_policy, survives_iterations_that_throw_half_way) {
  ledger all(leaves);
  for (int iteration = 0; iteration < 20; ++iteration) {
    const auto throwing = [&] {
      nearfork::region(with_input("thrower"), [&] {
        nearfork::parallel_for(std::size_t{0}, leaves, [&](std::size_t i) {
          if (iteration % 2 == 1 && i == leaves / 2) throw std::runtime_error("half-way");
          all.ran(i);
        });
      });
    };
    if (iteration % 2 == 1) {
      EXPECT_THROW(runtime_.run(throwing), std::runtime_error);
      (void)all.take_faults();
    } else {
      runtime_.run(throwing);
      ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
    }
  }
}

TEST_P(every_policy, takes_groups_and_loops_in_planned_tasks) {
  ledger all(leaves);
  for (int iteration = 0; iteration < 15; ++iteration) {
    runtime_.run([&] {
      nearfork::region(with_input("mixed"), [&] {
        nearfork::fork_join(
            [&] { nearfork::parallel_for(std::size_t{0}, leaves / 2, [&](std::size_t i) { all.ran(i); }); },
            [&] {
              nearfork::task_group group;
              for (std::size_t i = leaves / 2; i < leaves; ++i) group.spawn([&all, i] { all.ran(i); });
              group.sync();
            });
      });
    });
    ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
  }
}

TEST(planned_regions, may_have_a_million_leaves) {
  constexpr std::size_t many = sanitized ? 20'000 : 1'000'000;
  nearfork::config settings;
  settings.policy = "laws";
  settings.machine = virtual_machines()[1].description;
  settings.profile_tasks = 2 * many;
  nearfork::runtime runtime(settings);
  ledger all(many);
  for (int iteration = 0; iteration < 3; ++iteration) {
    runtime.run([&] {
      nearfork::region({.name = "large", .input_bytes = virtual_machines()[1].input_bytes},
                       [&] { even_tree(all, 0, many); });
    });
    ASSERT_EQ(all.take_faults(), 0U) << "iteration " << iteration;
  }
  EXPECT_EQ(runtime.report().regions.at(0).planned, 2U);
}

TEST_P(every_policy, runs_iterations_without_a_fork) {
  int ran = 0;
  for (int iteration = 0; iteration < 10; ++iteration)
    runtime_.run([&] { nearfork::region(with_input("tiny"), [&] { ++ran; }); });
  EXPECT_EQ(ran, 10);
}

}  // namespace
