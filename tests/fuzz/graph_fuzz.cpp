// Any bytes as a graph give a clear error, or a graph whose edges lead from node to node. Memory stays within the bound
// that the reader is given.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include <nearfork/error.hpp>

#include "tools/graph_files/graph_file.hpp"

namespace {

constexpr std::uint64_t memory_bytes = 1 << 20;

void require(bool holds) {
  if (!holds) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace nearfork;
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  try {
    const workloads::edge_list made = tools::read_graph(tools::text_in_memory(text), "fuzz", memory_bytes);
    require(made.nodes > 0 && made.edges.size() <= memory_bytes / tools::bytes_of_read_edge);
    for (const workloads::edge& one : made.edges) require(one.from < made.nodes && one.to < made.nodes);
  } catch (const error& refused) {
    const std::string_view why = refused.what();
    require(why.starts_with("nearfork: graph fuzz: ") || why.starts_with("nearfork: graph fuzz, line "));
  }
  return 0;
}
