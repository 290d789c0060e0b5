// Where a simulation left the pages of each block, beside where the tasks that touch them ran. Pure.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "sim/engine/iteration_report.hpp"
#include "sim/memory/pages/page_map.hpp"
#include "sim/programs/program.hpp"
#include "tools/report/document.hpp"

namespace nearfork::tools {

class page_sight {
 public:
  /// `blocks`: the name of each array. `nodes`: the names of the memory nodes, by their numbers in page maps.
  page_sight(std::span<const sim::data_array> arrays, std::vector<std::string> blocks, std::vector<std::string> nodes);

  /// Call it after each iteration. Linear in the pages.
  void see(const sim::page_map& pages, std::uint64_t page_bytes);
  /// What tasks touched in the iteration seen last. `node_of_worker`: the node beside each worker, if there is one.
  /// Linear in the pages of all accesses.
  void take_tasks(const sim::task_graph& graph, std::span<const sim::task_run> tasks,
                  std::span<const std::optional<std::uint32_t>> node_of_worker);

  [[nodiscard]] page_map_view map() const;
  /// Bytes by the node of the task and the node of the page, caches aside.
  [[nodiscard]] matrix_view traffic() const;

 private:
  using cells = std::vector<std::vector<double>>;  // by block or node, by node
  [[nodiscard]] cells pages_by_block() const;
  void touch(const sim::data_access& one, std::uint32_t node);
  [[nodiscard]] matrix_view by_block(const char* title, const cells& of) const;

  std::vector<sim::data_array> arrays_;
  std::vector<std::string> blocks_;
  std::vector<std::string> nodes_;
  std::vector<std::uint16_t> node_of_page_{};  // as seen last
  std::uint64_t page_bytes_ = 1;
  cells before_{};
  cells touched_;
  cells traffic_;
};

}  // namespace nearfork::tools
