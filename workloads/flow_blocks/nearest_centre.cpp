#include "workloads/flow_blocks/nearest_centre.hpp"

namespace nearfork::workloads {

std::size_t nearest_centre(const float* point, const float* centres, std::size_t clusters,
                           std::size_t dimensions) noexcept {
  std::size_t best = 0;
  float least = 0;
  for (std::size_t cluster = 0; cluster < clusters; ++cluster, centres += dimensions) {
    float square = 0;
    for (std::size_t d = 0; d < dimensions; ++d) square += (point[d] - centres[d]) * (point[d] - centres[d]);
    if (cluster != 0 && square >= least) continue;
    best = cluster;
    least = square;
  }
  return best;
}

}  // namespace nearfork::workloads
