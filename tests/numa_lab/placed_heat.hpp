// Heat on placed arrays with a known answer, and the nodes on which the kernel has put their pages.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/lab_verdict.hpp"

namespace nearfork::lab {

/// Two grids in turn, a row a page. Each iteration is an iteration of region "heat".
class placed_heat {
 public:
  static constexpr const char* region_name = "heat";

  explicit placed_heat(std::size_t rows);

  /// The first call gives the cells their heat.
  void iterate(runtime& on);
  /// Writes every page from the calling thread, before the first iteration.
  void touch_here();
  void check_answer(verdict& result) const;

  /// The iterations so far; all but the first swap the grids.
  [[nodiscard]] std::size_t iterations() const noexcept { return iterations_; }
  [[nodiscard]] std::size_t rows() const noexcept { return rows_; }
  /// The nodes of the pages of both grids, one grid after the other.
  [[nodiscard]] std::vector<page_node> pages() const;

 private:
  [[nodiscard]] std::vector<double> answer() const;

  std::size_t rows_;
  std::size_t iterations_ = 0;
  array<double> one_;
  array<double> other_;
};

/// By domain of the runtime: the node of a page that a worker of the domain touches first, chosen by the kernel itself.
[[nodiscard]] std::vector<unsigned> first_touch_nodes(runtime& on);

/// The planned node of each page of a block of `pages`, where domain i has [borders[i], borders[i + 1]) of the block.
[[nodiscard]] std::vector<unsigned> planned_nodes(std::size_t pages, const std::vector<double>& borders,
                                                  const std::vector<unsigned>& node_of_domain);
/// The same for both grids.
[[nodiscard]] std::vector<unsigned> planned_nodes(const placed_heat& heat, const std::vector<double>& borders,
                                                  const std::vector<unsigned>& node_of_domain);

[[nodiscard]] std::size_t pages_as_planned(const std::vector<page_node>& found, const std::vector<unsigned>& planned);
/// "node 0: 128, node 1: 120, nowhere: 8"
[[nodiscard]] std::string counted(const std::vector<page_node>& found);

}  // namespace nearfork::lab
