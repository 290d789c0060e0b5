// Stalls on memory that workers count: in the trace and on the run report, from a scripted counter.
#include "runtime/counters/worker_stalls.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "decoded_trace.hpp"
#include "plan/policies/random_policy.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime_settings.hpp"
#include "scripted_misses.hpp"

namespace {

using namespace nearfork;
namespace fs = std::filesystem;
using testing::HasSubstr;

/// Each reading is 1000 ns more.
class scripted_stalls final : public stall_counting {
 public:
  counting_refusal refused{};
  mutable std::atomic<unsigned> opened{0};

  stall_opening open_for_this_thread() const override {
    ++opened;
    if (!refused.why.empty()) return {nullptr, {}, refused};
    return {std::make_unique<growing>(), "stalls of the script", {}};
  }

 private:
  class growing final : public stall_counter {
   public:
    std::optional<std::uint64_t> stalled_ns() noexcept override { return now_ns_ += 1000; }

   private:
    std::uint64_t now_ns_ = 0;
  };
};

class counted_stalls : public testing::Test {
 protected:
  void SetUp() override { fs::create_directories(folder_); }
  void TearDown() override { fs::remove_all(folder_); }

  run_report report_of_a_run(bool is_traced) {
    config settings = test::with_workers(2);
    if (is_traced) settings.trace = (folder_ / "t.pftrace").string();
    runtime run(settings, std::make_unique<scheduler>(settings, live_machine(),
                                                      std::make_unique<random_policy>(random_policy::workers::pinned),
                                                      std::make_shared<test::scripted_misses>(), nullptr,
                                                      live_power_system(), nullptr, nullptr, stalls));
    run.run([] { (void)fork_join([] { return 1; }, [] { return 2; }); });
    for (int tries = 0; tries < 1000 && run.report().parks < 2; ++tries)
      std::this_thread::sleep_for(std::chrono::milliseconds(1));
    return run.report();
  }

  std::shared_ptr<scripted_stalls> stalls = std::make_shared<scripted_stalls>();
  const fs::path folder_ = fs::temp_directory_path() / ("nearfork-stalls-" + std::to_string(::getpid()));
};

TEST_F(counted_stalls, are_on_the_report_and_in_the_trace) {
  const run_report made = report_of_a_run(true);
  EXPECT_EQ(stalls->opened.load(), 2U);
  EXPECT_EQ(made.stalls.event, "stalls of the script");
  EXPECT_EQ(made.stalls.note, "");
  for (const worker_report& one : made.workers) EXPECT_GE(one.stalled_ns.value_or(0), 1000U) << one.index;
  const auto json = nlohmann::json::parse(to_json(made));
  EXPECT_EQ(json.at("workers").at(0).at("stalled_ns"), *made.workers[0].stalled_ns);
  EXPECT_EQ(json.at("stalls").at("event"), "stalls of the script");
  std::ifstream file(folder_ / "t.pftrace", std::ios::binary);
  const test::decoded_trace trace = test::decode_trace({std::istreambuf_iterator<char>(file), {}});
  for (const char* const name : {"ns of stalls on memory of worker 0", "ns of stalls on memory of worker 1"})
    EXPECT_EQ(std::ranges::count_if(trace.tracks, [&](const auto& one) { return one.second == name; }), 1) << name;
}

TEST_F(counted_stalls, that_are_refused_are_named_on_the_report) {
  stalls->refused = {"kernel.perf_event_paranoid is 4", "set it to 2"};
  const run_report made = report_of_a_run(true);
  EXPECT_EQ(made.stalls.note, "kernel.perf_event_paranoid is 4");
  EXPECT_EQ(made.stalls.remedy, "set it to 2");
  for (const worker_report& one : made.workers) EXPECT_FALSE(one.stalled_ns);
  EXPECT_THAT(to_text(made),
              HasSubstr("stalls on memory are not counted: kernel.perf_event_paranoid is 4; set it to 2"));
  EXPECT_THAT(to_json(made), HasSubstr("\"stalled_ns\": null"));
}

TEST_F(counted_stalls, are_not_counted_without_a_trace) {
  const run_report made = report_of_a_run(false);
  EXPECT_EQ(stalls->opened.load(), 0U);
  EXPECT_EQ(made.stalls.note, "");
  EXPECT_FALSE(made.workers[0].stalled_ns);
}

}  // namespace
