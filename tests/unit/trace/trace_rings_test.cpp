#include "trace/trace_rings.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/error.hpp>

#include "message_of.hpp"
#include "trace/ring_reader.hpp"

namespace nearfork::traces {
namespace {

const rings_wanted small{.title = "test", .workers = 2, .events = 64};

event counting(std::uint64_t value) {
  return {.value = value, .kind = event_kind::counts};
}

std::string bytes_of(trace_rings& rings, std::size_t workers = 2, std::size_t events = 64) {
  (void)rings;
  const ring_layout layout{.workers = workers, .events = events};
  std::ifstream file(rings.file(), std::ios::binary);
  std::string all{std::istreambuf_iterator<char>(file), {}};
  EXPECT_EQ(all.size(), layout.words() * 8);
  return all;
}

TEST(trace_event, survives_as_words) {
  const event all{
      .at = 1, .subject = 2, .value = 3, .number = 0xffff'ffff, .name = 511, .kind = event_kind::counts, .detail = 255};
  EXPECT_EQ(event_of(words_of(all)), all);
}

TEST(trace_rings, keep_the_counters_of_other_threads_apart) {
  trace_rings rings(small);
  rings.of(1).note(counting(5));
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&, i] {
      for (int n = 1; n <= 10; ++n) rings.count("of thread " + std::to_string(i), n);
    });
  for (std::thread& one : threads) one.join();
  const traced_run run = rings.read();
  EXPECT_TRUE(run.workers[0].events.empty());
  EXPECT_EQ(run.workers[1].events.size(), 1U);
  std::map<std::string, std::vector<double>> values;
  for (const event& one : run.others) {
    EXPECT_EQ(one.kind, event_kind::counts);
    values[run.names[one.name]].push_back(std::bit_cast<double>(one.value));
  }
  std::map<std::string, std::vector<double>> expected;
  for (int i = 0; i < 3; ++i) expected["of thread " + std::to_string(i)] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
  EXPECT_EQ(values, expected);
  EXPECT_EQ(lost_events(run), 0U);
}

TEST(trace_rings, lose_the_oldest_counters_of_other_threads_without_those_of_workers) {
  trace_rings rings(small);
  rings.of(0).note(counting(5));
  for (int n = 1; n <= 100; ++n) rings.count("a", n);
  const traced_run run = rings.read();
  EXPECT_EQ(run.workers[0].events.size(), 1U);
  EXPECT_EQ(run.others.size() + run.others_lost, 100U);
  EXPECT_GT(run.others_lost, 0U);
  EXPECT_EQ(rings.lost(), run.others_lost);
  EXPECT_EQ(lost_events(run), run.others_lost);
}

TEST(trace_rings, keep_the_events_of_each_worker_in_order) {
  trace_rings rings(small);
  rings.describe(1, {.domain = 3, .node = 0, .os_pu = 7, .thread = 42});
  for (std::uint64_t i = 0; i < 10; ++i) rings.of(1).note(counting(i));
  const traced_run run = rings.read();
  ASSERT_EQ(run.workers.size(), 2U);
  EXPECT_TRUE(run.workers[0].events.empty());
  ASSERT_EQ(run.workers[1].events.size(), 10U);
  for (std::uint64_t i = 0; i < 10; ++i) EXPECT_EQ(run.workers[1].events[i].value, i);
  EXPECT_TRUE(std::ranges::is_sorted(run.workers[1].events, {}, &event::at));
  EXPECT_EQ(run.workers[1].domain, 3U);
  EXPECT_EQ(run.workers[1].node, 0U);
  EXPECT_EQ(run.workers[1].os_pu, 7U);
  EXPECT_EQ(run.workers[1].thread, 42U);
  EXPECT_EQ(run.workers[0].node, std::nullopt);
  EXPECT_EQ(run.title, "test");
  EXPECT_EQ(lost_events(run), 0U);
}

TEST(trace_rings, lose_the_oldest_events_and_count_them) {
  trace_rings rings(small);
  for (std::uint64_t i = 0; i < 1000; ++i) rings.of(0).note(counting(i));
  const traced_run run = rings.read();
  ASSERT_EQ(run.workers[0].events.size(), 63U);  // the slot of the next event may be half written
  EXPECT_EQ(run.workers[0].events.front().value, 1000U - 63U);
  EXPECT_EQ(run.workers[0].events.back().value, 999U);
  EXPECT_EQ(lost_events(run), 1000U - 63U);
  EXPECT_EQ(rings.lost(), 1000U - 63U);
}

TEST(trace_rings, number_names_and_let_one_stand_for_those_without_room) {
  trace_rings rings(small);
  EXPECT_EQ(rings.number_of(""), 0U);
  EXPECT_EQ(rings.number_of("a"), 1U);
  EXPECT_EQ(rings.number_of("a"), 1U);
  const char* const constant = "b";
  EXPECT_EQ(rings.number_of(rings.of(0), constant), 2U);
  EXPECT_EQ(rings.number_of(rings.of(0), constant), 2U);
  EXPECT_EQ(rings.number_of(rings.of(1), constant), 2U);
  EXPECT_EQ(rings.number_of(std::string(1000, 'x')), 3U);
  for (int i = 0; i < 1000; ++i) (void)rings.number_of("n" + std::to_string(i));
  EXPECT_EQ(rings.number_of("one more"), most_names - 1);
  const traced_run run = rings.read();
  EXPECT_EQ(run.names[3], std::string(longest_name_bytes - 3, 'x') + "...");
  EXPECT_EQ(run.names.size(), most_names);
  EXPECT_EQ(run.names.back(), "(other names)");
}

class ring_files : public testing::Test {
 protected:
  ring_files() {
    std::string pattern = (std::filesystem::temp_directory_path() / "nearfork-rings-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
  }
  ~ring_files() override { std::filesystem::remove_all(folder_); }
  [[nodiscard]] rings_wanted in(const std::string& name) const {
    rings_wanted wanted = small;
    wanted.file = (folder_ / name).string();
    return wanted;
  }
  std::filesystem::path folder_;
};

TEST_F(ring_files, go_with_their_rings_unless_they_are_kept) {
  {
    const trace_rings gone(in("gone"));
  }
  EXPECT_FALSE(std::filesystem::exists(folder_ / "gone"));
  trace_rings(in("kept")).keep_file();
  EXPECT_TRUE(std::filesystem::exists(folder_ / "kept"));
}

TEST_F(ring_files, can_be_removed_while_their_rings_live) {
  trace_rings rings(in("r"));
  rings.remove_file();
  EXPECT_FALSE(std::filesystem::exists(folder_ / "r"));
  rings.of(0).note(counting(1));
  EXPECT_EQ(rings.read().workers[0].events.size(), 1U);
}

TEST_F(ring_files, tell_what_the_rings_tell) {
  trace_rings rings(in("r"));
  rings.of(0).note(counting(17));
  const traced_run run = read_ring_file(bytes_of(rings), "r");
  ASSERT_EQ(run.workers[0].events.size(), 1U);
  EXPECT_EQ(run.workers[0].events[0].value, 17U);
}

TEST_F(ring_files, that_exist_or_cannot_be_made_leave_memory_and_a_reason) {
  const trace_rings first(in("r"));
  const trace_rings second(in("r"));
  EXPECT_NE(second.why_no_file().find("File exists"), std::string::npos);
  EXPECT_TRUE(second.file().empty());
  const trace_rings nowhere(in("no/such/folder"));
  EXPECT_FALSE(nowhere.why_no_file().empty());
}

TEST_F(ring_files, that_are_malformed_are_refused) {
  trace_rings rings(in("r"));
  rings.of(0).note(counting(17));
  const std::string good = bytes_of(rings);
  const auto refusal = [](const std::string& bytes) {
    return test::message_of([&] { (void)read_ring_file(bytes, "bad.ring"); });
  };
  const auto with = [&](std::size_t at, std::uint64_t value) {
    std::string changed = good;
    std::memcpy(changed.data() + at * 8, &value, 8);
    return changed;
  };
  EXPECT_NO_THROW((void)read_ring_file(good, "good.ring"));
  for (const std::string& bad :
       {std::string(), good.substr(0, 7), good.substr(0, 100 * 8), good.substr(0, good.size() - 8), good + "12345678",
        with(header::magic, 1), with(header::workers, 0), with(header::workers, std::uint64_t{1} << 60),
        with(header::events, 63), with(header::events, std::uint64_t{1} << 60), with(header::names, 0),
        with(header::names, most_names + 1), with(header::ns_per_tick, 0), with(header::ns_per_tick, ~std::uint64_t{0}),
        with(ring_layout{2, 64}.record_at(0) + record::head, 2),
        with(ring_layout{2, 64}.record_at(2) + record::head, 1),
        with(ring_layout{2, 64}.ring_at(0) + 3, ~std::uint64_t{0})})
    EXPECT_TRUE(refusal(bad).starts_with("nearfork: ring file bad.ring: ")) << refusal(bad);
}

}  // namespace
}  // namespace nearfork::traces
