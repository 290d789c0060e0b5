#include "tools/advice/simulations/simulated_workers.hpp"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>

#include "machine/live/affinity.hpp"
#include "recording/recording_file.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace nearfork::tools {
namespace {

using cause = worker_limit::cause;

/// 64 leaves of 100 us, recorded with `workers`, on a machine of four cores with two hardware threads each.
sim_study study_with(std::uint32_t workers, const std::string& here = "package:1 [numa] core:4 pu:2") {
  recordings::recording recorded = sample_files::flat_recording(64, 100'000, 64);
  recorded.workers = workers;
  const auto path = std::filesystem::temp_directory_path() / ("workers-" + std::to_string(::getpid()) + ".nfg");
  recordings::save_recording(recorded, path.string());
  sim_study made = study_from({.subject = path.string(), .machines = {here}});
  std::filesystem::remove(path);
  made.here = machine_to_simulate(here);
  return made;
}

std::vector<simulated_variant> simulated(const sim_study& study, const worker_limit& limit,
                                         const std::shared_ptr<const machine>& whole = nullptr) {
  const worker_limit limits[] = {limit};
  const worker_simulations made(study, "random", limits, whole);
  return made.with(simulate_all(made.jobs(), 1));
}

TEST(simulated_workers, a_raised_quota_is_simulated_beside_what_it_has_time_for) {
  const sim_study study = study_with(8);
  const auto made = simulated(study, {.why = cause::quota, .run = 8, .present = 1, .wanted = 8});
  ASSERT_EQ(made.size(), 2U) << "a worker on each hardware thread, and one on each core";
  EXPECT_EQ(made[0].workers, 8U);
  EXPECT_EQ(made[1].workers, 4U);
  for (const simulated_variant& one : made) {
    EXPECT_EQ(one.what, simulated_variant::change::workers);
    EXPECT_EQ(one.value, "quota");
    EXPECT_EQ(one.base_workers, 1U);
    EXPECT_NEAR(one.base_ns, 6.4e6, 6.4e5) << "64 times 100 us";
  }
  EXPECT_NEAR(made[1].gain(), 0.75, 0.05) << "four cores for one";
}

TEST(simulated_workers, too_many_workers_are_simulated_beside_the_recorded_time) {
  const sim_study study = study_with(16);
  const auto made = simulated(study, {.why = cause::oversubscription, .run = 16, .present = 8, .wanted = 8});
  ASSERT_EQ(made.size(), 2U);
  EXPECT_EQ(made[0].base_workers, 16U);
  EXPECT_EQ(made[0].base_ns, 3.2e6) << "as recorded";
  EXPECT_GT(made[0].time_ns, 0);
  EXPECT_TRUE(simulated(study_with(8), {.why = cause::oversubscription, .run = 16, .present = 8, .wanted = 8}).empty())
      << "the recorded run is another one";
  sim_study idle = study_with(16);
  idle.recorded->time_ns = 3 * idle.recorded->work_ns;
  EXPECT_TRUE(simulated(idle, {.why = cause::oversubscription, .run = 16, .present = 8, .wanted = 8}).empty())
      << "most of the time is not in the tasks";
}

TEST(simulated_workers, an_affinity_mask_is_left_out_on_a_machine_that_is_known_as_a_whole) {
  const sim_study study = study_with(2, "package:1 [numa] core:2 pu:1");
  const worker_limit limit{.why = cause::affinity, .run = 2, .present = 2, .wanted = 8};
  EXPECT_TRUE(simulated(study, limit).empty()) << "the rest of the machine cannot be seen";
  const auto made = simulated(study, limit, machine_from_synthetic("package:1 [numa] core:8 pu:1"));
  ASSERT_EQ(made.size(), 1U);
  EXPECT_EQ(made[0].workers, 8U);
  EXPECT_EQ(made[0].base_workers, 2U);
  EXPECT_NEAR(made[0].gain(), 0.75, 0.05) << "eight cores for two";
}

/// On a machine with two hardware threads at least.
TEST(simulated_workers, the_whole_machine_is_seen_through_a_mask_which_stays) {
  std::vector<unsigned long> before;
  ASSERT_EQ(read_affinity(before), 0);
  const std::size_t all = load_machine({})->pus().size();
  if (all < 2) GTEST_SKIP() << "one hardware thread alone";
  std::vector<unsigned long> one(before.size(), 0);
  for (std::size_t word = 0; word < before.size(); ++word)
    if (before[word] != 0) {
      one[word] = before[word] & (~before[word] + 1);
      break;
    }
  ASSERT_EQ(restore_affinity(one), 0);
  const std::size_t masked = load_machine({})->pus().size();
  const auto whole = machine_without_affinity();
  std::vector<unsigned long> after;
  EXPECT_EQ(read_affinity(after), 0);
  const std::size_t masked_after = load_machine({})->pus().size();
  ASSERT_EQ(restore_affinity(before), 0);
  (void)load_machine({});
  EXPECT_EQ(masked, 1U);
  ASSERT_NE(whole, nullptr);
  EXPECT_GE(whole->pus().size(), all);
  EXPECT_EQ(after, one);
  EXPECT_EQ(masked_after, 1U) << "what is read later obeys the mask again";
}

}  // namespace
}  // namespace nearfork::tools
