// Traces of runtimes against an exactly-once oracle.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <set>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "decoded_trace.hpp"
#include "message_of.hpp"
#include "runtime_settings.hpp"
#include "sound_trace.hpp"
#include "trace/perfetto_trace.hpp"
#include "trace/ring_reader.hpp"

namespace nearfork {
namespace {

namespace fs = std::filesystem;
using test::expect_each_steal_once;
using test::expect_sound;

std::string content_of(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

class traced_runtime : public testing::Test {
 protected:
  traced_runtime() {
    std::string pattern = (fs::temp_directory_path() / "nearfork-trace-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~traced_runtime() override { fs::remove_all(folder_); }
  [[nodiscard]] config traced(unsigned workers, const std::string& name = "t.pftrace") const {
    config settings = test::with_workers(workers);
    settings.trace = (folder_ / name).string();
    return settings;
  }
  [[nodiscard]] test::decoded_trace trace(const std::string& name = "t.pftrace") const {
    return test::decode_trace(content_of(folder_ / name));
  }
  [[nodiscard]] std::set<std::string> files() const {
    std::set<std::string> names;
    for (const auto& one : fs::directory_iterator(folder_)) names.insert(one.path().filename().string());
    return names;
  }
  fs::path folder_;
};

/// A tree of tasks that two workers share, since each leaf gives up its core.
unsigned leaves(unsigned depth) {
  if (depth == 0) {
    std::this_thread::yield();
    return 1;
  }
  const auto [one, other] = fork_join([=] { return leaves(depth - 1); }, [=] { return leaves(depth - 1); });
  return one + other;
}

TEST_F(traced_runtime, tells_of_each_steal_and_each_end) {
  std::uint64_t steals = 0;
  {
    runtime two(traced(2));
    for (int i = 0; i < 20; ++i) EXPECT_EQ(two.run([] { return leaves(8); }), 256U);
    // Nobody joins the second half's worker but a thief: so there is a steal for certain.
    two.run([] {
      std::atomic<bool> stolen{false};
      fork_join(
          [&] {
            while (!stolen.load()) std::this_thread::yield();
          },
          [&] { stolen.store(true); });
    });
    for (const std::uint64_t at_distance : two.report().steals) steals += at_distance;
  }
  const test::decoded_trace made = trace();
  expect_sound(made);
  expect_each_steal_once(made);
  EXPECT_GE(made.named("steal").size(), std::max<std::uint64_t>(1, steals));
  std::size_t calls = 0;
  for (const auto& one : made.events)
    if (one.type == 1 && one.name.starts_with("call ") && !one.facts.contains("goes on")) ++calls;
  EXPECT_EQ(calls, 21U);
  EXPECT_EQ(files(), std::set<std::string>{"t.pftrace"});
  std::size_t workers = 0;
  for (const auto& [track, name] : made.tracks)
    if (name.find(" worker ") != name.npos) ++workers;
  EXPECT_EQ(workers, 2U);
}

TEST_F(traced_runtime, has_the_spans_and_counters_of_the_program) {
  {
    runtime one(traced(1));
    one.run([] {
      const trace_span outer("outer");
      trace_counter("left", 2.5);
      const trace_span inner("inner");
    });
    const trace_span nowhere("nowhere");  // this thread is no worker
    trace_counter("nothing", 1);
  }
  const test::decoded_trace made = trace();
  expect_sound(made);
  EXPECT_EQ(made.named("outer").size(), 1U);
  EXPECT_EQ(made.named("inner").size(), 1U);
  EXPECT_TRUE(made.named("nowhere").empty());
  std::vector<double> values;
  for (const auto& one : made.events)
    if (one.type == 4) {
      EXPECT_EQ(made.tracks.at(one.track), "left");
      values.push_back(one.value);
    }
  EXPECT_EQ(values, std::vector<double>{2.5});
}

TEST_F(traced_runtime, has_the_iterations_of_regions_also_of_one_that_throws) {
  {
    runtime two(traced(2));
    for (int i = 0; i < 3; ++i) two.run([] { region({.name = "grid"}, [] { (void)leaves(3); }); });
    EXPECT_THROW(two.run([] { region({.name = "grid"}, [] { throw std::runtime_error("x"); }); }), std::runtime_error);
  }
  const test::decoded_trace made = trace();
  expect_sound(made);
  std::size_t iterations = 0;
  for (const auto& one : made.named("region grid"))
    if (!one.facts.contains("goes on")) {
      EXPECT_EQ(one.facts.at("iteration"), std::to_string(++iterations)) << "also under plain stealing";
      EXPECT_TRUE(one.facts.contains("kind"));
    }
  EXPECT_EQ(iterations, 4U);
  EXPECT_TRUE(std::ranges::any_of(made.events, [](const auto& one) { return one.facts.contains("ended"); }));
}

TEST_F(traced_runtime, says_how_many_events_found_no_room) {
  config settings = traced(1);
  settings.trace_events = 64;
  std::string text;
  {
    runtime one(settings);
    one.run([] {
      for (int i = 0; i < 1000; ++i) trace_counter("i", i);
    });
    text = to_text(one.report());
  }
  EXPECT_NE(text.find("events of the trace are lost"), text.npos) << text;
  const test::decoded_trace made = trace();
  ASSERT_EQ(made.named("older events are lost").size(), 1U);
  expect_sound(made);
}

TEST_F(traced_runtime, shares_a_path_with_others_by_numbers) {
  for (int i = 0; i < 2; ++i) {
    runtime one(traced(1));
    one.run([] {});
  }
  EXPECT_EQ(files(), (std::set<std::string>{"t-2.pftrace", "t.pftrace"}));
}

TEST_F(traced_runtime, refuses_a_path_that_cannot_be_written_or_is_another_output) {
  EXPECT_NE(test::message_of([&] { const runtime one(traced(1, "no/such/t")); }).find("cannot write"),
            std::string::npos);
  config both = traced(1);
  both.record = both.trace;
  EXPECT_NE(test::message_of([&] { const runtime one(both); }).find("different paths"), std::string::npos);
  EXPECT_TRUE(files().empty());
}

/// What a process that is killed now would leave.
TEST_F(traced_runtime, leaves_rings_that_can_be_read_while_it_runs) {
  runtime two(traced(2));
  two.run([&] {
    const trace_span here("here");
    (void)leaves(6);
    ASSERT_EQ(files().size(), 1U);
    const std::string ring = *files().begin();
    EXPECT_TRUE(ring.starts_with("t.pftrace.") && ring.ends_with(".ring")) << ring;
    const auto run = traces::read_ring_file(content_of(folder_ / ring), ring);
    const test::decoded_trace made = test::decode_trace(traces::perfetto_trace(run));
    expect_sound(made);
    EXPECT_FALSE(made.named("here").empty());
  });
}

std::size_t slices_named(const test::decoded_trace& of, const std::string& name) {
  return static_cast<std::size_t>(std::ranges::count_if(
      of.named(name), [](const auto& one) { return one.type == 1 && !one.facts.contains("goes on"); }));
}

TEST_F(traced_runtime, has_every_task_on_request) {
  config settings = traced(2);
  settings.trace_tasks = 1;
  std::atomic<int> ran{0};
  {
    runtime two(settings);
    EXPECT_EQ(two.run([] { return leaves(6); }), 64U);
    two.run([&] {
      task_group group;
      for (int i = 0; i < 7; ++i) group.spawn([&] { ++ran; });
      group.sync();
    });
    for (int i = 0; i < 3; ++i) two.run([&] { region({.name = "grid"}, [&] { EXPECT_EQ(leaves(4), 16U); }); });
    two.run([&] {
      std::vector<int> data(5);
      dataflow graph;
      for (int& one : data) graph.task({out(one)}, [&] { ++ran; });
      graph.sync();
    });
  }
  EXPECT_EQ(ran, 12);
  const test::decoded_trace made = trace();
  expect_sound(made);
  expect_each_steal_once(made);
  EXPECT_EQ(slices_named(made, "task"), 126U + 3U * 30U) << "each fork has two children";
  EXPECT_EQ(slices_named(made, "task of a group"), 7U);
  EXPECT_EQ(slices_named(made, "dataflow task"), 5U);
  EXPECT_EQ(files(), std::set<std::string>{"t.pftrace"}) << "no recording is written";
}

TEST_F(traced_runtime, has_one_task_of_so_many_on_request) {
  config settings = traced(1);
  settings.trace_tasks = 10;
  {
    runtime one(settings);
    EXPECT_EQ(one.run([] { return leaves(8); }), 256U);
    EXPECT_NE(test::message_of([&] { one.write_recording((folder_ / "g.nfg").string()); }).find("records nothing"),
              std::string::npos);
  }
  const test::decoded_trace made = trace();
  expect_sound(made);
  EXPECT_EQ(slices_named(made, "task"), 51U) << "of 510";
}

TEST_F(traced_runtime, has_no_task_inside_others_unless_it_is_asked) {
  {
    runtime one(traced(1));
    EXPECT_EQ(one.run([] { return leaves(8); }), 256U);
  }
  EXPECT_EQ(slices_named(trace(), "task"), 0U);
}

}  // namespace
}  // namespace nearfork
