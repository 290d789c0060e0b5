#include "memory/system/span_source.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <vector>

#include "machine/model/machine.hpp"

namespace {

using namespace nearfork;

TEST(system_spans, are_aligned_and_zeroed_and_can_be_written) {
  const auto source = system_spans(*live_machine());
  std::vector<void*> spans;
  for (int i = 0; i < 3; ++i) {
    const taken_span got = source->take(node_id{0});
    ASSERT_NE(got.start, nullptr) << std::strerror(got.errno_value);
    EXPECT_EQ(reinterpret_cast<std::uintptr_t>(got.start) % span_bytes, 0U);
    const auto* const bytes = static_cast<const unsigned char*>(got.start);
    EXPECT_TRUE(std::all_of(bytes, bytes + span_bytes, [](unsigned char byte) { return byte == 0; }));
    EXPECT_TRUE(got.binding == span_binding::bound || got.errno_value != 0);
    std::memset(got.start, 1, span_bytes);
    spans.push_back(got.start);
  }
  for (void* const one : spans) source->give_back(one);
}

TEST(system_spans, of_a_node_that_the_system_does_not_have_say_that_they_are_not_bound) {
  const auto machine = machine_from_synthetic("package:64 [numa] core:1 pu:1");
  const taken_span got = system_spans(*machine)->take(node_id{63});
  ASSERT_NE(got.start, nullptr);
  EXPECT_EQ(got.binding, span_binding::first_touch);
  EXPECT_NE(got.errno_value, 0);
  system_spans(*machine)->give_back(got.start);
}

}  // namespace
