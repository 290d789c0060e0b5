// What a trace tells of the memory nodes of dataflow tasks: a described machine, with a fake for memory.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include "decoded_trace.hpp"
#include "fake_chunks.hpp"
#include "machines_with_memory.hpp"
#include "runtime/lifetime/scheduler.hpp"
#include "runtime_settings.hpp"

namespace {

using namespace nearfork;

constexpr std::size_t traced_bytes_of_part = std::size_t{64} << 10;

TEST(traced_bytes, come_from_the_nodes_that_have_them) {
  const auto path = std::filesystem::temp_directory_path() / ("nearfork-bytes-" + std::to_string(::getpid()));
  config settings = test::with_workers(3);
  settings.trace = path.string();
  const auto books = std::make_shared<test::chunk_books>();
  const auto pools = test::pools_on(books, std::vector<std::size_t>(3, std::size_t{1} << 30),
                                    []() noexcept { return used_memory.is_strict(); });
  {
    runtime three(settings, std::make_unique<scheduler>(settings, machine_with({1, 1, 1}, distances_told::yes),
                                                        make_policy("random"), live_miss_counting(), nullptr,
                                                        live_power_system(), nullptr, pools.get()));
    std::vector<std::byte> data(3 * traced_bytes_of_part);
    three.run([&] {
      books->say_lies(data.data(), 2 * traced_bytes_of_part, node_id{0});
      books->say_lies(data.data() + 2 * traced_bytes_of_part, traced_bytes_of_part, node_id{2});
      dataflow graph;
      graph.task({in(std::span(data).first(2 * traced_bytes_of_part))}, [] {});
      graph.task({in(std::span(data).last(traced_bytes_of_part))}, [] {});
      graph.task({in(std::span(data).last(traced_bytes_of_part))}, [] {});
      graph.sync();
    });
  }
  std::ifstream file(path, std::ios::binary);
  const test::decoded_trace trace = test::trace_decoder().decode({std::istreambuf_iterator<char>(file), {}});
  std::filesystem::remove(path);
  std::map<std::string, double> most;  // two workers may note in another order than they count
  for (const test::decoded_event& one : trace.events)
    if (one.type == 4) most[trace.tracks.at(one.track)] = std::max(most[trace.tracks.at(one.track)], one.value);
  const std::map<std::string, double> expected{{"bytes of dataflow tasks from node 0", 2.0 * traced_bytes_of_part},
                                               {"bytes of dataflow tasks from node 2", 2.0 * traced_bytes_of_part}};
  EXPECT_EQ(most, expected);
}

}  // namespace
