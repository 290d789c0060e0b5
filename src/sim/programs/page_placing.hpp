// By which rule the pages of a simulated program get their nodes: the counterpart of nearfork::placing.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::sim {

enum class placing_rule : std::uint8_t {
  first_write,               // beside the worker that writes the page first
  follow_plan,               // where plans say that the array's part is worked on; without a plan as first_write
  interleaved,               // page by page in turn
  interleaved_by_bandwidth,  // in turn, faster nodes more often
  interleaved_by_weights,
  by_bandwidth,  // one contiguous part of each array for each node, as large as its bandwidth relative to all
  by_capacity,
  by_weights,
  bound,      // on these nodes alone, on the one nearest to the writer
  hbm_only,   // as bound, on all nodes of high-bandwidth memory
  preferred,  // on one node, as long as it has room
};

struct placing_node {
  std::uint32_t os_node = 0;  // the system's number
  double weight = 1;
  friend constexpr bool operator==(placing_node, placing_node) = default;
};

struct page_placing {
  placing_rule how = placing_rule::first_write;
  std::vector<placing_node> nodes{};  // empty: all that have memory
  friend bool operator==(const page_placing&, const page_placing&) = default;
};

/// Reads "first-write", "interleaved:0,1", "by-weights:0=1,4=4" and so on. Throws: nearfork::error that says what is
/// wrong.
[[nodiscard]] page_placing placing_called(std::string_view text);
/// As placing_called() reads it.
[[nodiscard]] std::string text_of(const page_placing& how);
/// All forms, for messages and help.
[[nodiscard]] std::string placing_forms();

}  // namespace nearfork::sim
