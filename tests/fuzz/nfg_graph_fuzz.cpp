// Any bytes as the graph inside a recording; nfg_fuzz seldom gets that far, because a checksum comes first.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "recording/graph_code.hpp"
#include "sim/programs/recorded_program.hpp"

namespace {

void require(bool holds) {
  if (!holds) std::abort();
}

const std::vector<nearfork::recordings::data_block> blocks{{"a", 1 << 20}, {"b", std::uint64_t{1} << 40}, {"c", 64}};

/// More pieces are right, too, but slow to try.
bool has_few_pieces(const nearfork::recordings::task_graph& graph) {
  std::uint64_t pieces = 0;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i)
      for (const auto& one : graph.work(task, i).accesses) {
        if (one.count > 10'000) return false;
        pieces += one.count;
      }
  return pieces <= 1'000'000;
}

void simulates_or_refuses(nearfork::recordings::task_graph graph) {
  nearfork::recordings::recording all;
  all.blocks = blocks;
  all.regions.push_back({.name = "r", .recorded = {{1, 1, std::move(graph)}}});
  try {
    const auto program = nearfork::sim::program_from(all);
    require(program.graphs.at(0).size() == all.regions[0].recorded[0].graph.tasks());
  } catch (const nearfork::error&) {
    // too many pieces
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    nearfork::recordings::byte_reader from(bytes, "fuzz.nfg");
    nearfork::recordings::recording_sums sums;
    auto graph = nearfork::recordings::read_graph(from, blocks, sums);
    require(sums.work_ns == graph.work_ns());
    nearfork::recordings::byte_writer again;
    nearfork::recordings::write_graph(again, graph);
    require(again.bytes() == bytes.substr(0, bytes.size() - from.left()));
    if (has_few_pieces(graph)) simulates_or_refuses(std::move(graph));
  } catch (const nearfork::error& refused) {
    require(std::string_view(refused.what()).starts_with("nearfork: recording fuzz.nfg, byte "));
  }
  return 0;
}
