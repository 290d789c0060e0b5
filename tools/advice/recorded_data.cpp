#include "tools/advice/recorded_data.hpp"

#include <algorithm>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "tools/recordings/recording_facts.hpp"

namespace nearfork::tools {
namespace {

constexpr std::uint64_t line_bytes = 64;
/// Of one access: more pieces than these say nothing new.
constexpr std::uint64_t most_pieces = 4096;

/// The lines of one block that tasks write in part.
class block_lines {
 public:
  void write(std::uint32_t task, std::uint64_t begin, std::uint64_t bytes) {
    if (bytes == 0) return;
    const std::uint64_t first = begin / line_bytes;
    const std::uint64_t last = (begin + bytes - 1) / line_bytes;
    whole_ += last - first + 1;
    touch(first, task);
    if (last != first) touch(last, task);
  }
  /// What comes next ran at another time. The lines shared until now since the last call are those of `region`.
  void forget_writers(const std::string& region) {
    writers_.clear();
    if (shared_ - shared_before_ > most_in_region_) {
      most_in_region_ = shared_ - shared_before_;
      region_ = &region;
    }
    shared_before_ = shared_;
  }
  /// The one that shares the most lines; empty: none does.
  [[nodiscard]] std::string region() const { return region_ == nullptr ? std::string() : *region_; }
  [[nodiscard]] std::uint64_t shared() const noexcept { return shared_; }
  [[nodiscard]] std::uint64_t written() const noexcept { return whole_ - twice_; }

 private:
  struct writer {
    std::uint32_t task;
    bool is_shared;
  };
  void touch(std::uint64_t line, std::uint32_t task) {
    const auto [at, is_new] = writers_.try_emplace(line, writer{task, false});
    if (is_new) return;
    ++twice_;
    if (at->second.task == task || at->second.is_shared) return;
    at->second.is_shared = true;
    ++shared_;
  }
  std::unordered_map<std::uint64_t, writer> writers_;
  std::uint64_t whole_ = 0;
  std::uint64_t twice_ = 0;  // lines that were counted again
  std::uint64_t shared_ = 0;
  std::uint64_t shared_before_ = 0;
  std::uint64_t most_in_region_ = 0;
  const std::string* region_ = nullptr;
};

/// Dataflow tasks that write the same lines are ordered by that, and so are most others of their graph.
void add_writes(std::vector<block_lines>& to, const recordings::task_graph& graph) {
  if (!graph.flow().empty()) return;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i)
      for (const recordings::data_access& one : graph.work(task, i).accesses) {
        if (one.kind != recordings::access_kind::write || one.block >= to.size()) continue;
        for (std::uint64_t piece = 0; piece < std::min(one.count, most_pieces); ++piece)
          to[one.block].write(task, one.begin_byte + piece * one.stride_bytes, one.size_bytes);
      }
}

double lines_of(const recordings::data_access& one) {
  const std::uint64_t of_piece = one.size_bytes / line_bytes + (one.size_bytes % line_bytes == 0 ? 0 : 1);
  return static_cast<double>(one.count) * static_cast<double>(of_piece);
}

/// Adds the time and the lines of the stretches that write to the block.
void add_writers(data_evidence& to, const recordings::task_graph& graph) {
  if (!graph.flow().empty()) return;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task)
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i) {
      const auto work = graph.work(task, i);
      const bool writes = std::ranges::any_of(work.accesses, [&](const recordings::data_access& one) {
        return one.kind == recordings::access_kind::write && one.block == to.block;
      });
      if (!writes) continue;
      to.writers_ns += static_cast<double>(work.time_ns);
      for (const recordings::data_access& one : work.accesses) to.writers_lines += lines_of(one);
    }
}

/// All work and accesses of a subtree, in the order of one worker.
class subtree_content {
 public:
  explicit subtree_content(const recordings::task_graph& graph) : graph_(graph) {}
  void take(std::uint32_t root) {
    std::vector<place> stack{{root, 0, 0}};
    add(root, 0);
    while (!stack.empty()) {
      place& at = stack.back();
      const auto forks = graph_.forks(at.task);
      if (at.fork == forks.size()) {
        stack.pop_back();
        continue;
      }
      if (at.child < forks[at.fork].branching) {
        const std::uint32_t child = forks[at.fork].first_child + at.child++;
        add(child, 0);
        stack.push_back({child, 0, 0});
        continue;
      }
      at.child = 0;
      add(at.task, ++at.fork);
    }
  }
  std::uint64_t time_ns = 0;
  std::vector<recordings::data_access> accesses;

 private:
  struct place {
    std::uint32_t task;
    std::uint32_t fork;
    std::uint32_t child;
  };
  void add(std::uint32_t task, std::uint32_t stretch) {
    const auto work = graph_.work(task, stretch);
    time_ns += work.time_ns;
    accesses.insert(accesses.end(), work.accesses.begin(), work.accesses.end());
  }
  const recordings::task_graph& graph_;
};

/// Pages by their first access.
class first_accesses {
 public:
  void take(const recordings::data_access& one) {
    for (std::uint64_t piece = 0; piece < std::min(one.count, most_pieces); ++piece) {
      const std::uint64_t begin = one.begin_byte + piece * one.stride_bytes;
      if (one.size_bytes == 0) continue;
      for (std::uint64_t page = begin / page_bytes; page <= (begin + one.size_bytes - 1) / page_bytes; ++page)
        if (known_.insert(std::uint64_t{one.block} << page_bits | page).second && one.kind == access_kind::read)
          ++read_;
    }
  }
  [[nodiscard]] double part_read() const {
    return known_.empty() ? 0 : static_cast<double>(read_) / static_cast<double>(known_.size());
  }

 private:
  using access_kind = recordings::access_kind;
  static constexpr std::uint64_t page_bytes = 4096;
  static constexpr unsigned page_bits = 36;  // of a block's 256 TiB
  std::unordered_set<std::uint64_t> known_;
  std::uint64_t read_ = 0;
};

}  // namespace

double part_from_outside(const recordings::recording& recorded) {
  std::vector<const recordings::region*> regions;
  for (const recordings::region& one : recorded.regions)
    if (!one.recorded.empty()) regions.push_back(&one);
  std::ranges::stable_sort(regions, {}, &recordings::region::began);
  first_accesses pages;
  for (const recordings::region* const region : regions) {
    const recordings::task_graph& graph = region->recorded.back().graph;
    if (graph.tasks() == 0) continue;
    subtree_content content(graph);
    content.take(0);
    for (const recordings::data_access& one : content.accesses)
      if (std::ranges::find(recorded.allocations, one.block, &recordings::allocation::block) ==
          recorded.allocations.end())
        pages.take(one);
  }
  return pages.part_read();
}

std::optional<data_evidence> data_evidence_of(const recordings::recording& recorded) {
  std::vector<block_lines> blocks(recorded.blocks.size());
  for (const recordings::region& region : recorded.regions)
    if (!region.recorded.empty()) {
      add_writes(blocks, region.recorded.back().graph);
      for (block_lines& one : blocks) one.forget_writers(region.name);
    }
  data_evidence made;
  bool any = false;
  for (std::size_t i = 0; i < blocks.size(); ++i) {
    made.bytes += recorded.blocks[i].bytes;
    if (blocks[i].written() == 0 || (any && blocks[i].shared() <= made.shared_lines)) continue;
    any = true;
    made.shared_block = recorded.blocks[i].name;
    made.shared_lines = blocks[i].shared();
    made.written_lines = blocks[i].written();
    made.block = static_cast<std::uint32_t>(i);
    made.region = blocks[i].region();
  }
  if (!any) return std::nullopt;
  for (const recordings::region& region : recorded.regions)
    if (!region.recorded.empty()) add_writers(made, region.recorded.back().graph);
  return made;
}

recordings::task_graph with_larger_leaves(const recordings::task_graph& graph, std::uint64_t most_ns) {
  std::vector<std::uint64_t> work(graph.tasks(), 0);
  const std::vector<std::uint32_t> parents = parents_of(graph);
  for (std::uint32_t task = graph.tasks(); task-- > 0;) {
    for (std::uint32_t i = 0; i <= graph.forks(task).size(); ++i) work[task] += graph.work(task, i).time_ns;
    if (task > 0) work[parents[task]] += work[task];
  }
  recordings::task_graph made;
  std::deque<std::uint32_t> left{0};
  while (!left.empty() && graph.tasks() > 0) {
    const std::uint32_t task = left.front();
    left.pop_front();
    if (work[task] <= most_ns) {
      subtree_content content(graph);
      content.take(task);
      made.add_task({});
      made.add_stretch(content.time_ns, content.accesses);
      continue;
    }
    std::vector<std::uint32_t> branching;
    for (const auto& fork : graph.forks(task)) {
      branching.push_back(fork.branching);
      for (std::uint32_t i = 0; i < fork.branching; ++i) left.push_back(fork.first_child + i);
    }
    made.add_task(branching);
    for (std::uint32_t i = 0; i <= branching.size(); ++i)
      made.add_stretch(graph.work(task, i).time_ns, graph.work(task, i).accesses);
  }
  return made;
}

recordings::recording with_larger_leaves(const recordings::recording& recorded, std::uint64_t most_ns) {
  recordings::recording made = recorded;
  for (recordings::region& region : made.regions)
    for (recordings::iteration& one : region.recorded) one.graph = with_larger_leaves(one.graph, most_ns);
  return made;
}

}  // namespace nearfork::tools
