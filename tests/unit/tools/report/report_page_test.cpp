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
#include "trace/perfetto_trace.hpp"
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
  [[nodiscard]] ending browse(const std::string& page, const std::string& options = "--dump-dom") const {
    return command_run::run_command("HOME=" + folder_.string(),
                                    "timeout 50 chromium --headless --no-sandbox --disable-gpu --disable-dev-shm-usage "
                                    "--user-data-dir=" +
                                        file("profile") + " --enable-logging=stderr --virtual-time-budget=10000 " +
                                        options + " file://" + page);
  }
  /// The page of a small trace, with a script at its end that does what a user does.
  void make_driven_page(const std::string& script) const {
    write("t.pftrace", nearfork::traces::perfetto_trace(sample_files::stolen_task()));
    ASSERT_EQ(ask("report " + file("t.pftrace") + " -o " + file("page.html")).status, 0);
    std::ofstream(file("page.html"), std::ios::app) << "<script>\n" << script << "</script>\n";
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
    for (const auto& one : view.at("worker_times")) {
      expect_shown(one.at("work_ns"), "work of a worker");
      if (one.contains("stall_ns")) expect_shown(one.at("stall_ns"), "stalls of a worker");
    }
    for (const auto& one : view.at("matrices"))
      for (const auto& row : one.at("cells"))
        for (const auto& cell : row) expect_shown(cell, one.at("title"));
    for (const auto& one : view.at("page_maps"))
      for (const char* const part : {"before", "after", "tasks"})
        for (const auto& row : one.at(part).at("cells"))
          for (const auto& cell : row) expect_shown(cell, one.at(part).at("title"));
    for (const auto& one : view.at("courses"))
      if (one.contains("each_ns")) expect_shown(one.at("each_ns"), "time of an iteration");
  }
  EXPECT_GT(compared, 50U);
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("Block by node, simulated on"), HasSubstr("node of the page"),
                    HasSubstr("Block by node, as the system told of 16 of 32 pages"), HasSubstr("domain 1 (node 2)"),
                    HasSubstr("from hints and places of pages, not counted"), HasSubstr("work without stalls")));
}

/// What a script sees of the timeline. Made-up pointers cannot be captured.
constexpr const char* drives_timeline = R"js(
  var canvas = document.querySelector(".timeline canvas"), tip = document.querySelector(".timeline .tip");
  var said = document.body.dataset, box = canvas.getBoundingClientRect(), told = {};
  canvas.setPointerCapture = function () {};
  function mouse(type, x, y, more) {
    canvas.dispatchEvent(new (type === "wheel" ? WheelEvent : PointerEvent)(type, Object.assign(
      { clientX: box.left + x, clientY: box.top + y, bubbles: true, cancelable: true }, more)));
  }
  function key(name) { canvas.dispatchEvent(new KeyboardEvent("keydown", { key: name, bubbles: true, cancelable: true })); }
  function from() { return Number(canvas.dataset.from); }
  function size() { return Number(canvas.dataset.to) - from(); }
  function step(name, act, holds) {
    var before = { from: from(), size: size() };
    act();
    said[name] = holds(before) ? "yes" : "no: from " + from() + ", size " + size();
  }
)js";

TEST_F(report_page, hovering_shows_task_place_and_why) {
  skip_without_browser();
  if (IsSkipped()) return;
  make_driven_page(std::string(drives_timeline) + R"js(
  for (var y = 0; y < box.height; y += 3)
    for (var x = 190; x < box.width; x += 5) {
      mouse("pointermove", x, y);
      if (!tip.hidden) told[tip.textContent] = true;
    }
  mouse("pointerleave", 0, 0);
  said.told = Object.keys(told).join(" | ").split("\n").join("; ");
  said.hidden = tip.hidden;
)js");
  const ending shown = browse(file("page.html"));
  EXPECT_THAT(shown.output,
              AllOf(HasSubstr("stolen task; domain 1 node 1 worker 1; from 200 ns, 1.00 us long; why here: "
                              "stolen from worker 0 (distance machine)"),
                    HasSubstr("region heat; domain 0 node 0 worker 0"), HasSubstr("data-hidden=\"true\""),
                    Not(HasSubstr("data-faults=")), Not(HasSubstr("CONSOLE("))));
}

TEST_F(report_page, mouse_and_keys_zoom_and_pan) {
  skip_without_browser();
  if (IsSkipped()) return;
  make_driven_page(std::string(drives_timeline) + R"js(
  step("plus", function () { key("+"); }, function (was) { return size() < was.size; });
  step("right", function () { key("ArrowRight"); }, function (was) { return from() > was.from && size() === was.size; });
  step("left", function () { key("ArrowLeft"); }, function (was) { return from() < was.from && size() === was.size; });
  step("minus", function () { key("-"); }, function (was) { return size() > was.size; });
  step("wheel", function () { mouse("wheel", 500, 40, { deltaY: -100, ctrlKey: true }); }, function (was) { return size() < was.size; });
  step("drag", function () { mouse("pointerdown", 500, 40); mouse("pointermove", 450, 40); mouse("pointerup", 450, 40); },
    function (was) { return from() > was.from; });
  step("all", function () { key("0"); }, function () { return from() === 0 && size() === 2000; });
  step("next", function () { key("n"); }, function () { return document.querySelector(".said").textContent.indexOf("region heat") === 0; });
)js");
  const ending shown = browse(file("page.html"));
  for (const char* const step : {"plus", "right", "left", "minus", "wheel", "drag", "all", "next"})
    EXPECT_THAT(shown.output, HasSubstr("data-" + std::string(step) + "=\"yes\"")) << step;
  EXPECT_THAT(shown.output, AllOf(Not(HasSubstr("data-faults=")), Not(HasSubstr("CONSOLE("))));
}

TEST_F(report_page, follows_light_and_dark_and_prints_in_light) {
  skip_without_browser();
  if (IsSkipped()) return;
  make_driven_page(R"js(
  document.body.dataset.paper = getComputedStyle(document.body).backgroundColor;
  window.dispatchEvent(new Event("beforeprint"));
  document.body.dataset.printed = nearfork.style("--paper");
)js");
  const ending light = browse(file("page.html"), "--blink-settings=preferredColorScheme=1 --dump-dom");
  EXPECT_THAT(light.output, HasSubstr("data-paper=\"rgb(255, 255, 255)\""));
  const ending dark = browse(file("page.html"), "--blink-settings=preferredColorScheme=0 --dump-dom");
  EXPECT_THAT(dark.output, AllOf(HasSubstr("data-paper=\"rgb(20, 24, 29)\""), HasSubstr("data-printed=\"#ffffff\""),
                                 Not(HasSubstr("data-faults="))));
  const ending printed = browse(file("page.html"), "--no-pdf-header-footer --print-to-pdf=" + file("page.pdf"));
  EXPECT_THAT(printed.output, Not(HasSubstr("CONSOLE(")));
  std::ifstream pdf(file("page.pdf"), std::ios::binary);
  std::string first(5, ' ');
  pdf.read(first.data(), 5);
  EXPECT_EQ(first, "%PDF-");
}

TEST_F(report_page, fits_a_narrow_screen) {
  skip_without_browser();
  if (IsSkipped()) return;
  make_driven_page(R"js(
  var page_is = document.documentElement;
  document.body.dataset.fits = page_is.scrollWidth <= page_is.clientWidth ? "yes" : page_is.scrollWidth + " in " + page_is.clientWidth;
  document.body.dataset.answers = getComputedStyle(document.querySelector(".answer li")).display;
)js");
  const ending narrow = browse(file("page.html"), "--window-size=500,900 --dump-dom");
  EXPECT_THAT(narrow.output, AllOf(HasSubstr("data-fits=\"yes\""), HasSubstr("data-answers=\"block\""),
                                   Not(HasSubstr("data-faults="))));
  const ending wide = browse(file("page.html"), "--window-size=1200,900 --dump-dom");
  EXPECT_THAT(wide.output, AllOf(HasSubstr("data-fits=\"yes\""), HasSubstr("data-answers=\"grid\"")));
}

TEST_F(report_page, tells_of_what_it_cannot_draw) {
  skip_without_browser();
  if (IsSkipped()) return;
  make_driven_page("throw new Error(\"broken\");\n");
  const ending shown = browse(file("page.html"));
  EXPECT_THAT(shown.output, AllOf(HasSubstr("A part of this page could not be drawn"), HasSubstr("broken")));
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
