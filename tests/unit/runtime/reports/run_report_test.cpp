#include <nearfork/run_report.hpp>

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include <nlohmann/json.hpp>

namespace nearfork {
namespace {

using nlohmann::json;

run_report full_report() {
  run_report report;
  report.name = "solver \"A\"";
  report.policy = "random";
  report.policy_source = "environment variable NEARFORK_POLICY";
  report.machine = "2 domains of 2 cores";
  report.machine_source = "synthetic pack:2 l3:1 core:2 pu:1";
  report.domains = 2;
  report.workers = {{.index = 0, .domain = 0, .os_pu = 4, .pin_note = ""},
                    {.index = 1, .domain = 1, .os_pu = {}, .pin_note = "Operation not permitted (errno 1)"}};
  report.steals = {1, 2, 0, 0, 5};
  report.failed_steals = 9;
  report.steal_latency = {
      .count = 8,
      .median_ns = 300,
      .p99_ns = 20'000,
      .highest_ns = 12'345'678,
      .buckets = {{.from_ns = 288, .to_ns = 320, .count = 7}, {.from_ns = 20480, .to_ns = 22528, .count = 1}}};
  report.parks = 3;
  report.wake_ups = 2;
  report.wake_latency = {.count = 2, .median_ns = 50'000, .p99_ns = 60'000, .highest_ns = 61'000, .buckets = {}};
  report.fibers_made = 12;
  report.fibers_peak_live = 6;
  report.fibers_small_guard = 2;
  report.fibers_unguarded = 1;
  report.peak_stack_bytes = 49'152;
  report.suspensions = 5;
  report.waits_in_place = 1;
  report.publications = 10;
  report.pool_tasks = 4;
  report.roots = 2;
  report.roots_on_callers = 1;
  report.regions = {{.name = "heat",
                     .iterations = 200,
                     .plain = 9,
                     .profiled = 1,
                     .planned = 190,
                     .cost_source = "time",
                     .misses_not_counted = "no counters here",
                     .why = {"settled", "16 subtrees"},
                     .input_bytes = 32'768,
                     .placed_blocks = 2,
                     .moved_bytes = 8192,
                     .moves_undone = 1,
                     .energy_iterations = 199,
                     .energy = {{.package = "package-0", .joules = 12.5, .watts = 41.25}}}};
  report.memory = {.blocks_made = 3,
                   .blocks_reused = 1,
                   .kept_bytes = 32'768,
                   .blocks = 2,
                   .bytes = 65'536,
                   .moved_bytes = 12'288,
                   .stuck_bytes = 4096,
                   .malloc_blocks = 2,
                   .malloc_bytes = 49'152,
                   .note = "nothing follows the plans"};
  report.dataflow = {.push = "input",
                     .alloc = "deferred",
                     .pushed = 20,
                     .stayed = 7,
                     .mailbox_full = 3,
                     .robbed = 4,
                     .robbed_far = 2,
                     .local_bytes = 65'536,
                     .remote_bytes = 4096,
                     .unknown_bytes = 1024,
                     .buffers_at_most = 9,
                     .note = "distances of nodes: not told"};
  report.power = {.mode = "manage",
                  .energy_source = "powercap",
                  .energy_note = "a counter was lost",
                  .energy = {{.package = "package-0", .joules = 20.5, .watts = 40},
                             {.package = "package-1", .joules = 10.25, .watts = 20}},
                  .clocks = 2,
                  .clock_changes = 17,
                  .notes = {"CPUs 0, 1 have one clock: the fastest wish wins"}};
  report.degradations = {{.what = "worker is not pinned",
                          .where = "worker 1",
                          .why = "Operation not permitted (errno 1)",
                          .remedy = "allow sched_setaffinity"}};
  return report;
}

TEST(run_report_json, says_everything) {
  const json read = json::parse(to_json(full_report()));
  EXPECT_EQ(read["version"], 1);
  EXPECT_EQ(read["name"], "solver \"A\"");
  EXPECT_EQ(read["policy"], "random");
  EXPECT_EQ(read["policy_source"], "environment variable NEARFORK_POLICY");
  EXPECT_EQ(read["machine"], "2 domains of 2 cores");
  EXPECT_EQ(read["machine_source"], "synthetic pack:2 l3:1 core:2 pu:1");
  EXPECT_EQ(read["domains"], 2);
  ASSERT_EQ(read["workers"].size(), 2U);
  EXPECT_EQ(read["workers"][0]["os_pu"], 4);
  EXPECT_TRUE(read["workers"][1]["os_pu"].is_null());
  EXPECT_EQ(read["workers"][1]["domain"], 1);
  EXPECT_EQ(read["workers"][1]["pin_note"], "Operation not permitted (errno 1)");
  EXPECT_EQ(read["steals"], (json{{"core", 1}, {"cache", 2}, {"node", 0}, {"package", 0}, {"machine", 5}}));
  EXPECT_EQ(read["failed_steals"], 9);
  EXPECT_EQ(read["steal_latency"]["p99_ns"], 20'000);
  EXPECT_EQ(read["steal_latency"]["buckets"][1]["from_ns"], 20480);
  EXPECT_EQ(read["parks"], 3);
  EXPECT_EQ(read["wake_ups"], 2);
  EXPECT_EQ(read["wake_latency"]["median_ns"], 50'000);
  EXPECT_EQ(read["fibers"],
            (json{{"made", 12}, {"peak_live", 6}, {"small_guard", 2}, {"unguarded", 1}, {"peak_stack_bytes", 49'152}}));
  EXPECT_EQ(read["suspensions"], 5);
  EXPECT_EQ(read["waits_in_place"], 1);
  EXPECT_EQ(read["publications"], 10);
  EXPECT_EQ(read["pool_tasks"], 4);
  EXPECT_EQ(read["roots"], 2);
  EXPECT_EQ(read["roots_on_callers"], 1);
  EXPECT_EQ(read["regions"][0], (json{{"name", "heat"},
                                      {"iterations", 200},
                                      {"plain", 9},
                                      {"profiled", 1},
                                      {"planned", 190},
                                      {"cost_source", "time"},
                                      {"misses_not_counted", "no counters here"},
                                      {"why", {"settled", "16 subtrees"}},
                                      {"input_bytes", 32'768},
                                      {"placed_blocks", 2},
                                      {"moved_bytes", 8192},
                                      {"moves_undone", 1},
                                      {"energy_iterations", 199},
                                      {"energy", {{{"package", "package-0"}, {"joules", 12.5}, {"watts", 41.25}}}}}));
  EXPECT_EQ(read["memory"], (json{{"blocks_made", 3},
                                  {"blocks_reused", 1},
                                  {"kept_bytes", 32'768},
                                  {"blocks", 2},
                                  {"bytes", 65'536},
                                  {"moved_bytes", 12'288},
                                  {"stuck_bytes", 4096},
                                  {"malloc_blocks", 2},
                                  {"malloc_bytes", 49'152},
                                  {"note", "nothing follows the plans"}}));
  EXPECT_EQ(read["dataflow"], (json{{"push", "input"},
                                    {"alloc", "deferred"},
                                    {"pushed", 20},
                                    {"stayed", 7},
                                    {"mailbox_full", 3},
                                    {"robbed", 4},
                                    {"robbed_far", 2},
                                    {"local_bytes", 65'536},
                                    {"remote_bytes", 4096},
                                    {"unknown_bytes", 1024},
                                    {"buffers_at_most", 9},
                                    {"note", "distances of nodes: not told"}}));
  EXPECT_EQ(read["power"], (json{{"mode", "manage"},
                                 {"energy_source", "powercap"},
                                 {"energy_note", "a counter was lost"},
                                 {"energy",
                                  {{{"package", "package-0"}, {"joules", 20.5}, {"watts", 40.0}},
                                   {{"package", "package-1"}, {"joules", 10.25}, {"watts", 20.0}}}},
                                 {"clocks", 2},
                                 {"clock_changes", 17},
                                 {"notes", {"CPUs 0, 1 have one clock: the fastest wish wins"}}}));
  EXPECT_EQ(read["degradations"][0]["why"], "Operation not permitted (errno 1)");
}

TEST(run_report_json, of_nothing_is_valid) {
  const json read = json::parse(to_json({}));
  EXPECT_TRUE(read["workers"].is_array());
  EXPECT_TRUE(read["degradations"].empty());
}

TEST(run_report_text, is_what_a_person_reads) {
  EXPECT_EQ(to_text(full_report()), R"(run report of solver "A"
policy: random (environment variable NEARFORK_POLICY)
machine: 2 domains of 2 cores (synthetic pack:2 l3:1 core:2 pu:1)
workers: 2 in 2 domains
  worker 0: domain 0, bound to PU 4 of the system
  worker 1: domain 1, not bound (Operation not permitted (errno 1))
steals: 8 (core 1, cache 2, machine 5), failed 9, jobs shared by force 0
  out of work to work again: median 300 ns, p99 20.0 us, highest 12.3 ms (8 times)
parks: 3, wake-ups 2
  notified to running: median 50.0 us, p99 60.0 us, highest 61.0 us (2 times)
fibers: 12 made, at most 6 live, 2 with a guard below 1 GiB, 1 without guard; stacks 48.0 KiB at the peak
joins that waited: 5 suspended, 1 in place
tasks: 10 publications, 4 from pools, 2 roots from outside, 1 of them begun by their callers
regions: 1
  region heat: 200 iterations, 9 plain, 1 profiled, 190 planned
    settled
    16 subtrees
    input: 32.0 KiB, of placed blocks: 2
    memory moved to its tasks: 8192 bytes, undone 1 times
    energy of 199 iterations: package-0 12.500 J, 41.25 W
placed memory: 3 blocks made (1 on kept pages), 2 live with 64.0 KiB; moved 12.0 KiB, not to be moved 4096 bytes
  2 of these blocks are malloc's or operator new's, with 48.0 KiB
  32.0 KiB of freed blocks are kept for later ones
  nothing follows the plans
dataflow: push input, alloc deferred; tasks with much data: 20 pushed, 7 stayed, 3 found a full mailbox, 4 robbed (2 by another node)
  data: 64.0 KiB local, 4096 bytes remote, 1024 bytes not known; at most 9 buffers at a time
  distances of nodes: not told
power: manage; energy by powercap; 2 clocks, set 17 times
  energy of the whole run: package-0 20.500 J, 40.00 W; package-1 10.250 J, 20.00 W
  no energy: a counter was lost
  CPUs 0, 1 have one clock: the fastest wish wins
degradations: 1
  worker is not pinned, worker 1: Operation not permitted (errno 1)
    to do: allow sched_setaffinity
)");
}

TEST(run_report_text, has_no_control_characters_of_names) {
  run_report report = full_report();
  report.regions[0].name = "he\x1b[31mat\n";
  EXPECT_NE(to_text(report).find("  region he?[31mat?: 200 iterations"), std::string::npos);
}

TEST(run_report_text, of_nothing_has_no_empty_brackets) {
  const std::string text = to_text({});
  EXPECT_NE(text.find("steals: 0, failed 0, jobs shared by force 0\n"), std::string::npos) << text;
  EXPECT_NE(text.find("degradations: none\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("placed memory"), std::string::npos) << text;
  EXPECT_EQ(text.find("power"), std::string::npos) << text;
  EXPECT_EQ(text.find("dataflow"), std::string::npos) << text;
}

/// A directory that is removed with the test.
class write_report_to : public testing::Test {
 protected:
  write_report_to() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nearfork-report-XXXXXX").string();
    directory_ = mkdtemp(pattern.data());
  }
  ~write_report_to() override { std::filesystem::remove_all(directory_); }
  [[nodiscard]] std::string path(const std::string& name) const { return (directory_ / name).string(); }
  [[nodiscard]] static std::string contents(const std::string& path) {
    std::ifstream file(path);
    return {std::istreambuf_iterator<char>(file), {}};
  }

 private:
  std::filesystem::path directory_;
};

TEST_F(write_report_to, a_json_file) {
  write_report(full_report(), path("r.json"));
  EXPECT_EQ(contents(path("r.json")), to_json(full_report()));
}

TEST_F(write_report_to, a_text_file_over_an_older_one) {
  std::ofstream(path("r.txt")) << std::string(100'000, 'x');
  write_report(full_report(), path("r.txt"));
  EXPECT_EQ(contents(path("r.txt")), to_text(full_report()));
}

TEST_F(write_report_to, stderr_and_nowhere) {
  testing::internal::CaptureStderr();
  write_report(full_report(), "");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  write_report(full_report(), "stderr");
  EXPECT_EQ(testing::internal::GetCapturedStderr(), to_text(full_report()));
}

TEST_F(write_report_to, a_place_that_does_not_exist_says_so) {
  testing::internal::CaptureStderr();
  write_report(full_report(), path("no/such/directory/r.json"));
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_NE(said.find("no/such/directory/r.json"), std::string::npos) << said;
  EXPECT_NE(said.find("No such file or directory (errno 2)"), std::string::npos) << said;
  EXPECT_NE(said.find("NEARFORK_REPORT"), std::string::npos) << said;
}

TEST_F(write_report_to, a_full_device_says_so) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  testing::internal::CaptureStderr();
  write_report(full_report(), "/dev/full");
  EXPECT_NE(testing::internal::GetCapturedStderr().find("No space left on device"), std::string::npos);
}

}  // namespace
}  // namespace nearfork
