#include "workloads/graphs/graph_instance.hpp"

#include <algorithm>

#include <nearfork/hints.hpp>
#include <nearfork/region.hpp>

#include "workloads/difference.hpp"
#include "workloads/graphs/graph_generator.hpp"

namespace nearfork::workloads {
namespace {

/// The answer divides in another place, and compilers may fuse multiply and add: rounding differs by far less.
constexpr double share_tolerance = 1e-9;

std::uint64_t entries_of(const graph_program& program, const graph_size& size, const instance_input& input) {
  const std::uint64_t edges = input.graph ? input.graph->edges.size() : size.drawn_edges();
  const bool both = program.who_reads == read_ends::both || (input.graph && input.graph->undirected);
  return both ? 2 * edges : edges;
}

}  // namespace

pull_lists lists_of(const graph_program& program, const graph_size& size, const instance_input& input) {
  if (input.graph) {
    const read_ends who = input.graph->undirected ? read_ends::both : program.who_reads;
    return {input.graph->nodes, who, [&](const auto& visit) {
              for (const edge one : input.graph->edges) visit(one);
            }};
  }
  if (size.rmat == 1) return {size.nodes, program.who_reads, rmat_graph{size.nodes, size.drawn_edges(), input.seed}};
  return {size.nodes, program.who_reads, zipf_graph{size.nodes, size.least_edges(), size.edges, input.seed}};
}

graph_instance::graph_instance(const graph_program& program, const graph_size& size, const instance_input& input)
    : program_(program),
      iterations_(size.iterations),
      record_doubles_(size.record_doubles()),
      input_(input),
      made_(lists_of(program, size, input)),
      readers_made_(made_.readers()),
      right_(program.answer(made_.view(), readers_made_, iterations_)) {
  input_.graph.reset();
  make_arrays();
  graph_instance::reset();
}

/// The lists as they were made, the answer, which has two buffers while it is computed, and the data of a run.
std::uint64_t graph_instance::bytes(const graph_program& program, const graph_size& size, const instance_input& input) {
  const std::uint64_t nodes = input.graph ? input.graph->nodes : size.nodes;
  const std::uint64_t lists = (nodes + 1) * sizeof(std::uint64_t) + nodes * sizeof(node_number) +
                              entries_of(program, size, input) * sizeof(node_number);
  const bool copied = input.arrays.placed || input.arrays.setup == array_setup::parallel;
  return (copied ? 2 : 1) * lists + nodes * (size.record_doubles() + 2) * sizeof(double);
}

void graph_instance::make_arrays() {
  records_ = {};
  records_ = {nodes() * record_doubles_, input_.arrays};
  if (!copies_lists()) return;
  offsets_ = {};
  targets_ = {};
  readers_ = {};
  offsets_ = {made_.view().offsets.size(), input_.arrays};
  targets_ = {made_.view().targets.size(), input_.arrays};
  readers_ = {readers_made_.size(), input_.arrays};
}

/// All that nodes [first, last) have. The last offset belongs to the last node.
void graph_instance::fill(std::size_t first, std::size_t last) const {
  std::fill(records_.data() + first * record_doubles_, records_.data() + last * record_doubles_, 0.0);
  for (std::size_t node = first; node < last; ++node)
    for (const unsigned which : {0U, 1U})
      records().value(node, which) = program_.first_value(node, readers_made_[node]);
  if (!copies_lists()) return;
  const list_view lists = made_.view();
  const std::size_t offsets_end = last == nodes() ? last + 1 : last;
  std::copy(lists.offsets.data() + first, lists.offsets.data() + offsets_end, offsets_.data() + first);
  std::copy(readers_made_.data() + first, readers_made_.data() + last, readers_.data() + first);
  std::copy(lists.targets.data() + lists.offsets[first], lists.targets.data() + lists.offsets[last],
            targets_.data() + lists.offsets[first]);
}

void graph_instance::reset() {
  reset_by([](std::size_t count, const range_body& body) { body(0, count); });
}

void graph_instance::reset_by(const range_loop& loop) {
  if (input_.arrays.setup == array_setup::parallel) make_arrays();
  loop(nodes(), [this](std::size_t first, std::size_t last) { fill(first, last); });
}

void graph_instance::reset_nearfork() {
  if (input_.arrays.setup == array_setup::serial) return reset();
  reset_by([this](std::size_t, const range_body& body) {
    region({.name = std::string(program_.name) + " setup", .input_bytes = working_bytes(made_.view(), record_doubles_)},
           [&] { fork_ranges(tree(), tree().root(), nearfork_fork{}, body); });
  });
}

graph_sweep graph_instance::sweep(std::uint64_t iteration) const noexcept {
  const bool copied = copies_lists();
  return {copied ? list_view{offsets_.all(), targets_.all()} : made_.view(),
          copied ? readers_.data() : readers_made_.data(), records(), static_cast<unsigned>(iteration % 2)};
}

void graph_instance::run_serial() {
  iterate([&](const graph_sweep& sweep) { compute(sweep, 0, nodes()); });
}

void graph_instance::run_nearfork() {
  const region_options options{.name = std::string(program_.name),
                               .input_bytes = working_bytes(made_.view(), record_doubles_)};
  const graph_sweep any = sweep(0);
  const data_name offsets("offsets", any.lists.offsets);
  const data_name targets("targets", any.lists.targets);
  const data_name readers("readers", std::span(any.readers, nodes()));
  const data_name named("records", records_.all());
  const range_tree divided = tree();
  const auto forked = [&](const graph_sweep& sweep) {
    fork_ranges(divided, divided.root(), nearfork_fork{},
                [&](std::size_t first, std::size_t last) { compute(sweep, first, last); });
  };
  run([&] {
    for (std::uint64_t i = 0; i < iterations_; ++i) region(options, [&] { forked(sweep(i)); });
  });
}

/// Ranks spread over many orders of magnitude, so they are compared relative to the right ones.
std::string graph_instance::fault() const {
  const bool exact = program_.values == node_values::labels;
  std::vector<double> found(nodes());
  for (std::size_t node = 0; node < nodes(); ++node) {
    const double value = records().value(node, last_written());
    found[node] = exact ? value : value / right_[node];
  }
  if (exact) return difference("label of node", found, right_, 0);
  return difference("rank, relative to the right one, of node", found, std::vector<double>(nodes(), 1.0),
                    share_tolerance);
}

void graph_instance::corrupt(std::uint64_t where) {
  double& value = records().value(where % nodes(), last_written());
  value += program_.values == node_values::labels ? 1 : 1e-6 * value;
}

workload graph_workload(const graph_program& program) {
  return {.name = std::string(program.name),
          .description = std::string(program.description) + ", ranges of nodes halved by their edges",
          .sizes = program.sizes.rules(),
          .bytes =
              [&program](const size_values& size, const instance_input& input) {
                return graph_instance::bytes(program, program.sizes.from(size), input);
              },
          .make = [&program](const size_values& size, const instance_input& input) -> std::unique_ptr<instance> {
            return std::make_unique<graph_instance>(program, program.sizes.from(size), input);
          },
          .takes_graph = true,
          .takes_arrays = true};
}

}  // namespace nearfork::workloads
