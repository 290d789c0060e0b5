#include "sim/programs/recorded_program.hpp"

#include <algorithm>
#include <vector>

#include <nearfork/error.hpp>

#include "recording/work_in_run.hpp"

namespace nearfork::sim {
namespace {

constexpr std::uint64_t page_bytes = 4096;
/// A gap of less than a line between two pieces is as good as none.
constexpr std::uint64_t one_line_bytes = 64;
constexpr std::uint64_t most_pieces = std::uint64_t{1} << 24;

std::string names_of(const recordings::recording& recorded) {
  std::string names;
  for (const recordings::region& one : recorded.regions) names += (names.empty() ? "" : ", ") + one.name;
  return names.empty() ? "none" : names;
}

placing_rule rule_of(recordings::array_placing how) {
  switch (how) {
    case recordings::array_placing::follows_plan: return placing_rule::follow_plan;
    case recordings::array_placing::interleaved: return placing_rule::interleaved;
    case recordings::array_placing::interleaved_by_bandwidth: return placing_rule::interleaved_by_bandwidth;
    case recordings::array_placing::by_bandwidth: return placing_rule::by_bandwidth;
    case recordings::array_placing::by_capacity: return placing_rule::by_capacity;
    case recordings::array_placing::otherwise: break;  // on nodes of the recording's machine
  }
  return placing_rule::first_write;
}

class data_space {
 public:
  explicit data_space(const recordings::recording& recorded) : begins_(recorded.blocks.size(), 0), pieces_(recorded) {
    const std::vector<std::uint32_t> blocks = block_of_array(recorded);
    for (std::size_t i = 0; i < blocks.size(); ++i)
      add(blocks[i], recorded.blocks[blocks[i]].bytes,
          i < recorded.allocations.size() ? rule_of(recorded.allocations[i].how) : placing_rule::first_write);
  }

  [[nodiscard]] const std::vector<data_array>& arrays() const noexcept { return arrays_; }

  void add(const recordings::data_access& one, std::vector<data_access>& to) {
    const access_kind kind = one.kind == recordings::access_kind::write ? access_kind::write : access_kind::read;
    for (const access_pieces::piece& each : pieces_.of(one))
      to.push_back({begins_[one.block] + each.begin_byte, each.bytes, kind});
  }

 private:
  void add(std::uint32_t block, std::uint64_t bytes, placing_rule how) {
    begins_[block] = end_;
    arrays_.push_back({end_, bytes, how});
    end_ += (bytes + page_bytes - 1) / page_bytes * page_bytes;
  }

  std::vector<std::uint64_t> begins_;  // by block
  std::uint64_t end_ = 0;
  std::vector<data_array> arrays_;
  access_pieces pieces_;
};

task_tree tree_of(const recordings::task_graph& recorded) {
  task_tree tree;
  for (std::uint32_t task = 0; task < recorded.tasks(); ++task)
    for (const auto& fork : recorded.forks(task)) (void)tree.try_fork(tree_node{task}, fork.branching);
  return tree;
}

task_graph graph_from(const recordings::task_graph& recorded, data_space& space) {
  task_graph made(tree_of(recorded));
  std::vector<data_access> accesses;
  for (std::uint32_t task = 0; task < recorded.tasks(); ++task)
    for (std::uint32_t i = 0; i <= recorded.forks(task).size(); ++i) {
      const auto work = recorded.work(task, i);
      accesses.clear();
      for (const recordings::data_access& one : work.accesses) space.add(one, accesses);
      made.set_work(tree_node{task}, i, work.time_ns, accesses);
    }
  return made;
}

}  // namespace

const recordings::region& recorded_region(const recordings::recording& recorded, const std::string& name) {
  const recordings::region* found = nullptr;
  for (const recordings::region& one : recorded.regions) {
    if (one.recorded.empty() || (!name.empty() && one.name != name)) continue;
    if (found == nullptr || work_in_run_ns(one) > work_in_run_ns(*found)) found = &one;
  }
  if (found == nullptr)
    throw error("nearfork: " + recorded.name() + " has no iteration of " +
                (name.empty() ? "any region" : "a region \"" + name + "\"") + "; its regions: " + names_of(recorded));
  return *found;
}

std::vector<const recordings::region*> regions_before(const recordings::recording& recorded,
                                                      const recordings::region& one) {
  std::vector<const recordings::region*> made;
  for (const recordings::region& other : recorded.regions)
    if (other.ended > 0 && other.ended < one.began && !other.recorded.empty() &&
        other.recorded.front().graph.access_count() > 0)
      made.push_back(&other);
  std::ranges::sort(made, {}, &recordings::region::began);
  return made;
}

const std::vector<access_pieces::piece>& access_pieces::of(const recordings::data_access& one) {
  const bool dense = one.count == 1 || one.stride_bytes < one.size_bytes + one_line_bytes;
  const std::uint64_t pieces = dense ? 1 : one.count;
  if (pieces > most_pieces - pieces_)
    throw error("nearfork: " + name_ + " has strided accesses of more than " + std::to_string(most_pieces) +
                " pieces together; record fewer iterations, or a smaller size");
  pieces_ += pieces;
  made_.clear();
  if (dense) made_.push_back({one.begin_byte, extent_bytes(one)});
  else
    for (std::uint64_t i = 0; i < one.count; ++i)
      made_.push_back({one.begin_byte + i * one.stride_bytes, one.size_bytes});
  return made_;
}

std::vector<std::uint32_t> block_of_array(const recordings::recording& recorded) {
  std::vector<std::uint32_t> made;
  std::vector<bool> has_place(recorded.blocks.size(), false);
  for (const recordings::allocation& one : recorded.allocations) {
    made.push_back(one.block);
    has_place[one.block] = true;
  }
  for (std::uint32_t block = 0; block < recorded.blocks.size(); ++block)
    if (!has_place[block]) made.push_back(block);
  return made;
}

program program_from(const recordings::recording& recorded, const std::string& name) {
  const recordings::region& one = recorded_region(recorded, name);
  data_space space(recorded);
  program made{.name = one.name, .input_bytes = one.input_bytes, .graphs = {}, .course = {}};
  made.arrays = space.arrays();
  made.input_is_given = true;
  for (const recordings::region* const earlier : regions_before(recorded, one)) {
    made.setup_regions.push_back(earlier->name);
    made.setup.push_back(graph_from(earlier->recorded.front().graph, space));
  }
  for (const recordings::iteration& iteration : one.recorded) {
    made.course.push_back(static_cast<std::uint32_t>(made.graphs.size()));
    made.graphs.push_back(graph_from(iteration.graph, space));
  }
  return made;
}

}  // namespace nearfork::sim
