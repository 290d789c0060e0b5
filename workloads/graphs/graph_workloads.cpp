#include "workloads/components/components.hpp"
#include "workloads/graphs/graph_program.hpp"
#include "workloads/label_propagation/label_propagation.hpp"
#include "workloads/pagerank/pagerank.hpp"

namespace nearfork::workloads {

const std::vector<const graph_program*>& graph_programs() {
  static const std::vector<const graph_program*> all{&pagerank_program(), &label_propagation_program(),
                                                     &components_program()};
  return all;
}

const std::vector<workload>& graph_workloads() {
  static const std::vector<workload> all = [] {
    std::vector<workload> made;
    for (const graph_program* const program : graph_programs()) made.push_back(graph_workload(*program));
    return made;
  }();
  return all;
}

}  // namespace nearfork::workloads
