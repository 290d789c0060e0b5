// What NEARFORK_RECORD and the hints promise. Tests in tests/unit/runtime look at the recordings themselves. Here a
// user sees that files come and hold what ran, and that nothing else changes.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "runtime_settings.hpp"

namespace {

namespace fs = std::filesystem;
using namespace nearfork;

/// A folder that the destructor removes.
struct scratch_folder {
  scratch_folder()
      : path(fs::temp_directory_path() / ("nearfork-recording-" + std::to_string(::rand()) + "-" +
                                          std::to_string(reinterpret_cast<std::uintptr_t>(this)))) {
    fs::create_directories(path);
  }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  fs::path path;
};

config recording_to(const std::string& path, unsigned workers = 2) {
  config settings = test::with_workers(workers);
  settings.record = path;
  return settings;
}

unsigned fib(unsigned n) {
  if (n < 2) return n;
  const auto [a, b] = fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

TEST(recording, leaves_a_file_when_the_runtime_stops_and_does_not_change_the_answer) {
  const scratch_folder folder;
  const std::string path = folder.file("g.nfg");
  {
    runtime recorded(recording_to(path, 4));
    for (int i = 0; i < 3; ++i) EXPECT_EQ(recorded.run([] { return region("fib", [] { return fib(15); }); }), 610U);
    EXPECT_FALSE(fs::exists(path));
  }
  EXPECT_GT(fs::file_size(path), 32U);
}

TEST(recording, of_a_second_runtime_in_the_process_has_a_name_of_its_own) {
  const scratch_folder folder;
  const std::string path = folder.file("g.nfg");
  for (int i = 0; i < 2; ++i) {
    runtime recorded(recording_to(path));
    recorded.run([] { region("r", [] { (void)fib(5); }); });
  }
  EXPECT_TRUE(fs::exists(path));
  EXPECT_TRUE(fs::exists(folder.file("g-2.nfg")));
}

TEST(recording, can_be_written_at_any_time_and_says_why_where_it_cannot) {
  const scratch_folder folder;
  runtime recorded(recording_to(folder.file("end.nfg")));
  recorded.run([] { region("r", [] { (void)fib(5); }); });
  recorded.write_recording(folder.file("now.nfg"));
  EXPECT_TRUE(fs::exists(folder.file("now.nfg")));
  try {
    recorded.write_recording(folder.file("no/such/folder.nfg"));
    FAIL() << "no error";
  } catch (const error& refused) {
    EXPECT_NE(std::string(refused.what()).find("No such file"), std::string::npos) << refused.what();
  }
}

TEST(recording, is_refused_where_nothing_is_recorded) {
  runtime plain(test::with_workers(1));
  EXPECT_THROW(plain.write_recording("/tmp/never.nfg"), error);
}

TEST(recording, passes_exceptions_on_and_says_on_the_report_that_the_iteration_is_left_out) {
  const scratch_folder folder;
  runtime recorded(recording_to(folder.file("g.nfg")));
  const auto throws = [&] { recorded.run([] { region("r", [] { fork_join([] { throw 7; }, [] {}); }); }); };
  EXPECT_THROW(throws(), int);
  const run_report report = recorded.report();
  EXPECT_TRUE(std::ranges::any_of(report.degradations,
                                  [](const degradation& one) { return one.what == "1 iterations are not recorded"; }));
}

TEST(recording, runs_every_task_exactly_once_whatever_it_is_forked_by) {
  const scratch_folder folder;
  runtime recorded(recording_to(folder.file("g.nfg"), 4));
  for (int iteration = 0; iteration < 4; ++iteration) {
    std::vector<std::atomic<int>> seen(3000);
    recorded.run([&] {
      region("mixed", [&] {
        fork_join([&] { parallel_for(0, 1000, [&](int i) { seen[static_cast<std::size_t>(i)].fetch_add(1); }); },
                  [&] {
                    task_group group;
                    for (std::size_t i = 1000; i < 2000; ++i) group.spawn([&seen, i] { seen[i].fetch_add(1); });
                    group.sync();
                  },
                  [&] {
                    task_group group;
                    group.spawn([&] {
                      for (std::size_t i = 2000; i < 3000; ++i) group.spawn([&seen, i] { seen[i].fetch_add(1); });
                    });
                    group.sync();
                  });
      });
    });
    for (std::size_t i = 0; i < seen.size(); ++i) ASSERT_EQ(seen[i].load(), 1) << "task " << i;
  }
}

/// In a process that has made no runtime yet, as in main().
[[noreturn]] void name_before_the_first_runtime(const std::string& path) {
  std::vector<double> data(1000);
  {
    const data_name named("given early", data);
    runtime recorded(recording_to(path));
    recorded.run([&] { region("sum", [&] { reads(data); }); });
  }
  std::ifstream file(path, std::ios::binary);
  const std::string bytes{std::istreambuf_iterator<char>(file), {}};
  std::_Exit(bytes.find("given early") != std::string::npos ? 0 : 1);
}

TEST(hints_death_test, names_count_that_are_given_before_the_first_runtime) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const scratch_folder folder;
  EXPECT_EXIT(name_before_the_first_runtime(folder.file("g.nfg")), testing::ExitedWithCode(0), "");
}

TEST(hints, may_be_given_anywhere_and_do_nothing_where_nobody_records) {
  std::vector<double> data(100);
  reads(data);
  writes(data);
  reads(data.data(), 10, 10);
  writes(std::span(data).first(5), 4, 20);
  const data_name named("data", data);
  run([&] { reads(std::span(data)); });
}

}  // namespace
