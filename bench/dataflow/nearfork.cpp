#include <nearfork/dataflow.hpp>

#include "bench/dataflow/sweeps.hpp"

void sweeps::solve(std::uint64_t count, std::vector<std::uint64_t>& cells) {
  nearfork::dataflow graph;
  for (std::uint64_t n = 0; n < count; ++n)
    for (std::size_t i = 1; i <= width; ++i) {
      std::uint64_t* const own = &cells[i];
      graph.task({nearfork::in(own[-1]), nearfork::inout(*own)}, [own] { *own = updated(*own, own[-1]); });
    }
  graph.sync();
}
