#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include <nearfork/error.hpp>

#include "tools/simulated/workload_programs.hpp"
#include "workloads/conv/conv.hpp"
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
constexpr std::array<counted_formula, 7> formulas{{{heat_program, 5 + 7 + 1, loop_kind::vector},
                                                   {sor_program, 5 + 7 + 1, loop_kind::scalar},
                                                   {ge_program, 2 + 2 + 1, loop_kind::vector},
                                                   {conv_program, 25 + 49 + 1, loop_kind::vector},
                                                   {nine_point_program, 9 + 12 + 1, loop_kind::vector},
                                                   {six_point_program, 6 + 6 + 1, loop_kind::vector},
                                                   {twenty_five_point_program, 25 + 31 + 1, loop_kind::vector}}};

const counted_formula& formula_of(const grid_program& program) {
  return *std::ranges::find(formulas, &program, [](const counted_formula& one) { return &one.program(); });
}

/// Where slabs lie: all of a buffer together, or each in an allocation of its own, those of one slab in turn.
class grid_layout {
 public:
  grid_layout(const grid_program& program, const grid_extent& extent, sim::setup_kind setup)
      : slabs_(extent.slabs),
        slab_bytes_(extent.slab_cells() * sizeof(double)),
        buffers_(program.order == grid_order::two_buffers ? 2 : 1),
        apart_bytes_(setup == sim::setup_kind::cilk ? allocation_bytes(slab_bytes_) : 0) {}

  [[nodiscard]] std::uint64_t slab_bytes() const noexcept { return slab_bytes_; }
  [[nodiscard]] std::uint64_t buffers() const noexcept { return buffers_; }
  [[nodiscard]] std::uint64_t address(std::uint64_t buffer, std::size_t slab) const noexcept {
    if (apart_bytes_ == 0) return buffer * whole_pages(slabs_ * slab_bytes_) + slab * slab_bytes_;
    return (slab * buffers_ + buffer) * apart_bytes_ + header_bytes;
  }
  [[nodiscard]] std::vector<sim::data_array> arrays() const {
    if (apart_bytes_ == 0) return arrays_of(buffers_, slabs_ * slab_bytes_);
    return {{0, slabs_ * buffers_ * apart_bytes_}};
  }

  /// What malloc writes before an allocation: its size.
  static constexpr std::uint64_t size_field_bytes = 8;

 private:
  /// glibc's malloc: a header of 16 bytes, of which the allocation before may use 8; from 128 KiB on whole pages.
  static constexpr std::uint64_t header_bytes = 16;
  [[nodiscard]] static constexpr std::uint64_t allocation_bytes(std::uint64_t bytes) noexcept {
    if (bytes >= 128 << 10) return whole_pages(bytes + header_bytes);
    return (bytes + size_field_bytes + header_bytes - 1) / header_bytes * header_bytes;
  }

  std::uint64_t slabs_;
  std::uint64_t slab_bytes_;
  std::uint64_t buffers_;
  std::uint64_t apart_bytes_;
};

/// What allocating, filling and computing some slabs touches.
class grid_accesses {
 public:
  grid_accesses(const grid_program& program, const grid_extent& extent, const simulation_input& input)
      : program_(program),
        formula_(formula_of(program)),
        extent_(extent),
        input_(input),
        radius_(program.changes(extent, 0).first),
        layout_(program, extent, input.setup) {}

  [[nodiscard]] const grid_layout& layout() const noexcept { return layout_; }

  /// Allocates the slabs, those of all buffers in turn.
  void allocate(graph_sketch& into, tree_node task, std::size_t first, std::size_t last) {
    found_.clear();
    for (std::size_t slab = first; slab < last; ++slab)
      for (std::uint64_t buffer = 0; buffer < layout_.buffers(); ++buffer)
        add(layout_.address(buffer, slab) - grid_layout::size_field_bytes, grid_layout::size_field_bytes,
            access_kind::write);
    const double allocations = static_cast<double>((last - first) * layout_.buffers());
    into.work(task, time_of(operations_of_allocation * allocations, input_), found_);
  }
  /// Writes the first values of the buffer that the first iteration reads.
  void fill_one(graph_sketch& into, tree_node task, std::size_t first, std::size_t last) {
    fill(into, task, first, last, 1);
  }
  /// Writes all buffers.
  void fill_all(graph_sketch& into, tree_node task, std::size_t first, std::size_t last) {
    fill(into, task, first, last, layout_.buffers());
  }

  /// Slabs [first, last) in an iteration. As in the kernels, slabs that do not change in it are skipped.
  void compute(graph_sketch& into, tree_node task, std::uint64_t iteration, std::size_t first, std::size_t last) {
    found_.clear();
    computed_rows_ = 0;
    const double operations =
        program_.order == grid_order::in_place ? eliminate(iteration, first, last) : sweep(iteration, first, last);
    into.work(task, time_of(operations, input_, formula_.loop, static_cast<double>(computed_rows_)), found_);
  }

 private:
  void fill(graph_sketch& into, tree_node task, std::size_t first, std::size_t last, std::uint64_t buffers) {
    found_.clear();
    for (std::size_t slab = first; slab < last; ++slab)
      for (std::uint64_t buffer = 0; buffer < buffers; ++buffer)
        add(layout_.address(buffer, slab), layout_.slab_bytes(), access_kind::write);
    const double cells = static_cast<double>((last - first) * buffers * extent_.slab_cells());
    into.work(task, time_of(operations_of_value * cells, input_), found_);
  }

  /// Slab by slab: reads the slab and its neighbours (in place, the slab itself while it is written), and writes the
  /// slab. In a cuboid the outer rows of a plane are only read, and only in the plane that is computed.
  double sweep(std::uint64_t iteration, std::size_t first, std::size_t last) {
    const bool two_buffers = program_.order == grid_order::two_buffers;
    const std::uint64_t from = two_buffers ? iteration % 2 : 0;
    const std::uint64_t to = two_buffers ? 1 - from : from;
    for (std::size_t slab = first; slab < last; ++slab) {
      for (std::size_t near = slab - radius_; near <= slab + radius_; ++near)
        if (near != slab) add_inner(from, near, access_kind::read);
        else if (two_buffers) add(layout_.address(from, near), layout_.slab_bytes(), access_kind::read);
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
    const std::uint64_t width = layout_.slab_bytes() - offset;
    for (std::size_t row = std::max<std::size_t>(first, pivot + 1); row < last; ++row) {
      add(layout_.address(0, pivot) + offset, width, access_kind::read);
      add(layout_.address(0, row) + offset, width, access_kind::write);
    }
    const std::size_t rows = last - std::min<std::size_t>(last, std::max<std::size_t>(first, pivot + 1));
    computed_rows_ = rows;
    return static_cast<double>(rows * (extent_.columns - pivot)) * formula_.operations;
  }

  [[nodiscard]] std::size_t inner_rows() const noexcept { return extent_.rows == 1 ? 1 : extent_.rows - 2 * radius_; }
  void add_inner(std::uint64_t buffer, std::size_t slab, access_kind kind) {
    const std::uint64_t row_bytes = extent_.columns * sizeof(double);
    const std::size_t outer_rows = extent_.rows == 1 ? 0 : radius_;
    add(layout_.address(buffer, slab) + outer_rows * row_bytes, inner_rows() * row_bytes, kind);
  }
  void add(std::uint64_t begin, std::uint64_t bytes, access_kind kind) { found_.push_back({begin, bytes, kind}); }

  /// Estimates: some 25 ns for a call of malloc, and next to nothing for the formula of a first value.
  static constexpr double operations_of_allocation = 100;
  static constexpr double operations_of_value = 2;

  const grid_program& program_;
  const counted_formula& formula_;
  grid_extent extent_;
  const simulation_input& input_;
  std::size_t radius_;
  grid_layout layout_;
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

/// What comes before the first iteration, if tasks do it. As heat.cilk does it, all slabs are allocated by one phase,
/// and filled by another.
std::vector<sim::task_graph> phases_of(sim::setup_kind setup, grid_accesses& accesses, const slab_tree& tree,
                                       std::size_t slabs) {
  using phase = void (grid_accesses::*)(graph_sketch&, tree_node, std::size_t, std::size_t);
  std::vector<phase> wanted;
  if (setup == sim::setup_kind::cilk) wanted = {&grid_accesses::allocate, &grid_accesses::fill_one};
  if (setup == sim::setup_kind::parallel) wanted = {&grid_accesses::fill_all};
  std::vector<sim::task_graph> made;
  for (const phase one : wanted) {
    graph_sketch sketch(most_simulated_tasks);
    sketch_slabs(sketch, tree_root, tree, {0, slabs}, [&](tree_node here, std::size_t first, std::size_t last) {
      (accesses.*one)(sketch, here, first, last);
    });
    made.push_back(std::move(sketch).finish());
  }
  return made;
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
  const unsigned sweeps = program.order == grid_order::red_black ? 2 : 1;
  const slab_range all = program.changes(extent, 0);
  const slab_tree tree(grid.shape);
  sim::program made{.name = std::string(program.name) + (grid.shape == tree_shape::regular ? "" : "-ir"),
                    .input_bytes = 0,
                    .graphs = {},
                    .course = {}};
  grid_accesses accesses(program, extent, input);
  made.input_bytes = accesses.layout().buffers() * extent.cells() * sizeof(double);
  made.arrays = accesses.layout().arrays();
  made.setup = phases_of(input.setup, accesses, tree, extent.slabs);
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
