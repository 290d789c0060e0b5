// Is the hot tenth of this process's own memory found, on the kernel that runs the tests?
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <numeric>
#include <thread>
#include <vector>

#include "memory/system/os_memory.hpp"
#include "sensors/hotness/clear_refs_source.hpp"
#include "sensors/hotness/damon_source.hpp"
#include "sensors/hotness/page_idle_source.hpp"

namespace {

using namespace nearfork;

constexpr std::size_t chunks = 40;
constexpr std::size_t pages_of_each = 16;
constexpr std::size_t hot = 7;  // chunk 7, and every tenth from there on

struct mapped {
  std::unique_ptr<os_memory> system = live_os_memory();
  std::size_t page = system->page_bytes();
  std::size_t bytes = chunks * pages_of_each * page;
  std::byte* begin = system->map(bytes, bytes, page).begin;
  mapped() {
    (void)system->advise(begin, bytes, huge_pages::never);
    for (std::size_t i = 0; i < bytes; i += page) begin[i] = std::byte{1};
  }
  ~mapped() { system->unmap(begin, bytes); }
  [[nodiscard]] std::vector<address_range> ranges() const {
    std::vector<address_range> all;
    for (std::size_t i = 0; i < chunks; ++i) {
      const auto at = reinterpret_cast<std::uintptr_t>(begin) + i * pages_of_each * page;
      all.push_back({at, at + pages_of_each * page});
    }
    return all;
  }
};

/// Uses the hot chunks until it is destroyed.
class hot_user {
 public:
  explicit hot_user(const mapped& memory)
      : thread_([this, &memory] {
          const std::size_t of_chunk = pages_of_each * memory.page;
          while (!ends_)
            for (std::size_t chunk = hot; chunk < chunks; chunk += 10)
              for (std::size_t at = 0; at < of_chunk; at += memory.page)
                *const_cast<volatile std::byte*>(memory.begin + chunk * of_chunk + at) = std::byte{2};
        }) {}
  ~hot_user() {
    ends_ = true;
    thread_.join();
  }
  hot_user(const hot_user&) = delete;
  hot_user& operator=(const hot_user&) = delete;

 private:
  std::atomic<bool> ends_{false};
  std::thread thread_;
};

void finds_the_hot_chunks(heat_source& source) {
  const mapped memory;
  ASSERT_NE(memory.begin, nullptr);
  if (const auto refused = source.try_out()) GTEST_SKIP() << "skipped: " << refused->why;
  const hot_user user(memory);
  std::vector<double> heat(chunks, 0);
  ASSERT_FALSE(source.begin(memory.ranges()));
  for (int i = 0; i < 5; ++i) {
    const auto refused = source.open_window();
    ASSERT_FALSE(refused) << refused->why;
    std::this_thread::sleep_for(
        std::chrono::nanoseconds(std::max<std::uint64_t>(20'000'000, source.least_window_ns())));
    const auto failed = source.close_window(heat);
    ASSERT_FALSE(failed) << failed->why;
  }
  source.end();
  std::vector<std::size_t> hottest(chunks);
  std::iota(hottest.begin(), hottest.end(), std::size_t{0});
  std::ranges::sort(hottest, std::ranges::greater(), [&](std::size_t i) { return heat[i]; });
  hottest.resize(chunks / 10);
  std::ranges::sort(hottest);
  EXPECT_EQ(hottest, (std::vector<std::size_t>{7, 17, 27, 37}));
}

TEST(live_hotness, is_seen_by_marks_of_pages_in_use) {
  clear_refs_source source(live_hotness_system());
  finds_the_hot_chunks(source);
}
TEST(live_hotness, is_seen_by_damon) {
  damon_source source(live_hotness_system());
  finds_the_hot_chunks(source);
}
TEST(live_hotness, is_seen_by_idle_marks) {
  page_idle_source source(live_hotness_system());
  finds_the_hot_chunks(source);
}

}  // namespace
