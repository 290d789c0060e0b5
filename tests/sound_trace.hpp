// What holds of each trace, of threads and of the simulator.
#pragma once

#include <gtest/gtest.h>

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "decoded_trace.hpp"

namespace nearfork::test {

/// Slices of a track nest and end, and no task runs while its worker sleeps.
inline void expect_sound(const decoded_trace& trace) {
  std::map<std::uint64_t, std::vector<std::string>> open;
  std::uint64_t latest = 0;
  for (const auto& one : trace.events) {
    EXPECT_GE(one.at_ns, latest);
    latest = one.at_ns;
    auto& slices = open[one.track];
    if (one.type == 1) {
      EXPECT_TRUE(slices.empty() || slices.back() != "parked") << one.name;
      EXPECT_TRUE(one.name != "parked" || slices.empty()) << slices.back();
      slices.push_back(one.name);
    } else if (one.type == 2) {
      ASSERT_FALSE(slices.empty());
      slices.pop_back();
    }
  }
  for (const auto& [track, slices] : open) EXPECT_TRUE(slices.empty()) << track << " " << slices.back();
}

/// Each steal leads to one task, which begins later; each stolen task comes from one steal.
inline void expect_each_steal_once(const decoded_trace& trace) {
  std::map<std::uint64_t, std::uint64_t> stolen_at;
  std::set<std::uint64_t> begun;
  for (const auto& one : trace.named("steal")) {
    ASSERT_EQ(one.flows.size(), 1U);
    EXPECT_TRUE(stolen_at.emplace(one.flows[0], one.at_ns).second);
  }
  for (const auto& one : trace.named("stolen task")) {
    if (one.type != 1 || one.facts.contains("goes on")) continue;
    ASSERT_EQ(one.ending_flows.size(), 1U);
    ASSERT_TRUE(stolen_at.contains(one.ending_flows[0]));
    EXPECT_GE(one.at_ns, stolen_at[one.ending_flows[0]]);
    EXPECT_TRUE(begun.insert(one.ending_flows[0]).second);
  }
  EXPECT_EQ(begun.size(), stolen_at.size());
}

}  // namespace nearfork::test
