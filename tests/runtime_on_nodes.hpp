// A runtime on a described machine with several memory nodes, a worker beside each, and fakes for memory. Threads are
// real.
#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/nearfork.hpp>

#include "fake_chunks.hpp"
#include "machines_with_memory.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime_settings.hpp"

namespace nearfork::test {

class runtime_on_nodes : public testing::Test {
 protected:
  void start(std::uint32_t nodes) { start_with(std::vector<std::size_t>(nodes, std::size_t{1} << 30)); }
  void start_with(std::vector<std::size_t> bytes_of_nodes) {
    const std::size_t nodes = bytes_of_nodes.size();
    settings.workers = static_cast<unsigned>(nodes);
    pools = pools_on(books, std::move(bytes_of_nodes), []() noexcept { return used_memory.is_strict(); });
    run = std::make_unique<runtime>(
        settings, std::make_unique<scheduler>(settings, machine_with(std::vector<std::uint64_t>(nodes, 1), distances),
                                              make_policy("random"), live_miss_counting(), nullptr, live_power_system(),
                                              nullptr, pools.get()));
  }
  /// Of the worker that calls.
  std::uint32_t node_here() {
    return static_cast<std::uint32_t>(run->implementation_crew().flow()->node_of(detail::this_fiber().runner->index));
  }
  [[nodiscard]] dataflow_report report() const { return run->report().dataflow; }

  config settings = with_workers(2);
  distances_told distances = distances_told::yes;
  std::shared_ptr<chunk_books> books = std::make_shared<chunk_books>();
  std::unique_ptr<buffer_pools> pools;
  std::unique_ptr<runtime> run;
};

}  // namespace nearfork::test
