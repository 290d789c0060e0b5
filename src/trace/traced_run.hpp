// What a trace knows of one run, as a value: read from rings, or made by the simulator.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "machine/model/machine.hpp"
#include "trace/trace_event.hpp"

namespace nearfork::traces {

struct traced_worker {
  std::uint32_t domain = 0;
  std::optional<std::uint32_t> node{};    // the memory node that is nearest to its domain
  std::optional<std::uint32_t> os_pu{};   // the PU that it is bound to
  std::optional<std::uint32_t> thread{};  // the system's number of its thread
  std::uint64_t lost = 0;                 // older events for which there was no room
  std::vector<event> events{};            // their times are nanoseconds, which never decrease
};

/// Names, workers and domains that events refer to exist.
struct traced_run {
  std::string title;
  std::uint32_t process = 0;
  std::vector<std::string> names;  // by number; the first is empty
  std::vector<traced_worker> workers;
  std::vector<event> others{};    // counters that other threads noted
  std::uint64_t others_lost = 0;  // older ones for which there was no room
};

/// The memory node that is nearest to a domain, by its number in the system.
[[nodiscard]] std::optional<std::uint32_t> node_of_domain(const machine& where, std::uint32_t domain);

/// Over all workers and other threads.
[[nodiscard]] std::uint64_t lost_events(const traced_run& run) noexcept;

}  // namespace nearfork::traces
