#include <algorithm>
#include <array>
#include <utility>

#include <nearfork/error.hpp>

#include "tools/simulated/sources.hpp"
#include "workloads/ge/ge.hpp"
#include "workloads/heat/heat.hpp"
#include "workloads/nine_point/nine_point.hpp"
#include "workloads/six_point/six_point.hpp"
#include "workloads/sor/sor.hpp"
#include "workloads/twenty_five_point/twenty_five_point.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

/// Loads, additions, subtractions, multiplications and the store for each computed cell, counted in the kernels'
/// formulas.
struct counted_formula {
  const grid_program& (*program)();
  double operations;
  loop_kind loop;  // in red-black order every second cell is computed
};
constexpr std::array<counted_formula, 6> formulas{{{heat_program, 5 + 7 + 1, loop_kind::vector},
                                                   {sor_program, 5 + 7 + 1, loop_kind::scalar},
                                                   {ge_program, 2 + 2 + 1, loop_kind::vector},
                                                   {nine_point_program, 9 + 12 + 1, loop_kind::vector},
                                                   {six_point_program, 6 + 6 + 1, loop_kind::vector},
                                                   {twenty_five_point_program, 25 + 31 + 1, loop_kind::vector}}};

const counted_formula& formula_of(const grid_program& program) {
  return *std::ranges::find(formulas, &program, [](const counted_formula& one) { return &one.program(); });
}

/// The positions of the cells, and what computing some of them touches.
class grid_accesses {
 public:
  grid_accesses(const grid_program& program, const grid_extent& extent, const simulation_input& input)
      : program_(program),
        formula_(formula_of(program)),
        extent_(extent),
        input_(input),
        radius_(program.changes(extent, 0).first),
        slab_bytes_(extent.slab_cells() * sizeof(double)),
        buffer_bytes_(whole_pages(extent.slabs * slab_bytes_)) {}

  /// Slabs [first, last) in an iteration. As in the kernels, slabs that do not change in it are skipped.
  void compute(graph_sketch& into, tree_node task, std::uint64_t iteration, std::size_t first, std::size_t last) {
    found_.clear();
    computed_rows_ = 0;
    const double operations =
        program_.order == grid_order::in_place ? eliminate(iteration, first, last) : sweep(iteration, first, last);
    into.work(task, time_of(operations, input_, formula_.loop, static_cast<double>(computed_rows_)), found_);
  }

 private:
  /// Slab by slab: reads the slab and its neighbours (in place, the slab itself while it is written), and writes the
  /// slab. In a cuboid the outer rows of a plane are only read, and only in the plane that is computed.
  double sweep(std::uint64_t iteration, std::size_t first, std::size_t last) {
    const bool two_buffers = program_.order == grid_order::two_buffers;
    const std::uint64_t from = two_buffers && iteration % 2 == 1 ? buffer_bytes_ : 0;
    const std::uint64_t to = two_buffers ? buffer_bytes_ - from : from;
    for (std::size_t slab = first; slab < last; ++slab) {
      for (std::size_t near = slab - radius_; near <= slab + radius_; ++near)
        if (near != slab) add_inner(from, near, access_kind::read);
        else if (two_buffers) add(from + near * slab_bytes_, slab_bytes_, access_kind::read);
      add_inner(to, slab, access_kind::write);
    }
    computed_rows_ = (last - first) * inner_rows();
    const double cells = static_cast<double>(computed_rows_ * (extent_.columns - 2 * radius_));
    return cells * formula_.operations / (program_.order == grid_order::red_black ? 2 : 1);
  }

  /// The columns right of the pivot's, in the pivot's row and in each row below it.
  double eliminate(std::uint64_t pivot, std::size_t first, std::size_t last) {
    if (pivot >= extent_.columns) return 0;
    const std::uint64_t offset = pivot * sizeof(double);
    const std::uint64_t width = slab_bytes_ - offset;
    for (std::size_t row = std::max<std::size_t>(first, pivot + 1); row < last; ++row) {
      add(pivot * slab_bytes_ + offset, width, access_kind::read);
      add(row * slab_bytes_ + offset, width, access_kind::write);
    }
    const std::size_t rows = last - std::min<std::size_t>(last, std::max<std::size_t>(first, pivot + 1));
    computed_rows_ = rows;
    return static_cast<double>(rows * (extent_.columns - pivot)) * formula_.operations;
  }

  [[nodiscard]] std::size_t inner_rows() const noexcept { return extent_.rows == 1 ? 1 : extent_.rows - 2 * radius_; }
  void add_inner(std::uint64_t buffer, std::size_t slab, access_kind kind) {
    const std::uint64_t row_bytes = extent_.columns * sizeof(double);
    const std::size_t outer_rows = extent_.rows == 1 ? 0 : radius_;
    add(buffer + slab * slab_bytes_ + outer_rows * row_bytes, inner_rows() * row_bytes, kind);
  }
  void add(std::uint64_t begin, std::uint64_t bytes, access_kind kind) { found_.push_back({begin, bytes, kind}); }

  const grid_program& program_;
  const counted_formula& formula_;
  grid_extent extent_;
  const simulation_input& input_;
  std::size_t radius_;
  std::uint64_t slab_bytes_;
  std::uint64_t buffer_bytes_;
  std::vector<data_access> found_{};
  std::size_t computed_rows_ = 0;  // each is a loop with an unpredictable end
};

/// As fork_slabs().
template <class Leaf>
void sketch_slabs(graph_sketch& into, tree_node here, const slab_tree& tree, const slab_task& task, const Leaf& leaf) {
  if (slab_tree::is_leaf(task)) {
    leaf(here, task.first, task.last);
    return;
  }
  const unsigned children = slab_tree::children(task);
  const tree_node first = into.fork(here, children);
  for (unsigned i = 0; i < children; ++i)
    sketch_slabs(into, tree_node{index_of(first) + i}, tree, tree.child(task, i), leaf);
}

/// The number of different graphs: one per buffer that is read; in Gaussian elimination one per pivot.
std::uint64_t different_iterations(const grid_program& program, const simulation_input& input) {
  switch (program.order) {
    case grid_order::two_buffers: return 2;
    case grid_order::red_black: return 1;
    case grid_order::in_place: break;
  }
  return std::max<std::uint64_t>(1, input.iterations);
}

}  // namespace

std::optional<simulated_grid> find_simulated_grid(std::string_view name) {
  const bool irregular = name.ends_with("-ir");
  if (irregular) name.remove_suffix(3);
  for (const counted_formula& one : formulas)
    if (one.program().name == name)
      return simulated_grid{&one.program(), irregular ? tree_shape::irregular : tree_shape::regular};
  return std::nullopt;
}

sim::program simulate_grid(const simulated_grid& grid, const simulation_input& input) {
  const grid_program& program = *grid.program;
  const grid_extent extent = program.sizes.from(input.size).extent();
  const unsigned buffers = program.order == grid_order::two_buffers ? 2 : 1;
  const unsigned sweeps = program.order == grid_order::red_black ? 2 : 1;
  const slab_range all = program.changes(extent, 0);
  const slab_tree tree(grid.shape);
  sim::program made{.name = std::string(program.name) + (grid.shape == tree_shape::regular ? "" : "-ir"),
                    .input_bytes = buffers * extent.cells() * sizeof(double),
                    .graphs = {},
                    .course = {}};
  grid_accesses accesses(program, extent, input);
  for (std::uint64_t i = 0; i < different_iterations(program, input); ++i) {
    graph_sketch sketch(most_simulated_tasks);
    for (unsigned sweep = 0; sweep < sweeps; ++sweep)
      sketch_slabs(
          sketch, tree_root, tree, {all.first, all.last},
          [&](tree_node here, std::size_t first, std::size_t last) { accesses.compute(sketch, here, i, first, last); });
    made.course.push_back(static_cast<std::uint32_t>(made.graphs.size()));
    made.graphs.push_back(std::move(sketch).finish());
  }
  return made;
}

}  // namespace nearfork::tools
