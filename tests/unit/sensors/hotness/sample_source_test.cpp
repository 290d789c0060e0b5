#include "sensors/hotness/sample_source.hpp"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "fake_hotness.hpp"

namespace {

using namespace nearfork;
using test::fake_hotness_system;
using bytes = std::vector<std::byte>;

constexpr std::uint64_t from_memory = std::uint64_t{0x80 | 0x02} << 5;  // local memory, hit
constexpr std::uint64_t from_cache = std::uint64_t{0x08 | 0x02} << 5;   // first level, hit
const std::string devices_folder = "/sys/bus/event_source/devices/";

void put_record(bytes& into, std::uint32_t type, const std::vector<std::uint64_t>& words) {
  const auto size = static_cast<std::uint16_t>(8 + 8 * words.size());
  const std::size_t at = into.size();
  into.resize(at + size);
  std::memcpy(into.data() + at, &type, 4);
  std::memcpy(into.data() + at + 6, &size, 2);
  std::memcpy(into.data() + at + 8, words.data(), 8 * words.size());
}

TEST(sample_records, are_taken_in_order_and_others_left_out) {
  bytes records;
  put_record(records, 9, {0x1000, from_memory});
  put_record(records, 5, {1, 2, 3});  // a throttle record
  put_record(records, 2, {7, 40});    // 40 lost
  put_record(records, 9, {0x2000, 0});
  const sampled_accesses found = accesses_in(records);
  EXPECT_TRUE(found.is_understood);
  EXPECT_EQ(found.lost, 40U);
  EXPECT_EQ(found.samples, (std::vector<access_sample>{{0x1000, from_memory}, {0x2000, 0}}));
}

TEST(sample_records, that_are_cut_or_too_short_are_not_understood) {
  bytes good;
  put_record(good, 9, {0x1000, from_memory});
  for (std::size_t size = 1; size < good.size(); ++size)
    EXPECT_FALSE(accesses_in(std::span(good).first(size)).is_understood) << size;
  bytes without_size(8, std::byte{0});
  EXPECT_FALSE(accesses_in(without_size).is_understood);
  for (const std::uint32_t type : {2U, 9U}) {
    bytes short_one;
    put_record(short_one, type, {1});
    EXPECT_FALSE(accesses_in(short_one).is_understood) << type;
  }
  EXPECT_TRUE(accesses_in({}).is_understood);
}

RC_GTEST_PROP(sample_records, of_any_bytes_are_at_most_as_many_as_fit, (const std::vector<std::uint8_t>& any)) {
  bytes records(any.size());
  std::ranges::transform(any, records.begin(), [](std::uint8_t one) { return std::byte{one}; });
  RC_ASSERT(accesses_in(records).samples.size() * 24 <= any.size());
}

RC_GTEST_PROP(sample_records, in_a_ring_are_read_round_its_end, (std::uint8_t begin, std::uint8_t count)) {
  bytes ring(256);
  for (std::size_t i = 0; i < ring.size(); ++i) ring[i] = static_cast<std::byte>(i);
  const std::uint64_t tail = 1024 + begin;
  const bytes found = unrolled(ring, tail, tail + count);
  RC_ASSERT(found.size() == count);
  for (std::size_t i = 0; i < found.size(); ++i) RC_ASSERT(found[i] == static_cast<std::byte>((begin + i) % 256));
  RC_ASSERT(unrolled(ring, tail, tail + 257).empty());
}

TEST(data_source, tells_memory_from_caches) {
  EXPECT_TRUE(is_from_memory(0)) << "not known";
  EXPECT_TRUE(is_from_memory(from_memory));
  EXPECT_TRUE(is_from_memory(std::uint64_t{0x100} << 5)) << "remote";
  EXPECT_TRUE(is_from_memory(std::uint64_t{0xd} << 33 | std::uint64_t{1} << 5)) << "by number";
  EXPECT_FALSE(is_from_memory(from_cache));
  EXPECT_FALSE(is_from_memory(std::uint64_t{0x3} << 33 | std::uint64_t{1} << 5)) << "the third level, by number";
}

struct fake_samples final : sample_system {
  struct state {
    std::map<int, int> refuse{};  // by thread
    std::vector<int> opened{};
    sampling_event asked{};
    std::vector<access_sample> each{};  // what each ring gives at each look
    bool is_understood = true;
    int enabled = 0;
  };
  explicit fake_samples(state& by) : by_(by) {}
  struct fake_ring final : sample_ring {
    explicit fake_ring(state& by) : by_(by) {}
    void enable(bool on) noexcept override { by_.enabled += on ? 1 : -1; }
    sampled_accesses take() override { return {.samples = by_.each, .is_understood = by_.is_understood}; }
    state& by_;
  };
  ring_opening open(int thread, const sampling_event& event) override {
    by_.asked = event;
    if (const auto refused = by_.refuse.find(thread); refused != by_.refuse.end()) return {nullptr, refused->second};
    by_.opened.push_back(thread);
    return {std::make_unique<fake_ring>(by_), 0};
  }
  state& by_;
};

struct samples : testing::Test {
  std::shared_ptr<fake_hotness_system> system = std::make_shared<fake_hotness_system>();
  fake_samples::state state;
  sample_source source{system, std::make_unique<fake_samples>(state)};
  samples() {
    auto& files = system->file.content;
    files[devices_folder + "cpu/type"] = "4";
    files[devices_folder + "cpu/events/mem-loads"] = "event=0xcd,umask=0x1,ldlat=3";
    files[devices_folder + "cpu/format/event"] = "config:0-7";
    files[devices_folder + "cpu/format/umask"] = "config:8-15";
    files[devices_folder + "cpu/format/ldlat"] = "config1:0-15";
    files["/proc/self/task/11/comm"] = files["/proc/self/task/12/comm"] = "";
  }
};

TEST_F(samples, count_what_came_from_memory_by_chunk) {
  const std::vector<address_range> chunks{{0x1000, 0x2000}, {0x2000, 0x3000}};
  ASSERT_FALSE(source.try_out());
  ASSERT_FALSE(source.begin(chunks));
  EXPECT_EQ(state.opened, (std::vector<int>{11, 12, 11, 12}));
  EXPECT_EQ(state.asked.sampled, (event_code{.type = 4, .config = 0x1cd, .config1 = 3}));
  EXPECT_FALSE(state.asked.beside);
  state.each = {{0x1008, from_memory}, {0x1010, from_cache}, {0x2fff, 0}, {0x9000, from_memory}};
  std::vector<double> heat(2, 0);
  ASSERT_FALSE(source.open_window());
  EXPECT_EQ(state.enabled, 2);
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_EQ(state.enabled, 0);
  EXPECT_EQ(heat, (std::vector<double>{2, 2}));
  EXPECT_EQ(source.cost_elsewhere_ns(), 8000U);
  state.is_understood = false;
  EXPECT_TRUE(source.close_window(heat));
}

TEST_F(samples, know_the_events_of_other_processors) {
  auto& files = system->file.content;
  files[devices_folder + "cpu/events/mem-loads-aux"] = "event=0x03,umask=0x82";
  EXPECT_EQ(sampling_event_of(system->file).event->beside->config, 0x8203U);
  files.erase(devices_folder + "cpu/events/mem-loads");
  EXPECT_NE(sampling_event_of(system->file).refused.why.find("neither"), std::string::npos);
  files[devices_folder + "arm_spe_0/type"] = "9";
  EXPECT_NE(sampling_event_of(system->file).refused.why.find("arm_spe_0"), std::string::npos);
  files[devices_folder + "ibs_op/type"] = "11";
  EXPECT_EQ(sampling_event_of(system->file).event->sampled.type, 11U);
  EXPECT_FALSE(sampling_event_of(system->file).event->only_user);
}

TEST_F(samples, do_without_events_of_another_form) {
  for (const char* const words : {"event=much", "event", "event=0xcd,,umask=1", "unknown=1", "event=0xcd,ldlat"}) {
    system->file.content[devices_folder + "cpu/events/mem-loads"] = words;
    const sampling_choice choice = sampling_event_of(system->file);
    if (std::string(words) == "event" || std::string(words) == "event=0xcd,ldlat") EXPECT_TRUE(choice.event) << words;
    else EXPECT_FALSE(choice.event) << words;
  }
  system->file.content[devices_folder + "cpu/events/mem-loads"] = "event=0xcd";
  for (const char* const format : {"config", "config9:0-7", "config:64", "config:x-7", ""}) {
    system->file.content[devices_folder + "cpu/format/event"] = format;
    EXPECT_FALSE(sampling_event_of(system->file).event) << format;
  }
}

TEST_F(samples, say_what_is_refused) {
  state.refuse = {{12, EACCES}};
  EXPECT_NE(source.try_out()->remedy.find("perf_event_paranoid"), std::string::npos);
  state.refuse = {{12, ENOENT}};
  EXPECT_NE(source.begin({})->why.find("errno 2"), std::string::npos);
  state.refuse = {{12, ESRCH}};
  EXPECT_FALSE(source.try_out()) << "that thread has ended";
  system->file.content.erase("/proc/self/task/11/comm");
  system->file.content.erase("/proc/self/task/12/comm");
  EXPECT_NE(source.try_out()->why.find("task"), std::string::npos);
}

}  // namespace
