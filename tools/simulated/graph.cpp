// The graph programs: each node reads its list in order, and one line of each record that the list names, wherever it
// lies.
#include <algorithm>
#include <array>
#include <bit>
#include <utility>
#include <vector>

#include "tools/simulated/workload_programs.hpp"
#include "workloads/components/components.hpp"
#include "workloads/graphs/range_tree.hpp"
#include "workloads/label_propagation/label_propagation.hpp"
#include "workloads/pagerank/pagerank.hpp"

namespace nearfork::tools {
namespace {

using namespace workloads;

/// Loads, arithmetic, comparisons and the store, counted in the kernels: of each entry of a list, and of each node.
/// The end of each list is a wrong guess.
struct counted_pull {
  const graph_program& (*program)();
  double of_entry;
  double of_node;
  bool sorts = false;          // the values that were read
  bool reads_readers = false;  // the number of a node's readers
};
constexpr std::array<counted_pull, 3> pulls{
    {{pagerank_program, 3, 3 + 4 + 10, false, true},  // a division takes as long as ten other operations
     {label_propagation_program, 3 + 2, 4, true},
     {components_program, 2 + 1, 4}}};

const counted_pull& pull_of(const graph_program& program) {
  return *std::ranges::find(pulls, &program, [](const counted_pull& one) { return &one.program(); });
}

/// What the sort of so many values takes: as mergesort's leaf, five operations and half a wrong guess for each of the
/// n log2 n steps.
double sort_steps(std::size_t values) {
  return values < 2 ? 0 : static_cast<double>(values) * static_cast<double>(std::bit_width(values));
}
constexpr double operations_of_sort_step = 5;
constexpr double operations_of_written_double = 1;

class graph_accesses {
 public:
  graph_accesses(const counted_pull& pull, const list_view& lists, std::uint64_t record_doubles,
                 const simulation_input& input)
      : pull_(pull),
        lists_(lists),
        record_bytes_(record_doubles * sizeof(double)),
        input_(input),
        sizes_{lists.offsets.size_bytes(), lists.targets.size_bytes(), lists.nodes() * sizeof(node_number),
               lists.nodes() * record_bytes_} {
    for (std::size_t i = 0; i + 1 < sizes_.size(); ++i) begins_[i + 1] = begins_[i] + whole_pages(sizes_[i]);
  }

  [[nodiscard]] std::vector<sim::data_array> arrays() const {
    std::vector<sim::data_array> made;
    for (std::size_t i = 0; i < sizes_.size(); ++i) made.push_back({begins_[i], sizes_[i]});
    return made;
  }

  /// Writes all that nodes [first, last) have.
  void set_up(graph_sketch& into, tree_node task, std::size_t first, std::size_t last) {
    found_.clear();
    add(offsets, first, last + (last == lists_.nodes() ? 1 : 0), sizeof(std::uint64_t), access_kind::write);
    add(readers, first, last, sizeof(node_number), access_kind::write);
    add(targets, lists_.offsets[first], lists_.offsets[last], sizeof(node_number), access_kind::write);
    add(records, first, last, record_bytes_, access_kind::write);
    const std::uint64_t record_doubles = record_bytes_ / sizeof(double);
    const std::uint64_t entries = lists_.offsets[last] - lists_.offsets[first];
    const auto written = static_cast<double>((last - first) * record_doubles + entries);
    into.work(task, time_of(operations_of_written_double * written, input_, loop_kind::vector), found_);
  }

  /// Computes nodes [first, last).
  void compute(graph_sketch& into, tree_node task, std::size_t first, std::size_t last) {
    found_.clear();
    double operations = pull_.of_node * static_cast<double>(last - first) +
                        pull_.of_entry * static_cast<double>(lists_.offsets[last] - lists_.offsets[first]);
    double wrong_guesses = static_cast<double>(last - first);
    add(offsets, first, last + 1, sizeof(std::uint64_t), access_kind::read);
    if (pull_.reads_readers) add(readers, first, last, sizeof(node_number), access_kind::read);
    for (std::size_t node = first; node < last; ++node) {
      add(targets, lists_.offsets[node], lists_.offsets[node + 1], sizeof(node_number), access_kind::read);
      gather(node);
      add_values(node, access_kind::write, sim::access_order::sweep);
      if (!pull_.sorts) continue;
      const double steps = sort_steps(lists_.read_by(node).size());
      operations += operations_of_sort_step * steps;
      wrong_guesses += steps / 2;
    }
    into.work(task, time_of(operations, input_, loop_kind::scalar, wrong_guesses), found_);
  }

 private:
  enum array : std::uint8_t { offsets, targets, readers, records };

  void add(array which, std::uint64_t first, std::uint64_t last, std::uint64_t each_bytes, access_kind kind) {
    if (last > first) found_.push_back({begins_[which] + first * each_bytes, (last - first) * each_bytes, kind});
  }
  /// The records that a node reads. Their addresses come from its list, so a core begins several of these reads at
  /// once; but it guesses wrongly where a list ends, so the first read of the next list waits.
  void gather(std::size_t node) {
    auto order = sim::access_order::chain;
    for (const node_number other : lists_.read_by(node)) {
      add_values(other, access_kind::read, order);
      order = sim::access_order::sweep;
    }
  }
  /// Both values of a node, of which an iteration uses one: the lines are the same, so all iterations are alike.
  void add_values(std::uint64_t node, access_kind kind, sim::access_order order) {
    found_.push_back({begins_[records] + node * record_bytes_, 2 * sizeof(double), kind, order});
  }

  const counted_pull& pull_;
  list_view lists_;
  std::uint64_t record_bytes_;
  const simulation_input& input_;
  std::array<std::uint64_t, 4> sizes_;
  std::array<std::uint64_t, 4> begins_{};
  std::vector<data_access> found_{};
};

/// As fork_ranges().
template <class Leaf>
void sketch_ranges(graph_sketch& into, tree_node here, const range_tree& tree, range_tree::range task,
                   const Leaf& leaf) {
  if (tree.is_leaf(task)) {
    leaf(here, task.first, task.last);
    return;
  }
  const std::size_t middle = tree.middle(task);
  const tree_node child = into.fork(here, 2);
  sketch_ranges(into, child, tree, {task.first, middle}, leaf);
  sketch_ranges(into, tree_node{index_of(child) + 1}, tree, {middle, task.last}, leaf);
}

using phase = void (graph_accesses::*)(graph_sketch&, tree_node, std::size_t, std::size_t);

sim::task_graph sketched(graph_accesses& accesses, const range_tree& tree, phase what) {
  graph_sketch sketch(most_simulated_tasks);
  sketch_ranges(sketch, tree_root, tree, tree.root(), [&](tree_node here, std::size_t first, std::size_t last) {
    (accesses.*what)(sketch, here, first, last);
  });
  return std::move(sketch).finish();
}

}  // namespace

const graph_program* find_simulated_graph(std::string_view name) {
  const auto found = std::ranges::find(graph_programs(), name, [](const graph_program* one) { return one->name; });
  return found == graph_programs().end() ? nullptr : *found;
}

sim::program simulate_graph(const graph_program& program, const simulation_input& input) {
  const graph_size size = program.sizes.from(input.size);
  const pull_lists lists = lists_of(program, size, {.seed = input.seed, .arrays = {}, .graph = input.graph});
  const range_tree tree(lists.view());
  graph_accesses accesses(pull_of(program), lists.view(), size.record_doubles(), input);
  sim::program made{.name = std::string(program.name),
                    .input_bytes = working_bytes(lists.view(), size.record_doubles()),
                    .graphs = {},
                    .course = {0}};
  made.arrays = accesses.arrays();
  if (input.setup == sim::setup_kind::parallel) made.setup.push_back(sketched(accesses, tree, &graph_accesses::set_up));
  made.graphs.push_back(sketched(accesses, tree, &graph_accesses::compute));
  return made;
}

}  // namespace nearfork::tools
