#include "trace/graph_code.hpp"

#include <algorithm>
#include <limits>

namespace nearfork::trace {
namespace {

/// Where the last access to each block ended: the next one is most often near.
class last_ends {
 public:
  std::uint64_t& operator[](std::uint32_t block) {
    if (block >= ends_.size()) ends_.resize(std::size_t{block} + 1, 0);
    return ends_[block];
  }

 private:
  std::vector<std::uint64_t> ends_;
};

constexpr std::uint64_t is_write = 1;
constexpr std::uint64_t is_strided = 2;

class graph_writer {
 public:
  graph_writer(byte_writer& to, const task_graph& graph) : to_(to), graph_(graph) {}

  void write() {
    to_.number(graph_.tasks());
    to_.number(graph_.fork_count());
    to_.number(graph_.access_count());
    for (std::uint32_t task = 0; task < graph_.tasks(); ++task) write(task);
  }

 private:
  void write(std::uint32_t task) {
    const auto forks = graph_.forks(task);
    const auto stretches = static_cast<std::uint32_t>(forks.size() + 1);
    bool touches = false;
    for (std::uint32_t i = 0; i < stretches && !touches; ++i) touches = !graph_.work(task, i).accesses.empty();
    to_.number(forks.size() << 1 | (touches ? 1 : 0));
    for (const auto& fork : forks) to_.number(fork.branching);
    for (std::uint32_t i = 0; i < stretches; ++i) {
      const auto work = graph_.work(task, i);
      to_.number(work.time_ns);
      if (!touches) continue;
      to_.number(work.accesses.size());
      for (const data_access& one : work.accesses) write(one);
    }
  }

  void write(const data_access& one) {
    const bool strided = one.count > 1;
    to_.number(std::uint64_t{one.block} << 2 | (one.kind == access_kind::write ? is_write : 0) |
               (strided ? is_strided : 0));
    to_.number(zigzag(one.begin_byte - ends_[one.block]));
    to_.number(one.size_bytes);
    if (strided) {
      to_.number(one.count);
      to_.number(one.stride_bytes);
    }
    ends_[one.block] = one.begin_byte + extent_bytes(one);
  }

  byte_writer& to_;
  const task_graph& graph_;
  last_ends ends_;
};

class graph_reader {
 public:
  graph_reader(byte_reader& from, std::span<const data_block> blocks) : from_(from), blocks_(blocks) {}

  task_graph read() {
    tasks_ = from_.count("the number of tasks", least_task_bytes);
    if (tasks_ == 0) from_.refuse("a graph has a root at least; the file is damaged: record it again");
    if (tasks_ > std::numeric_limits<std::uint32_t>::max())
      from_.refuse("a graph has at most 4294967295 tasks; the file is damaged: record it again");
    const std::uint64_t forks = from_.count("the number of forks", 1);
    const std::uint64_t accesses = from_.count("the number of accesses", least_access_bytes);
    made_.reserve(tasks_, forks, accesses);
    while (made_.tasks() < tasks_) read_task();
    if (made_.known_tasks() != tasks_ || made_.fork_count() != forks || made_.access_count() != accesses)
      from_.refuse("the graph has " + std::to_string(made_.known_tasks()) + " tasks, " +
                   std::to_string(made_.fork_count()) + " forks and " + std::to_string(made_.access_count()) +
                   " accesses, and claimed " + std::to_string(tasks_) + ", " + std::to_string(forks) + " and " +
                   std::to_string(accesses) + "; the file is damaged: record it again");
    return std::move(made_);
  }

 private:
  void read_task() {
    if (made_.tasks() == made_.known_tasks())
      from_.refuse("a task that nobody forked; the file is damaged: record it again");
    const std::uint64_t head = from_.number("the head of a task");
    const std::uint64_t forks = head >> 1;
    const bool touches = (head & 1) != 0;
    if (forks > from_.left())
      from_.refuse("a task with more forks than bytes follow; the file is damaged: record it again");
    branching_.clear();
    std::uint64_t unforked = tasks_ - made_.known_tasks();
    for (std::uint64_t i = 0; i < forks; ++i) {
      const std::uint64_t width = from_.number("the branching of a fork", unforked);
      if (width == 0) from_.refuse("a fork without children; the file is damaged: record it again");
      unforked -= width;
      branching_.push_back(static_cast<std::uint32_t>(width));
    }
    made_.add_task(branching_);
    std::uint64_t accesses = 0;
    for (std::uint64_t i = 0; i <= forks; ++i) accesses += read_stretch(touches);
    if (touches && accesses == 0)
      from_.refuse("a task with no access says it has some; the file is damaged: record it again");
  }

  std::uint64_t read_stretch(bool touches) {
    const std::uint64_t time_ns = from_.number("the time of a stretch");
    accesses_.clear();
    const std::uint64_t count = touches ? from_.count("the number of a stretch's accesses", least_access_bytes) : 0;
    for (std::uint64_t i = 0; i < count; ++i) accesses_.push_back(read_access());
    made_.add_stretch(time_ns, accesses_);
    return count;
  }

  data_access read_access() {
    const std::uint64_t began = from_.offset();
    const std::uint64_t head = from_.number("the head of an access");
    if (head >> 2 >= blocks_.size())
      from_.refuse_at(began, "an access to data block " + std::to_string(head >> 2) + " of " +
                                 std::to_string(blocks_.size()) + "; the file is damaged: record it again");
    data_access made{.block = static_cast<std::uint32_t>(head >> 2),
                     .kind = (head & is_write) != 0 ? access_kind::write : access_kind::read};
    made.begin_byte = ends_[made.block] + from_zigzag(from_.number("the place of an access"));
    made.size_bytes = from_.number("the size of an access");
    if ((head & is_strided) != 0) {
      made.count = from_.number("the pieces of an access");
      made.stride_bytes = from_.number("the stride of an access");
      if (made.count < 2)
        from_.refuse_at(began, "a strided access of fewer than two pieces; the file is damaged: record it again");
    }
    check(made, began);
    ends_[made.block] = made.begin_byte + extent_bytes(made);
    return made;
  }

  void check(const data_access& made, std::uint64_t began) const {
    const std::uint64_t bytes = blocks_[made.block].bytes;
    if (made.size_bytes == 0) from_.refuse_at(began, "an access to no byte; the file is damaged: record it again");
    if (made.begin_byte > bytes || extent_bytes(made) > bytes - made.begin_byte)
      from_.refuse_at(began, "an access outside its data block of " + std::to_string(bytes) +
                                 " bytes; the file is damaged: record it again");
  }

  byte_reader& from_;
  std::span<const data_block> blocks_;
  std::uint64_t tasks_ = 0;
  task_graph made_;
  last_ends ends_;
  std::vector<std::uint32_t> branching_;
  std::vector<data_access> accesses_;
};

}  // namespace

void write_graph(byte_writer& to, const task_graph& graph) {
  graph_writer(to, graph).write();
}

task_graph read_graph(byte_reader& from, std::span<const data_block> blocks) {
  return graph_reader(from, blocks).read();
}

}  // namespace nearfork::trace
