#include "machine/live/nearest_memory.hpp"

#include <gtest/gtest.h>

#include <map>
#include <optional>
#include <string>

namespace {

using namespace nearfork;

/// Five nodes on a line; node 2 has no memory, node 4 has no PUs.
class files_of_nodes {
 public:
  std::map<std::string, std::string> under_nodes{
      {"online", "0-4\n"},
      {"has_memory", "0-1,3-4\n"},
      {"node0/cpulist", "0-3\n"},
      {"node1/cpulist", "4-5,8\n"},
      {"node2/cpulist", "6\n"},
      {"node3/cpulist", "7\n"},
      {"node4/cpulist", "\n"},
      {"node0/distance", "10 23 26 29 32\n"},
      {"node1/distance", "23 10 23 26 29\n"},
      {"node2/distance", "26 23 10 23 26\n"},
      {"node3/distance", "29 26 23 10 23\n"},
      {"node4/distance", "32 29 26 23 10\n"},
  };

  [[nodiscard]] std::optional<unsigned> nearest_to(unsigned pu) const {
    const auto found = nearest_memory(os_index{pu}, [this](const std::string& path) -> std::optional<std::string> {
      const std::string folder = "/sys/devices/system/node/";
      const auto file = path.starts_with(folder) ? under_nodes.find(path.substr(folder.size())) : under_nodes.end();
      return file == under_nodes.end() ? std::nullopt : std::optional(file->second);
    });
    return found ? std::optional(number_of(*found)) : std::nullopt;
  }
};

TEST(nearest_memory, is_that_of_the_own_node) {
  const files_of_nodes files;
  EXPECT_EQ(files.nearest_to(0), 0U);
  EXPECT_EQ(files.nearest_to(8), 1U);
  EXPECT_EQ(files.nearest_to(7), 3U);
}

TEST(nearest_memory, is_of_two_that_are_as_near_the_one_that_linux_takes_first) {
  EXPECT_EQ(files_of_nodes().nearest_to(6), 3U)
      << "the kernel's fallback order for node 2 of such a machine is 3 1 4 0";
}

TEST(nearest_memory, goes_by_distance) {
  files_of_nodes files;
  files.under_nodes["node2/distance"] = "26 22 10 23 26\n";
  EXPECT_EQ(files.nearest_to(6), 1U);
  files.under_nodes["has_memory"] = "0\n";
  EXPECT_EQ(files.nearest_to(6), 0U);
}

TEST(nearest_memory, counts_distances_by_the_nodes_that_are_online) {
  files_of_nodes files;
  files.under_nodes["online"] = "0,2-4\n";
  files.under_nodes["has_memory"] = "0,3-4\n";
  files.under_nodes["node2/distance"] = "26 10 40 23\n";
  EXPECT_EQ(files.nearest_to(6), 4U);
}

TEST(nearest_memory, is_not_known_where_the_system_does_not_say) {
  files_of_nodes files;
  EXPECT_EQ(files.nearest_to(99), std::nullopt) << "of no node";
  files.under_nodes["node2/distance"] = "26 23 10\n";
  EXPECT_EQ(files.nearest_to(6), std::nullopt) << "fewer distances than nodes";
  files.under_nodes["node2/cpulist"] = "6-\n";
  EXPECT_EQ(files.nearest_to(6), std::nullopt);
  files.under_nodes["node2/cpulist"] = "0-4000000000\n";
  EXPECT_EQ(files.nearest_to(6), std::nullopt);
  files.under_nodes.clear();
  EXPECT_EQ(files.nearest_to(0), std::nullopt);
}

}  // namespace
