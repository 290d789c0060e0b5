#include "sensors/energy_meter.hpp"

#include <gtest/gtest.h>

#include <cerrno>

#include "fake_cpufreq.hpp"

namespace {

using namespace nearfork;
using test::fake_system;
using test::watched_files;
using amounts = std::vector<std::uint64_t>;

package_counter_opening refuse_perf(const event_code&, int) {
  return {nullptr, EACCES};
}

TEST(energy_of_packages, is_counted_from_the_start) {
  const fake_system system;
  system.add_package(0, 5000, 100'000);
  system.add_package(1, 70, 100'000);
  energy_meter meter(live_system_files(system.root()), refuse_perf);
  ASSERT_TRUE(meter.measures());
  EXPECT_EQ(meter.read_by(), "powercap");
  EXPECT_EQ(meter.package_names(), (std::vector<std::string>{"package-0", "package-1"}));
  EXPECT_EQ(meter.read_uj(), (amounts{0, 0}));
  system.set_energy(0, 6000);
  EXPECT_EQ(meter.read_uj(), (amounts{1000, 0}));
}

TEST(energy_of_packages, goes_on_where_a_counter_begins_again) {
  const fake_system system;
  system.add_package(0, 99'000, 100'000);
  energy_meter meter(live_system_files(system.root()), refuse_perf);
  system.set_energy(0, 500);
  EXPECT_EQ(meter.read_uj(), (amounts{1500}));
  system.set_energy(0, 400);  // once more round
  EXPECT_EQ(meter.read_uj(), (amounts{101'400}));
}

TEST(energy_of_packages, leaves_their_parts_and_the_platform_alone) {
  const fake_system system;
  system.add_package(0, 10, 1000);
  system.put("/sys/class/powercap/intel-rapl:0:0/name", "core");
  system.put("/sys/class/powercap/intel-rapl:1/name", "psys");
  energy_meter meter(live_system_files(system.root()), refuse_perf);
  EXPECT_EQ(meter.package_names().size(), 1U);
}

TEST(energy_of_packages, says_why_it_is_not_measured) {
  for (const int refused : {EACCES, EROFS, ENOENT}) {
    const fake_system system;
    system.add_package(0, 10, 1000);
    const auto files = std::make_shared<watched_files>(system.root());
    files->refuse_to_read["/sys/class/powercap/intel-rapl:0/energy_uj"] = refused;
    energy_meter meter(files, refuse_perf);
    EXPECT_FALSE(meter.measures());
    EXPECT_EQ(meter.read_uj(), std::nullopt);
    EXPECT_EQ(meter.refusal().where, "/sys/class/powercap/intel-rapl:0/energy_uj");
    EXPECT_NE(meter.refusal().why.find("by perf"), std::string::npos);
    EXPECT_FALSE(meter.refusal().remedy.empty());
  }
}

TEST(energy_of_packages, is_refused_where_the_range_is_nonsense) {
  for (const char* const range : {"0", "much", ""}) {
    const fake_system system;
    system.add_package(0, 10, 1000);
    system.put("/sys/class/powercap/intel-rapl:0/max_energy_range_uj", range);
    energy_meter meter(live_system_files(system.root()), refuse_perf);
    EXPECT_FALSE(meter.measures()) << range;
    EXPECT_EQ(meter.refusal().where, "/sys/class/powercap/intel-rapl:0/max_energy_range_uj");
  }
}

TEST(energy_of_packages, is_lost_for_good_when_a_counter_is) {
  const fake_system system;
  system.add_package(0, 10, 1000);
  const auto files = std::make_shared<watched_files>(system.root());
  energy_meter meter(files, refuse_perf);
  EXPECT_EQ(meter.lost().where, "");
  files->refuse_to_read["/sys/class/powercap/intel-rapl:0/energy_uj"] = ENODATA;
  EXPECT_EQ(meter.read_uj(), std::nullopt);
  files->refuse_to_read.clear();
  EXPECT_EQ(meter.read_uj(), std::nullopt);
  EXPECT_EQ(meter.lost().where, "/sys/class/powercap/intel-rapl:0/energy_uj");
}

class scripted_counter final : public package_counter {
 public:
  explicit scripted_counter(std::uint64_t& count) : count_(count) {}
  std::optional<std::uint64_t> read() const noexcept override { return count_; }

 private:
  std::uint64_t& count_;
};

TEST(energy_of_packages, comes_from_perf_where_powercap_is_refused) {
  const fake_system system;
  const std::string folder = "/sys/bus/event_source/devices/power";
  system.put(folder + "/type", "31");
  system.put(folder + "/cpumask", "0,8");
  system.put(folder + "/events/energy-pkg", "event=0x02");
  system.put(folder + "/events/energy-pkg.scale", "2.5e-1");
  std::uint64_t count = 100;
  std::vector<int> cpus;
  energy_meter meter(live_system_files(system.root()), [&](const event_code& event, int cpu) {
    EXPECT_EQ(event.type, 31U);
    EXPECT_EQ(event.config, 2U);
    cpus.push_back(cpu);
    return package_counter_opening{std::make_unique<scripted_counter>(count), 0};
  });
  ASSERT_TRUE(meter.measures());
  EXPECT_EQ(meter.read_by(), "perf");
  EXPECT_EQ(cpus, (std::vector<int>{0, 8}));
  count = 104;
  EXPECT_EQ(meter.read_uj(), (amounts{1'000'000, 1'000'000}));
}

}  // namespace
