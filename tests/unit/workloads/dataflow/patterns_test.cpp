// The patterns against small oracles: stencils element by element, sorting and factorising by running the pattern.
#include "workloads/dataflow/patterns.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>
#include <vector>

#include "base/rng.hpp"

namespace nearfork::workloads {
namespace {

/// Which elements of which blocks, of which step, a task reads: by (block, step), beside its own block.
using read_elements = std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::array<std::uint32_t, 3>>>;

enum class order { jacobi, seidel };

read_elements stencil_oracle(const block_grid& grid, std::uint32_t block, std::uint32_t step, order how) {
  read_elements made;
  const auto at = grid.place(block);
  std::array<std::uint32_t, 3> e{};
  const auto extent = [&](std::size_t d) { return grid.blocks[d] * grid.shape[d]; };
  for (e[2] = at[2] * grid.shape[2]; e[2] < (at[2] + 1) * grid.shape[2]; ++e[2])
    for (e[1] = at[1] * grid.shape[1]; e[1] < (at[1] + 1) * grid.shape[1]; ++e[1])
      for (e[0] = at[0] * grid.shape[0]; e[0] < (at[0] + 1) * grid.shape[0]; ++e[0])
        for (std::size_t d = 0; d < 3; ++d)
          for (const int by : {-1, 1}) {
            auto n = e;
            if ((by < 0 && n[d] == 0) || (by > 0 && n[d] + 1 == extent(d))) continue;
            n[d] = by < 0 ? n[d] - 1 : n[d] + 1;
            const std::uint32_t other = grid.number({n[0] / grid.shape[0], n[1] / grid.shape[1], n[2] / grid.shape[2]});
            if (other == block) continue;
            made[{other, how == order::seidel && by < 0 ? step : step - 1}].insert(n);
          }
  return made;
}

void expect_as_the_oracle(const block_grid& grid, const flow_pattern& made, std::uint32_t steps, order how) {
  std::uint32_t stencils = 0;
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    const flow_step& one = made[task];
    if (one.kernel != flow_kernel::stencil) continue;
    ++stencils;
    const read_elements wanted = stencil_oracle(grid, one.block, one.step, how);
    const auto inputs = made.inputs(task);
    ASSERT_EQ(inputs.size(), wanted.size() + 1);
    const flow_value& own = made.values()[inputs.front()];
    EXPECT_EQ(own.block, one.block);
    EXPECT_EQ(own.bytes, made.block_bytes());
    EXPECT_EQ(made[own.producer].step, one.step - 1);
    for (const std::uint32_t input : inputs.subspan(1)) {
      const flow_value& face = made.values()[input];
      const auto found = wanted.find({face.block, made[face.producer].step});
      ASSERT_NE(found, wanted.end()) << "step " << one.step << ", block " << one.block << " reads " << face.block;
      EXPECT_EQ(face.bytes, found->second.size() * sizeof(double));
      EXPECT_EQ(made[face.producer].block, face.block);
    }
  }
  EXPECT_EQ(stencils, grid.size() * steps);
}

const block_grid grids[] = {{{5, 1, 1}, {7, 1, 1}}, {{3, 4, 1}, {4, 5, 1}}, {{2, 3, 3}, {3, 2, 4}}};

TEST(stencil_patterns, read_what_the_elements_need) {
  for (const block_grid& grid : grids) {
    expect_as_the_oracle(grid, jacobi_pattern(grid, 4), 4, order::jacobi);
    expect_as_the_oracle(grid, seidel_pattern(grid, 4), 4, order::seidel);
  }
}

/// Every value has a reader, and tasks come after what they read and after who creates them. The simulator refuses
/// patterns that would stand still (flow_programs in tests/unit/tools/reproduce/drebes_test.cpp).
void expect_can_run(const flow_pattern& made) {
  std::vector<std::uint32_t> readers(made.values().size(), 0);
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    if (made[task].kernel == flow_kernel::control) {
      EXPECT_EQ(made[task].creator, task);
      continue;
    }
    EXPECT_LT(made[task].creator, task);
    for (const std::uint32_t input : made.inputs(task)) {
      ++readers[input];
      EXPECT_LT(made.values()[input].producer, task);
      EXPECT_LE(made.values()[input].bytes, made.values()[made.inputs(task).front()].bytes);
    }
  }
  for (std::size_t value = 0; value < readers.size(); ++value) EXPECT_GT(readers[value], 0U) << "value " << value;
}

TEST(patterns, can_run) {
  for (const block_grid& grid : grids) {
    expect_can_run(jacobi_pattern(grid, 3));
    expect_can_run(seidel_pattern(grid, 3));
  }
  expect_can_run(blur_roberts_pattern({{4, 3, 1}, {8, 4, 1}}));
  expect_can_run(bitonic_pattern(16, 64));
  expect_can_run(kmeans_pattern({.blocks = 21, .block_points = 100}));
  expect_can_run(cholesky_pattern(5, 8));
  expect_can_run(lu_pattern(5, 8));
  expect_can_run(smith_waterman_pattern({{4, 3, 1}, {5, 6, 1}}));
}

TEST(patterns, create_tasks_two_steps_ahead) {
  const flow_pattern made = jacobi_pattern(grids[0], 5);
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    const flow_step& creator = made[made[task].creator];
    if (made[task].step < 2) {
      EXPECT_EQ(creator.kernel, flow_kernel::control);
    } else {
      EXPECT_EQ(creator.step, made[task].step - 2);
      EXPECT_EQ(creator.block, made[task].block);
    }
  }
}

/// The cross reads an element and those to the right of it, below it, and below to the right.
TEST(blur_roberts_pattern, reads_blocks_to_the_right_and_below) {
  const block_grid grid{{3, 3, 1}, {4, 2, 1}};
  const flow_pattern made = blur_roberts_pattern(grid);
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    if (made[task].kernel != flow_kernel::roberts) continue;
    std::map<std::uint32_t, std::set<std::pair<std::uint32_t, std::uint32_t>>> wanted;
    const auto at = grid.place(made[task].block);
    for (std::uint32_t y = at[1] * 2; y < (at[1] + 1) * 2; ++y)
      for (std::uint32_t x = at[0] * 4; x < (at[0] + 1) * 4; ++x)
        for (const auto& [right, down] : {std::pair{0U, 0U}, {1U, 0U}, {0U, 1U}, {1U, 1U}})
          if (x + right < 12 && y + down < 6)
            wanted[grid.number({(x + right) / 4, (y + down) / 2, 0})].insert({x + right, y + down});
    ASSERT_EQ(made.inputs(task).size(), wanted.size());
    for (const std::uint32_t input : made.inputs(task)) {
      const flow_value& value = made.values()[input];
      EXPECT_EQ(value.bytes, wanted[value.block].size() * sizeof(double));
    }
  }
}

TEST(bitonic_pattern, sorts) {
  constexpr std::uint32_t blocks = 16, keys = 5;
  const flow_pattern made = bitonic_pattern(blocks, keys);
  rng random(3);
  std::vector<std::vector<std::uint32_t>> content(made.values().size());
  std::vector<std::vector<std::uint32_t>> written(made.size());  // values, by task
  for (std::uint32_t value = 0; value < made.values().size(); ++value)
    written[made.values()[value].producer].push_back(value);
  std::vector<std::uint32_t> all, sorted(blocks * keys);
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    const auto inputs = made.inputs(task);
    if (made[task].kernel == flow_kernel::sort) {
      std::vector<std::uint32_t>& mine = content[written[task].front()];
      for (std::uint32_t i = 0; i < keys; ++i) all.push_back(mine.emplace_back(random.below(40)));
      std::ranges::sort(mine);
    } else if (made[task].kernel == flow_kernel::merge) {
      std::vector<std::uint32_t> both = content[inputs[0]];
      both.insert(both.end(), content[inputs[1]].begin(), content[inputs[1]].end());
      std::ranges::sort(both);
      content[written[task][0]].assign(both.begin(), both.begin() + keys);
      content[written[task][1]].assign(both.begin() + keys, both.end());
    } else if (made[task].kernel == flow_kernel::copy_out) {
      std::ranges::copy(content[inputs[0]], sorted.begin() + made[task].block * keys);
    }
  }
  std::ranges::sort(all);
  EXPECT_EQ(sorted, all);
  EXPECT_THROW((void)bitonic_pattern(12, keys), std::invalid_argument);
}

/// Tiles of one number.
TEST(cholesky_pattern, factorises) {
  constexpr std::uint32_t rows = 7;
  const flow_pattern made = cholesky_pattern(rows, 1);
  rng random(11);
  std::vector<double> matrix(made.blocks()), content(made.values().size()), factor(made.blocks());
  for (double& one : matrix) one = random.below(100) / 100.0;
  for (std::uint32_t i = 0; i < rows; ++i) matrix[tile_number(i, i)] += rows;
  std::map<std::uint32_t, std::uint32_t> written;
  for (std::uint32_t value = 0; value < made.values().size(); ++value) written[made.values()[value].producer] = value;
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    const auto inputs = made.inputs(task);
    const auto in = [&](std::size_t i) { return content[inputs[i]]; };
    switch (made[task].kernel) {
      case flow_kernel::copy_in: content[written[task]] = matrix[made[task].block]; break;
      case flow_kernel::factor: content[written[task]] = std::sqrt(in(0)); break;
      case flow_kernel::solve: content[written[task]] = in(0) / in(1); break;
      case flow_kernel::update: content[written[task]] = in(0) - in(1) * in(inputs.size() - 1); break;
      case flow_kernel::copy_out: factor[made[task].block] = in(0); break;
      default: break;
    }
  }
  for (std::uint32_t i = 0; i < rows; ++i)
    for (std::uint32_t j = 0; j <= i; ++j) {
      double product = 0;
      for (std::uint32_t k = 0; k <= j; ++k) product += factor[tile_number(i, k)] * factor[tile_number(j, k)];
      EXPECT_NEAR(product, matrix[tile_number(i, j)], 1e-12);
    }
}

/// Each iteration's centres come from the sums of every block, each once.
TEST(kmeans_pattern, adds_up_the_sums_of_all_blocks_once) {
  const flow_pattern made = kmeans_pattern({.blocks = 75, .block_points = 4, .iterations = 3});
  std::vector<std::vector<std::uint32_t>> from(made.size());  // blocks whose points a reduction has seen
  std::uint32_t last = 0;
  for (std::uint32_t task = 0; task < made.size(); ++task) {
    if (made[task].kernel == flow_kernel::assign) {
      from[task] = {made[task].block};
      const std::uint32_t centres = made.values()[made.inputs(task)[1]].producer;
      if (made[task].step > 1) {
        EXPECT_EQ(from[centres].size(), 75U);
      }
    }
    if (made[task].kernel != flow_kernel::reduce || made[task].step == 0) continue;
    for (const std::uint32_t input : made.inputs(task)) {
      const auto& seen = from[made.values()[input].producer];
      EXPECT_EQ(made[made.values()[input].producer].step, made[task].step);
      from[task].insert(from[task].end(), seen.begin(), seen.end());
    }
    last = task;
  }
  std::ranges::sort(from[last]);
  std::vector<std::uint32_t> all(75);
  std::iota(all.begin(), all.end(), 0U);
  EXPECT_EQ(from[last], all);
}

}  // namespace
}  // namespace nearfork::workloads
