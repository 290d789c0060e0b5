#include "tools/sim/cluster/cluster_machine.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>

#include "tests/message_of.hpp"

namespace nearfork::tools {
namespace {

using test::message_of;
using testing::HasSubstr;

TEST(cluster_machine, has_nodes_and_a_link) {
  const cluster_machine made = cluster_from("8 x epyc-7763, link 25 GB/s 1.5 us");
  EXPECT_EQ(made.nodes, 8U);
  EXPECT_EQ(made.node, "epyc-7763");
  EXPECT_EQ(made.link.bytes_per_ns, 25);
  EXPECT_EQ(made.link.latency_ps, 1'500'000U);
  EXPECT_EQ(cluster_from("1024 x grace, link 0.5 GB/s 900 ns").link.latency_ps, 900'000U);
}

TEST(cluster_machine, keeps_what_the_text_of_its_node_holds) {
  EXPECT_EQ(cluster_from("2 x package:2 l3:1(size=6MiB,memory=1GiB), link  core:2, link 1 GB/s 1 us").node,
            "package:2 l3:1(size=6MiB,memory=1GiB), link  core:2");
}

TEST(cluster_machine, refuses_what_it_does_not_understand) {
  const struct {
    const char* text;
    const char* why;
  } wrong[] = {{"", "names no link"},
               {"epyc-7763", "names no link"},
               {"epyc-7763, link 25 GB/s 1 us", "how many machines"},
               {"0 x grace, link 25 GB/s 1 us", "1 to 65536"},
               {"-1 x grace, link 25 GB/s 1 us", "1 to 65536"},
               {"08 x grace, link 25 GB/s 1 us", "1 to 65536"},
               {"99999999999999999999 x grace, link 25 GB/s 1 us", "1 to 65536"},
               {"8 x , link 25 GB/s 1 us", "names no machine"},
               {"8 x grace, link ", "no bandwidth and latency"},
               {"8 x grace, link 25 1", "no bandwidth and latency"},
               {"8 x grace, link 25 GB/s 1 ms", "no bandwidth and latency"},
               {"8 x grace, link 25 GB/s 1 us more", "no bandwidth and latency"},
               {"8 x grace, link 0 GB/s 1 us", "more than 0"},
               {"8 x grace, link nan GB/s 1 us", "more than 0"},
               {"8 x grace, link 1e9 GB/s 1 us", "at most 1000000"},
               {"8 x grace, link 25 GB/s -1 us", "more than 0"},
               {"8 x grace, link 25 GB/s 1e30 ns", "at most 1000000000"}};
  for (const auto& each : wrong) {
    const std::string said = message_of([&] { (void)cluster_from(each.text); });
    EXPECT_THAT(said, HasSubstr(each.why)) << each.text;
    EXPECT_THAT(said, HasSubstr(cluster_form)) << each.text;
  }
}

}  // namespace
}  // namespace nearfork::tools
