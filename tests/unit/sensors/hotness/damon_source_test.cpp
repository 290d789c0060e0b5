#include "sensors/hotness/damon_source.hpp"

#include <gtest/gtest.h>

#include <cerrno>
#include <chrono>
#include <thread>

#include "fake_hotness.hpp"

namespace {

using namespace nearfork;
using test::fake_hotness_system;

const std::string root = "/sys/kernel/mm/damon/admin/kdamonds/";
const std::string number = root + "nr_kdamonds";
const std::string state = root + "0/state";
const std::string context = root + "0/contexts/0/";
const std::string tried = context + "schemes/0/tried_regions/";
const std::vector<address_range> pages{{0x10000, 0x12000}, {0x12000, 0x14000}, {0x20000, 0x24000}};

struct damon : testing::Test {
  std::shared_ptr<fake_hotness_system> system = std::make_shared<fake_hotness_system>();
  damon_source source{system};
  damon() {
    auto& files = system->file.content;
    files[number] = "0";
    for (const char* file : {"0/state", "0/contexts/nr_contexts", "0/pid"}) files[root + file] = "";
    files[context + "avail_operations"] = "vaddr\nfvaddr\npaddr";
    for (const char* file : {"operations",
                             "monitoring_attrs/intervals/sample_us",
                             "monitoring_attrs/intervals/aggr_us",
                             "monitoring_attrs/intervals/update_us",
                             "monitoring_attrs/nr_regions/min",
                             "monitoring_attrs/nr_regions/max",
                             "targets/nr_targets",
                             "targets/0/pid_target",
                             "targets/0/regions/nr_regions",
                             "targets/0/regions/0/start",
                             "targets/0/regions/0/end",
                             "targets/0/regions/1/start",
                             "targets/0/regions/1/end",
                             "targets/0/regions/2/start",
                             "targets/0/regions/2/end",
                             "schemes/nr_schemes",
                             "schemes/0/action",
                             "schemes/0/access_pattern/sz/min",
                             "schemes/0/access_pattern/sz/max",
                             "schemes/0/access_pattern/nr_accesses/min",
                             "schemes/0/access_pattern/nr_accesses/max",
                             "schemes/0/access_pattern/age/min",
                             "schemes/0/access_pattern/age/max"})
      files[context + file] = "";
  }
  void show(const std::string& name, std::uint64_t begin, std::uint64_t end, const std::string& accesses) {
    system->file.content[tried + name + "/start"] = std::to_string(begin);
    system->file.content[tried + name + "/end"] = std::to_string(end);
    system->file.content[tried + name + "/nr_accesses"] = accesses;
  }
  [[nodiscard]] bool is_torn_down() const {
    return system->file.content.at(number) == "0" && system->file.content.at(state) != "on";
  }
};

TEST_F(damon, reads_the_regions_and_tears_all_down) {
  ASSERT_FALSE(source.try_out());
  EXPECT_TRUE(is_torn_down());
  ASSERT_FALSE(source.begin(pages));
  EXPECT_EQ(system->file.content[state], "on");
  EXPECT_EQ(system->file.content[context + "operations"], "fvaddr");
  EXPECT_EQ(system->file.content[context + "targets/0/pid_target"], "77");
  EXPECT_EQ(system->file.content[context + "targets/0/regions/nr_regions"], "3");
  EXPECT_EQ(system->file.content[context + "targets/0/regions/2/start"], std::to_string(0x20000));
  show("0", 0x10000, 0x14000, "20");
  show("7", 0x20000, 0x22000, "3");  // older kernels do not begin at 0
  system->file.content[tried + "total_bytes"] = "1";
  std::vector<double> heat(3, 0);
  ASSERT_FALSE(source.open_window());
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_EQ(heat, (std::vector<double>{40, 40, 6}));
  EXPECT_EQ(system->file.content[state], "update_schemes_tried_regions");
  source.end();
  EXPECT_TRUE(is_torn_down());
}

TEST_F(damon, makes_processors_forget_translations_while_the_kernel_looks) {
  system->time_ns = 5;  // of each thread
  std::vector<double> heat(3, 0);
  ASSERT_FALSE(source.begin(pages));
  system->file.on_write = [&](const std::string& path, const std::string&) {
    // The kernel answers once it has looked twice, and so does this one.
    while (path == state && system->forgotten < 2) std::this_thread::yield();
  };
  ASSERT_FALSE(source.open_window());
  EXPECT_EQ(system->forgotten, 0U);
  ASSERT_FALSE(source.close_window(heat));
  EXPECT_GE(system->forgotten, 2U);
  EXPECT_EQ(source.cost_elsewhere_ns(), 5U);
  system->refuse_forgetting = EPERM;  // sees less, and goes on
  EXPECT_FALSE(source.close_window(heat));
  EXPECT_EQ(source.cost_elsewhere_ns(), 10U);
}

TEST_F(damon, is_torn_down_with_its_owner) {
  {
    damon_source other(system);
    ASSERT_FALSE(other.begin(pages));
  }
  EXPECT_TRUE(is_torn_down());
}

TEST_F(damon, leaves_settings_of_others_alone) {
  system->file.content[number] = "1";
  system->file.content[state] = "on";
  EXPECT_NE(source.try_out()->why.find("in use"), std::string::npos);
  EXPECT_TRUE(source.begin(pages));
  EXPECT_TRUE(system->file.written.empty());
  system->file.content[state] = "off";
  system->file.content[context + "targets/0/pid_target"] = "1234";
  system->running = {1234};
  EXPECT_TRUE(source.try_out());
  EXPECT_TRUE(system->file.written.empty());
}

TEST_F(damon, takes_over_what_a_dead_process_left) {
  system->file.content[number] = "1";
  system->file.content[state] = "off";
  system->file.content[context + "targets/0/pid_target"] = "1234";
  EXPECT_FALSE(source.try_out());
  EXPECT_TRUE(is_torn_down());
}

TEST_F(damon, says_what_is_refused_at_each_file_and_tears_down) {
  ASSERT_FALSE(source.begin(pages));
  source.end();
  std::vector<std::string> files;
  for (const auto& [path, text] : system->file.written) files.push_back(path);
  for (const std::string& path : files) {
    if (path == number || path == state) continue;
    system->file.refuse_write = {{path, EINVAL}};
    const auto refused = source.begin(pages);
    ASSERT_TRUE(refused) << path;
    EXPECT_NE(refused->why.find(path), std::string::npos);
    EXPECT_TRUE(is_torn_down()) << path;
  }
  system->file.refuse_write = {{number, EACCES}};
  EXPECT_NE(source.try_out()->why.find("errno 13"), std::string::npos);
  system->file.refuse_write.clear();
  system->file.refuse_read = {{number, ENOENT}};
  EXPECT_NE(source.try_out()->remedy.find("CONFIG_DAMON"), std::string::npos);
}

TEST_F(damon, needs_operations_on_addresses) {
  system->file.content[context + "avail_operations"] = "paddr\nxvaddr";
  EXPECT_NE(source.try_out()->why.find("addresses"), std::string::npos);
  EXPECT_TRUE(is_torn_down());
  system->file.content[context + "avail_operations"] = "vaddr";
  ASSERT_FALSE(source.begin(pages));
  EXPECT_EQ(system->file.content[context + "operations"], "vaddr");
}

TEST_F(damon, refuses_regions_of_another_form) {
  std::vector<double> heat(3, 0);
  ASSERT_FALSE(source.begin(pages));
  for (const char* const accesses : {"", "many", "-1", "20 ", "99999999999"}) {
    show("0", 0x10000, 0x14000, accesses);
    EXPECT_TRUE(source.close_window(heat)) << accesses;
  }
  show("0", 0x14000, 0x10000, "2");
  EXPECT_TRUE(source.close_window(heat));
  system->file.content.erase(tried + "0/end");
  EXPECT_TRUE(source.close_window(heat));
  system->file.refuse_write[state] = EINVAL;  // before 6.2
  EXPECT_NE(source.close_window(heat)->why.find(state), std::string::npos);
  EXPECT_EQ(heat, (std::vector<double>(3, 0)));
}

TEST_F(damon, tells_what_its_thread_has_cost) {
  EXPECT_EQ(source.cost_elsewhere_ns(), 0U);
  ASSERT_FALSE(source.begin(pages));
  system->file.content[root + "0/pid"] = "55";
  EXPECT_EQ(source.cost_elsewhere_ns(), 0U) << "a kernel without schedstat";
  system->file.content["/proc/55/schedstat"] = "123456 78 9";
  EXPECT_EQ(source.cost_elsewhere_ns(), 123456U);
}

TEST_F(damon, joins_many_chunks) {
  for (int i = 0; i < 600; ++i) {
    const std::string region = context + "targets/0/regions/" + std::to_string(i);
    system->file.content[region + "/start"] = system->file.content[region + "/end"] = "";
  }
  std::vector<address_range> many;
  for (std::uintptr_t i = 0; i < 5000; ++i) many.push_back({(i + 16) << 12, (i + 17) << 12});
  ASSERT_FALSE(source.begin(many));
  EXPECT_EQ(system->file.content[context + "targets/0/regions/nr_regions"], "500");
}

}  // namespace
