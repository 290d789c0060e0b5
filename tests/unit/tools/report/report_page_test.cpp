// The page in a real browser: no fault, and the numbers of the JSON. Skipped where there is no Chromium or no D3.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>
#include <string>

#include "recording/recording_file.hpp"
#include "tools/report/page_writer.hpp"
#include "unit/tools/command_run.hpp"
#include "unit/tools/report/sample_files.hpp"

namespace {

namespace fs = std::filesystem;
namespace sample_files = nearfork::tools::sample_files;
using testing::AllOf;
using testing::Contains;
using testing::HasSubstr;
using testing::Not;

using command_run::ending;

class report_page : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directories(folder_);
    nearfork::recordings::save_recording(sample_files::flat_recording(16, 50'000, 4096), file("g.nfg"));
    write("r.json", sample_files::run_report());
    write("s.json", sample_files::simulation());
  }
  void TearDown() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  void write(const std::string& name, const std::string& text) const { std::ofstream(file(name)) << text; }
  static ending ask(const std::string& arguments) {
    return command_run::run_command("-u NEARFORK_MACHINE", NEARFORK_COMMAND " " + arguments);
  }
  /// The page after its scripts ran, and what the browser's console said.
  [[nodiscard]] ending browse(const std::string& page) const {
    return command_run::run_command(
        "HOME=" + folder_.string(),
        "timeout 50 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
        "--user-data-dir=" +
            file("profile") + " --enable-logging=stderr --virtual-time-budget=10000 --dump-dom file://" + page);
  }
  static void skip_without_browser() {
    if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
    if (command_run::run_command("", "sh -c 'command -v chromium'").status != 0)
      GTEST_SKIP() << "no Chromium; scripts/packages.sh check installs it";
  }

 private:
  const fs::path folder_ = fs::temp_directory_path() / ("nearfork-report-" + std::to_string(::getpid()));
};

/// Of cells.
std::set<double> numbers_of(const std::string& dom) {
  std::set<double> made;
  const std::regex value("data-value=\"([^\"]+)\"");
  for (std::sregex_iterator at(dom.begin(), dom.end(), value), end; at != end; ++at)
    made.insert(nlohmann::json::parse((*at)[1].str()).get<double>());
  return made;
}

TEST_F(report_page, shows_the_numbers_of_the_json_without_a_fault) {
  skip_without_browser();
  if (IsSkipped()) return;
  const std::string files = file("r.json") + " " + file("g.nfg") + " " + file("s.json");
  const std::string machine = " --machine 'package:2 [numa] l3:1(size=256KiB) core:2 pu:1'";
  const ending made = ask("report " + files + machine + " -o " + file("page.html"));
  ASSERT_EQ(made.status, 0) << made.output;
  const ending shown = browse(file("page.html"));
  ASSERT_EQ(shown.status, 0) << shown.output.substr(0, 2000);
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("data-ready="), Not(HasSubstr("data-faults=")), Not(HasSubstr("CONSOLE("))));

  const auto json = nlohmann::json::parse(ask("report " + files + machine + " --json").output);
  const std::set<double> numbers = numbers_of(shown.output);
  std::size_t compared = 0;
  const auto expect_shown = [&](const nlohmann::json& value, const std::string& name) {
    EXPECT_THAT(numbers, Contains(value.get<double>())) << name;
    ++compared;
  };
  for (const auto& view : json.at("views")) {
    for (const auto& one : view.at("brackets")) {
      expect_shown(one.at("work_ns"), "work");
      expect_shown(one.at("span_ns"), "span");
    }
    for (const auto& one : view.at("what_if")) expect_shown(one.at("time_ns"), "what-if");
    for (const auto& one : view.at("worker_times")) expect_shown(one.at("work_ns"), "work of a worker");
    for (const auto& one : view.at("matrices"))
      for (const auto& row : one.at("cells"))
        for (const auto& cell : row) expect_shown(cell, one.at("title"));
    for (const auto& one : view.at("courses"))
      if (one.contains("each_ns")) expect_shown(one.at("each_ns"), "time of an iteration");
  }
  EXPECT_GT(compared, 50U);
}

TEST_F(report_page, shows_texts_of_files_as_texts) {
  skip_without_browser();
  if (IsSkipped()) return;
  write("evil.json", sample_files::replaced(sample_files::run_report(), "\"heat\"",
                                            "\"</script><script>document.body.dataset.evil=1</script><img src=x "
                                            "onerror='document.body.dataset.evil=2'>\""));
  ASSERT_EQ(ask("report " + file("evil.json") + " -o " + file("page.html")).status, 0);
  const ending shown = browse(file("page.html"));
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("data-ready="), Not(HasSubstr("data-evil=")), Not(HasSubstr("data-faults="))));
}

TEST_F(report_page, needs_no_network) {
  if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
  ASSERT_EQ(ask("report " + file("s.json") + " -o " + file("page.html")).status, 0);
  std::ifstream in(file("page.html"));
  const std::string text(std::istreambuf_iterator<char>(in), {});
  EXPECT_THAT(text, HasSubstr("default-src 'none'"));
  EXPECT_FALSE(std::regex_search(text, std::regex("(src|href)=\"https?:"))) << "nothing is loaded from elsewhere";
}

TEST_F(report_page, a_malformed_file_leaves_the_old_page) {
  if (nearfork::tools::page_part("d3.min.js").empty()) GTEST_SKIP() << "built without D3 (Debian's node-d3)";
  write("page.html", "old");
  write("bad.json", "{\"version\": 1");
  const ending made = ask("report " + file("bad.json") + " -o " + file("page.html"));
  EXPECT_EQ(made.status, 1);
  EXPECT_THAT(made.output, HasSubstr("bad.json, line 1, column 14"));
  std::ifstream in(file("page.html"));
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(in), {}), "old");
}

}  // namespace
