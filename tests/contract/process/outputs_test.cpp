// What NEARFORK_REPORT and NEARFORK_RECORD promise about the paths that they name.
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "message_of.hpp"
#include "runtime_settings.hpp"

namespace {

namespace fs = std::filesystem;
using namespace nearfork;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::size_t times(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != text.npos; at = text.find(part, at + 1)) ++found;
  return found;
}

class runtime_outputs : public testing::Test {
 protected:
  runtime_outputs() {
    std::string pattern = (fs::temp_directory_path() / "nearfork-outputs-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~runtime_outputs() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  static config reporting_to(const std::string& path, const std::string& name = "nearfork") {
    config settings = test::with_workers(1);
    settings.report = path;
    settings.name = name;
    return settings;
  }
  static config recording_to(const std::string& path) {
    config settings = test::with_workers(1);
    settings.record = path;
    return settings;
  }
  static void run_one(const config& settings) {
    runtime one(settings);
    one.run([] { fork_join([] {}, [] {}); });
  }

  fs::path folder_;
};

TEST_F(runtime_outputs, that_cannot_be_written_are_refused_when_the_runtime_is_made) {
  for (const std::string& bad : {folder_.string(), file("no/such/file"), std::string("/proc/none")}) {
    EXPECT_NE(test::message_of([&] { const runtime made(reporting_to(bad)); }).find("cannot write " + bad),
              std::string::npos);
    EXPECT_NE(test::message_of([&] { const runtime made(recording_to(bad)); }).find("cannot write " + bad),
              std::string::npos);
  }
  config named = test::with_workers(1);
  named.set("report", folder_.string(), "environment variable NEARFORK_REPORT");
  EXPECT_NE(test::message_of([&] { const runtime made(named); }).find("(environment variable NEARFORK_REPORT)"),
            std::string::npos);
  EXPECT_EQ(entries(), 0U);
}

TEST_F(runtime_outputs, are_not_there_before_the_runtime_stops) {
  config settings = reporting_to(file("r.txt"));
  settings.record = file("g.nfg");
  {
    const runtime made(settings);
    EXPECT_EQ(entries(), 0U);
  }
  EXPECT_EQ(entries(), 2U);
}

TEST_F(runtime_outputs, may_not_be_one_file) {
  config settings = reporting_to(file("both"));
  settings.record = file("both");
  EXPECT_NE(test::message_of([&] { const runtime made(settings); }).find("different paths"), std::string::npos);
  fs::create_symlink("both", file("link"));
  for (const char* const other_path : {"./both", "link"}) {
    settings.record = file(other_path);
    EXPECT_NE(test::message_of([&] { const runtime made(settings); }).find("different paths"), std::string::npos);
  }
  settings.report = settings.record = "/dev/null";
  run_one(settings);
}

TEST_F(runtime_outputs, of_relative_paths_go_where_the_runtime_started) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  {
    const runtime made(reporting_to("r.txt"));
    fs::current_path(before);
  }
  EXPECT_TRUE(fs::exists(file("r.txt")));
}

TEST_F(runtime_outputs, of_several_runtimes_that_share_a_text_file_are_all_in_it) {
  std::ofstream(file("r.txt")) << "of an earlier process";
  for (const char* const name : {"one", "two", "three"}) run_one(reporting_to(file("r.txt"), name));
  const std::string all = content_of(file("r.txt"));
  EXPECT_EQ(times(all, "run report of "), 3U);
  EXPECT_TRUE(all.starts_with("run report of one\n")) << all;
  EXPECT_LT(all.find("run report of two\n"), all.find("run report of three\n"));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(runtime_outputs, of_one_runtime_are_a_json_object_and_of_several_an_array) {
  run_one(reporting_to(file("r.json"), "one"));
  EXPECT_EQ(nlohmann::json::parse(content_of(file("r.json"))).at("name"), "one");
  for (const char* const name : {"two", "three"}) run_one(reporting_to(file("r.json"), name));
  const auto all = nlohmann::json::parse(content_of(file("r.json")));
  ASSERT_EQ(all.size(), 3U);
  EXPECT_EQ(all.at(0).at("name"), "one");
  EXPECT_EQ(all.at(2).at("name"), "three");
  EXPECT_EQ(all.at(2).at("version"), 1);
}

TEST_F(runtime_outputs, of_runtimes_that_stop_at_once_are_all_in_the_file) {
  std::vector<std::thread> threads;
  for (int i = 0; i < 8; ++i) threads.emplace_back([&] { run_one(reporting_to(file("r.json"))); });
  for (std::thread& one : threads) one.join();
  EXPECT_EQ(nlohmann::json::parse(content_of(file("r.json"))).size(), 8U);
}

TEST_F(runtime_outputs, start_anew_in_a_file_that_somebody_else_has_written_or_removed) {
  run_one(reporting_to(file("r.json"), "one"));
  std::ofstream(file("r.json")) << "no longer ours, and no JSON";
  run_one(reporting_to(file("r.json"), "two"));
  EXPECT_EQ(nlohmann::json::parse(content_of(file("r.json"))).at("name"), "two");
  fs::remove(file("r.json"));
  run_one(reporting_to(file("r.json"), "three"));
  EXPECT_EQ(nlohmann::json::parse(content_of(file("r.json"))).at("name"), "three");
}

TEST_F(runtime_outputs, of_one_file_by_two_names_are_all_in_it) {
  fs::create_symlink("r.txt", file("link"));
  run_one(reporting_to(file("r.txt")));
  run_one(reporting_to(file("link")));
  EXPECT_EQ(times(content_of(file("r.txt")), "run report of "), 2U);
  EXPECT_TRUE(fs::is_symlink(file("link")));
}

TEST_F(runtime_outputs, to_devices_leave_them_devices) {
  for (int i = 0; i < 2; ++i) {
    run_one(reporting_to("/dev/null"));
    run_one(recording_to("/dev/null"));
  }
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  EXPECT_FALSE(fs::exists("/dev/null-2"));
}

TEST_F(runtime_outputs, to_a_fifo_come_one_after_the_other) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  for (const char* const name : {"one", "two"}) {
    std::string got;
    std::thread reader([&] { got = content_of(file("pipe")); });
    run_one(reporting_to(file("pipe"), name));
    reader.join();
    EXPECT_EQ(times(got, "run report of " + std::string(name)), 1U) << got;
  }
}

TEST_F(runtime_outputs, that_find_no_room_at_the_end_are_told_on_stderr) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  testing::internal::CaptureStderr();
  config settings = reporting_to("/dev/full");
  settings.record = "/dev/full";
  run_one(settings);
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_EQ(times(said, "cannot write /dev/full"), 2U) << said;
  EXPECT_EQ(times(said, "No space left on device"), 2U) << said;
}

/// The process's own runtime stops last of all runtimes.
void report_at_exit(const std::string& path) {
  ::setenv("NEARFORK_REPORT", path.c_str(), 1);
  ::setenv("NEARFORK_RECORD", (path + ".nfg").c_str(), 1);
  ::setenv("NEARFORK_WORKERS", "1", 1);
  run([] {});
  {
    const runtime another(config::from_environment());
  }
  std::exit(0);
}

TEST_F(runtime_outputs, of_the_processes_own_runtime_come_when_the_process_ends) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  const std::string path = fs::temp_directory_path() / ("nearfork-outputs-at-exit-" + std::to_string(::getuid()));
  EXPECT_EXIT(report_at_exit(path), testing::ExitedWithCode(0), "");
  EXPECT_EQ(times(content_of(path), "run report of "), 2U);
  EXPECT_TRUE(fs::exists(path + ".nfg"));
  EXPECT_TRUE(fs::exists(path + "-2.nfg"));
  for (const char* const one : {"", ".nfg", "-2.nfg"}) fs::remove(path + one);
}

}  // namespace
