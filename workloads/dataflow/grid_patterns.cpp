#include <optional>
#include <utility>
#include <vector>

#include "workloads/dataflow/patterns.hpp"

namespace nearfork::workloads {
namespace {

constexpr std::uint64_t element_bytes = sizeof(double);
constexpr std::uint32_t no_value = 0xffff'ffff;

/// What a block has handed out last.
struct handed_out {
  std::uint32_t whole = no_value;
  std::array<std::array<std::uint32_t, 2>, 3> face{};  // by dimension and side that it is for
};

class stencil_maker {
 public:
  stencil_maker(const block_grid& grid, std::uint32_t steps, std::uint32_t arrays)
      : grid_(grid),
        steps_(steps),
        made_(grid.size(), grid.block_elements() * element_bytes, arrays),
        latest_(grid.size()) {}

  flow_pattern make(bool is_jacobi) {
    for (std::uint32_t block = 0; block < grid_.size(); ++block) load(block, is_jacobi);
    for (std::uint32_t step = 1; step <= steps_; ++step) {
      // Jacobi reads what all blocks handed out in the step before; Seidel what they handed out last.
      if (is_jacobi) before_ = latest_;
      for (std::uint32_t block = 0; block < grid_.size(); ++block) compute(block, step, is_jacobi);
    }
    for (std::uint32_t block = 0; block < grid_.size(); ++block)
      made_.add({.kernel = flow_kernel::copy_out,
                 .block = block,
                 .step = steps_ + 1,
                 .operations = 2.0 * static_cast<double>(grid_.block_elements()),
                 .is_vector = true,
                 .creator = 0,
                 .initial_bytes = 0,
                 .final_bytes = made_.block_bytes()},
                {latest_[block].whole});
    return std::move(made_);
  }

 private:
  void load(std::uint32_t block, bool is_jacobi) {
    const std::uint32_t task = made_.add({.kernel = flow_kernel::copy_in,
                                          .block = block,
                                          .step = 0,
                                          .operations = 2.0 * static_cast<double>(grid_.block_elements()),
                                          .is_vector = true,
                                          .creator = 0,
                                          .initial_bytes = made_.block_bytes(),
                                          .final_bytes = 0},
                                         {});
    hand_out(task, block, true, is_jacobi);
  }

  void compute(std::uint32_t block, std::uint32_t step, bool is_jacobi) {
    const std::vector<handed_out>& from = is_jacobi ? before_ : latest_;
    std::vector<std::uint32_t> inputs{from[block].whole};
    for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension)
      for (const side at : sides)
        if (const auto other = grid_.neighbour(block, dimension, at))
          inputs.push_back(from[*other].face[dimension][static_cast<std::size_t>(opposite(at))]);
    const double each = 4.0 * grid_.dimensions() + 3;  // loads, additions, a multiplication, a store
    const std::uint32_t task = made_.add({.kernel = flow_kernel::stencil,
                                          .block = block,
                                          .step = step,
                                          .operations = each * static_cast<double>(grid_.block_elements()),
                                          .is_vector = is_jacobi,
                                          .creator = 0,
                                          .initial_bytes = 0,
                                          .final_bytes = 0},
                                         inputs);
    // The last step's faces have no readers, but for those that Seidel reads in the same step.
    hand_out(task, block, step < steps_, is_jacobi ? step < steps_ : true);
  }

  void hand_out(std::uint32_t task, std::uint32_t block, bool to_lower, bool to_upper) {
    latest_[block].whole = made_.add_value(task, block, made_.block_bytes());
    for (std::uint32_t dimension = 0; dimension < grid_.dimensions(); ++dimension)
      for (const side to : sides)
        if ((to == side::lower ? to_lower : to_upper) && grid_.neighbour(block, dimension, to))
          latest_[block].face[dimension][static_cast<std::size_t>(to)] = made_.add_value(
              task, block, grid_.face_elements(dimension) * element_bytes, flow_place::part, face_part(dimension, to));
  }

  block_grid grid_;
  std::uint32_t steps_;
  flow_pattern made_;
  std::vector<handed_out> latest_, before_;  // by block
};

}  // namespace

std::optional<std::uint32_t> block_grid::neighbour(std::uint32_t block, std::uint32_t dimension,
                                                   side to) const noexcept {
  auto at = place(block);
  if (to == side::lower ? at[dimension] == 0 : at[dimension] + 1 == blocks[dimension]) return std::nullopt;
  at[dimension] += to == side::lower ? ~std::uint32_t{0} : 1;
  return number(at);
}

std::uint32_t block_grid::dimensions() const noexcept {
  return shape[2] > 1 || blocks[2] > 1 ? 3 : shape[1] > 1 || blocks[1] > 1 ? 2 : 1;
}

flow_pattern jacobi_pattern(const block_grid& grid, std::uint32_t steps) {
  return stencil_maker(grid, steps, 2).make(true);
}

flow_pattern seidel_pattern(const block_grid& grid, std::uint32_t steps) {
  return stencil_maker(grid, steps, 1).make(false);
}

flow_pattern blur_roberts_pattern(const block_grid& grid) {
  const auto elements = static_cast<double>(grid.block_elements());
  flow_pattern made(grid.size(), grid.block_elements() * element_bytes, 1);
  constexpr double blur_operations = 9 + 9 + 8 + 1, roberts_operations = 4 + 2 + 2 + 1 + 4 + 1;  // a square root is 4
  struct blurred {
    std::uint32_t whole = no_value, left_column = no_value, top_row = no_value, corner = no_value;
  };
  std::vector<blurred> of(grid.size());
  for (std::uint32_t block = 0; block < grid.size(); ++block) {
    const std::uint32_t task = made.add({.kernel = flow_kernel::blur,
                                         .block = block,
                                         .step = 0,
                                         .operations = blur_operations * elements,
                                         .is_vector = true,
                                         .creator = 0,
                                         .initial_bytes = made.block_bytes(),
                                         .final_bytes = 0},
                                        {});
    of[block].whole = made.add_value(task, block, made.block_bytes());
    const auto at = grid.place(block);
    const auto part = [&](std::uint64_t elements_of_part, std::uint32_t number) {
      return made.add_value(task, block, elements_of_part * element_bytes, flow_place::part, number);
    };
    if (at[0] > 0) of[block].left_column = part(grid.face_elements(0), face_part(0, side::lower));
    if (at[1] > 0) of[block].top_row = part(grid.face_elements(1), face_part(1, side::lower));
    if (at[0] > 0 && at[1] > 0) of[block].corner = part(1, corner_part);
  }
  for (std::uint32_t block = 0; block < grid.size(); ++block) {
    std::vector<std::uint32_t> inputs{of[block].whole};
    const auto right = grid.neighbour(block, 0, side::upper);
    const auto below = grid.neighbour(block, 1, side::upper);
    if (right) inputs.push_back(of[*right].left_column);
    if (below) inputs.push_back(of[*below].top_row);
    if (right && below) inputs.push_back(of[*grid.neighbour(*right, 1, side::upper)].corner);
    made.add({.kernel = flow_kernel::roberts,
              .block = block,
              .step = 1,
              .operations = roberts_operations * elements,
              .is_vector = true,
              .creator = 0,
              .initial_bytes = 0,
              .final_bytes = made.block_bytes()},
             inputs);
  }
  return made;
}

}  // namespace nearfork::workloads
