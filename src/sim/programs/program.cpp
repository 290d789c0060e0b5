#include "sim/programs/program.hpp"

#include <algorithm>
#include <functional>
#include <numeric>
#include <utility>

#include "base/rng.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t line_bytes = 64;

struct rows {
  std::uint64_t first;
  std::uint64_t count;
};

/// How a task divides its rows. Empty: it is a leaf.
using division = std::function<std::vector<rows>(rows)>;

struct sliced_tree {
  task_tree tree{};
  std::vector<rows> of_task{};
};

sliced_tree slice(rows all, const division& divide) {
  sliced_tree made;
  made.of_task.push_back(all);
  for (std::uint32_t task = 0; task < made.of_task.size(); ++task) {
    const std::vector<rows> parts = divide(made.of_task[task]);
    if (parts.empty()) continue;
    (void)made.tree.try_fork(tree_node{task}, static_cast<std::uint32_t>(parts.size()));
    made.of_task.insert(made.of_task.end(), parts.begin(), parts.end());
  }
  return made;
}

task_graph sweep(const sliced_tree& sliced, const grid_shape& shape, std::uint64_t from, std::uint64_t to) {
  task_graph graph(sliced.tree);
  for (std::uint32_t task = 0; task < graph.size(); ++task) {
    if (!sliced.tree.is_leaf(tree_node{task})) continue;
    const rows own = sliced.of_task[task];
    const std::uint64_t lo = own.first - std::min(own.first, shape.halo_rows);
    const std::uint64_t hi = std::min(shape.rows, own.first + own.count + shape.halo_rows);
    const data_access accesses[] = {
        {from + lo * shape.row_bytes, (hi - lo) * shape.row_bytes, access_kind::read},
        {to + own.first * shape.row_bytes, own.count * shape.row_bytes, access_kind::write}};
    const std::uint64_t lines = own.count * shape.row_bytes / line_bytes;
    graph.set_work(tree_node{task}, 0, lines * shape.compute_ns_per_line, accesses);
  }
  return graph;
}

program grid_program(std::string name, const grid_shape& shape, const division& divide) {
  const sliced_tree sliced = slice({0, shape.rows}, divide);
  const std::uint64_t buffer = shape.rows * shape.row_bytes;
  program made{.name = std::move(name), .input_bytes = 2 * buffer, .graphs = {}, .course = {0, 1}};
  made.graphs.push_back(sweep(sliced, shape, 0, buffer));
  made.graphs.push_back(sweep(sliced, shape, buffer, 0));
  return made;
}

std::vector<rows> halves(rows whole) {
  const std::uint64_t first = whole.count / 2;
  return {{whole.first, first}, {whole.first + first, whole.count - first}};
}

/// In proportion to weights of 1 to 4. Empty parts are left out.
std::vector<rows> unequal_parts(rows whole, rng& random) {
  std::vector<std::uint64_t> weights(2 + random.below(3));
  std::ranges::generate(weights, [&] { return 1 + random.below(4); });
  const std::uint64_t sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  std::vector<rows> parts;
  std::uint64_t begin = 0;
  std::uint64_t before = 0;
  for (const std::uint64_t weight : weights) {
    before += weight;
    const std::uint64_t end = whole.count * before / sum;
    if (end > begin) parts.push_back({whole.first + begin, end - begin});
    begin = end;
  }
  return parts;
}

task_tree any_tree(rng& random, std::uint32_t tasks) {
  task_tree tree;
  const std::uint32_t forks = random.below(tasks / 3 + 1);
  for (std::uint32_t i = 0; i < forks; ++i)
    (void)tree.try_fork(tree_node{random.below(static_cast<std::uint32_t>(tree.size()))}, 1 + random.below(4));
  return tree;
}

data_access any_access(rng& random, std::uint64_t data_bytes) {
  const auto bytes = static_cast<std::uint32_t>(data_bytes);
  const std::uint32_t begin = random.below(bytes);
  return {begin, 1 + random.below(bytes - begin), random.below(3) == 0 ? access_kind::write : access_kind::read};
}

task_graph any_graph(rng& random, const random_extent& extent) {
  task_graph graph(any_tree(random, extent.tasks));
  for (std::uint32_t task = 0; task < graph.size(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(tree_node{task}).size(); ++i) {
      std::vector<data_access> accesses(random.below(extent.accesses_of_stretch + 1));
      for (auto& one : accesses) one = any_access(random, extent.data_bytes);
      graph.set_work(tree_node{task}, i, random.below(static_cast<std::uint32_t>(extent.compute_ns) + 1), accesses);
    }
  return graph;
}

}  // namespace

program regular_grid(const grid_shape& shape) {
  return grid_program("regular grid", shape, [&](rows whole) {
    return whole.count <= std::max<std::uint64_t>(1, shape.leaf_rows) ? std::vector<rows>{} : halves(whole);
  });
}

program irregular_grid(const grid_shape& shape, std::uint64_t seed) {
  rng random(seed);
  return grid_program("irregular grid", shape, [&](rows whole) {
    return whole.count <= std::max<std::uint64_t>(1, shape.leaf_rows) ? std::vector<rows>{}
                                                                      : unequal_parts(whole, random);
  });
}

program random_program(std::uint64_t seed, const random_extent& extent) {
  rng random(seed);
  program made{.name = "random", .input_bytes = extent.data_bytes, .graphs = {}, .course = {0}};
  made.graphs.push_back(any_graph(random, extent));
  if (random.below(5) != 0) return made;
  made.graphs.push_back(any_graph(random, extent));
  made.course.assign(3 + random.below(10), 0);
  made.course.resize(2 * made.course.size(), 1);
  return made;
}

}  // namespace nearfork::sim
