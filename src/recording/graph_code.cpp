#include "recording/graph_code.hpp"

#include <algorithm>
#include <limits>

namespace nearfork::recordings {
namespace {

constexpr std::uint64_t is_write = 1;
constexpr std::uint64_t is_strided = 2;

/// Reads into a task_graph, or into another sink of tasks and stretches.
template <class Sink>
class graph_reader {
 public:
  graph_reader(byte_reader& from, std::span<const data_block> blocks, recording_sums& sums, Sink& made)
      : from_(from), blocks_(blocks), sums_(sums), made_(made) {}

  void read() {
    tasks_ = from_.count("the number of tasks", least_task_bytes);
    if (tasks_ == 0) from_.refuse("a graph has a root at least; the file is damaged: record it again");
    if (tasks_ > std::numeric_limits<std::uint32_t>::max())
      from_.refuse("a graph has at most 4294967295 tasks; the file is damaged: record it again");
    const std::uint64_t forks = from_.count("the number of forks", 1);
    const std::uint64_t accesses = from_.count("the number of accesses", least_access_bytes);
    if constexpr (requires { made_.reserve(tasks_, forks, accesses); }) made_.reserve(tasks_, forks, accesses);
    for (std::uint64_t task = 0; task < tasks_; ++task) read_task(task);
    if (known_tasks_ != tasks_ || forks_ != forks || access_count_ != accesses)
      from_.refuse("the graph has " + std::to_string(known_tasks_) + " tasks, " + std::to_string(forks_) +
                   " forks and " + std::to_string(access_count_) + " accesses, and claimed " + std::to_string(tasks_) +
                   ", " + std::to_string(forks) + " and " + std::to_string(accesses) +
                   "; the file is damaged: record it again");
  }

 private:
  void read_task(std::uint64_t task) {
    if (task == known_tasks_) from_.refuse("a task that nobody forked; the file is damaged: record it again");
    const std::uint64_t head = from_.number("the head of a task", number_limit);
    const std::uint64_t forks = head >> 1;
    const bool touches = (head & 1) != 0;
    if (forks > from_.left())
      from_.refuse("a task with more forks than bytes follow; the file is damaged: record it again");
    branching_.clear();
    std::uint64_t unforked = tasks_ - known_tasks_;
    for (std::uint64_t i = 0; i < forks; ++i) {
      const std::uint64_t width = from_.number("the branching of a fork", unforked);
      if (width == 0) from_.refuse("a fork without children; the file is damaged: record it again");
      unforked -= width;
      known_tasks_ += width;
      branching_.push_back(static_cast<std::uint32_t>(width));
    }
    forks_ += forks;
    made_.add_task(branching_);
    std::uint64_t accesses = 0;
    for (std::uint64_t i = 0; i <= forks; ++i) accesses += read_stretch(touches);
    access_count_ += accesses;
    if (touches && accesses == 0)
      from_.refuse("a task with no access says it has some; the file is damaged: record it again");
  }

  std::uint64_t read_stretch(bool touches) {
    const std::uint64_t began = from_.offset();
    const std::uint64_t time_ns = from_.number("the time of a stretch", number_limit);
    if (!add_within_limit(sums_.work_ns, time_ns))
      from_.refuse_at(began, "all stretches up to this one work more than " + std::to_string(number_limit) +
                                 " ns, which is 146 years; the file is damaged: record it again");
    accesses_.clear();
    const std::uint64_t count = touches ? from_.count("the number of a stretch's accesses", least_access_bytes) : 0;
    for (std::uint64_t i = 0; i < count; ++i) accesses_.push_back(read_access());
    made_.add_stretch(time_ns, accesses_);
    return count;
  }

  data_access read_access() {
    const std::uint64_t began = from_.offset();
    const std::uint64_t head = from_.number("the head of an access", number_limit);
    if (head >> 2 >= blocks_.size())
      from_.refuse_at(began, "an access to data block " + std::to_string(head >> 2) + " of " +
                                 std::to_string(blocks_.size()) + "; the file is damaged: record it again");
    data_access made{.block = static_cast<std::uint32_t>(head >> 2),
                     .kind = (head & is_write) != 0 ? access_kind::write : access_kind::read};
    made.begin_byte = ends_[made.block] +
                      from_zigzag(from_.number("the place of an access", std::numeric_limits<std::uint64_t>::max()));
    made.size_bytes = from_.number("the size of an access", number_limit);
    if ((head & is_strided) != 0) {
      made.count = from_.number("the pieces of an access", number_limit);
      made.stride_bytes = from_.number("the stride of an access", number_limit);
      if (made.count < 2)
        from_.refuse_at(began, "a strided access of fewer than two pieces; the file is damaged: record it again");
    }
    check(made, began);
    ends_[made.block] = made.begin_byte + extent_bytes(made);
    return made;
  }

  void check(const data_access& made, std::uint64_t began) {
    const std::uint64_t bytes = blocks_[made.block].bytes;
    if (made.size_bytes == 0) from_.refuse_at(began, "an access to no byte; the file is damaged: record it again");
    if (made.begin_byte > bytes || extent_bytes(made) > bytes - made.begin_byte)
      from_.refuse_at(began, "an access outside its data block of " + std::to_string(bytes) +
                                 " bytes; the file is damaged: record it again");
    if (!add_within_limit(sums_.touched_bytes, touched_bytes(made)))
      from_.refuse_at(began, "all accesses up to this one touch more than " + std::to_string(number_limit) +
                                 " bytes; the file is damaged: record it again");
  }

  byte_reader& from_;
  std::span<const data_block> blocks_;
  recording_sums& sums_;
  Sink& made_;
  std::uint64_t tasks_ = 0;
  std::uint64_t known_tasks_ = 1;  // tasks read so far, and their children
  std::uint64_t forks_ = 0;
  std::uint64_t access_count_ = 0;
  last_ends ends_;
  std::vector<std::uint32_t> branching_;
  std::vector<data_access> accesses_;
};

std::string head_of(std::uint32_t tasks, std::uint64_t forks, std::uint64_t accesses) {
  byte_writer head;
  head.number(tasks);
  head.number(forks);
  head.number(accesses);
  return head.take();
}

class placing_encoder {
 public:
  explicit placing_encoder(const std::function<data_access(const data_access&)>& place) : place_(place) {}

  void add_task(std::span<const std::uint32_t> branching) { to_.add_task(branching); }
  void add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses) {
    placed_.clear();
    for (const data_access& one : accesses) placed_.push_back(place_(one));
    to_.add_stretch(time_ns, placed_);
  }
  [[nodiscard]] std::string take() { return to_.take(); }

 private:
  const std::function<data_access(const data_access&)>& place_;
  std::vector<data_access> placed_;
  graph_encoder to_;
};

}  // namespace

void graph_encoder::add_task(std::span<const std::uint32_t> branching) {
  branching_.assign(branching.begin(), branching.end());
}

void graph_encoder::add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses) {
  if (!accesses.empty()) accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  stretches_.push_back({time_ns, accesses_.size()});
  if (stretches_.size() > branching_.size()) end_task();
}

void graph_encoder::end_task() {
  const bool touches = !accesses_.empty();
  to_.number(branching_.size() << 1 | (touches ? 1 : 0));
  for (const std::uint32_t width : branching_) to_.number(width);
  std::size_t next = 0;
  for (const stretch& one : stretches_) {
    to_.number(one.time_ns);
    if (!touches) continue;
    to_.number(one.accesses_end - next);
    for (; next < one.accesses_end; ++next) write(accesses_[next]);
  }
  ++tasks_;
  forks_ += branching_.size();
  access_count_ += accesses_.size();
  stretches_.clear();
  accesses_.clear();
}

void graph_encoder::write(const data_access& one) {
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

std::string graph_encoder::take() {
  return to_.take().insert(0, head_of(tasks_, forks_, access_count_));
}

void level_encoder::add_task(std::size_t depth, std::span<const std::uint32_t> branching,
                             std::span<const std::uint64_t> times_ns) {
  if (depth >= levels_.size()) levels_.resize(depth + 1);
  byte_writer& to = levels_[depth];
  to.number(branching.size() << 1);
  for (const std::uint32_t width : branching) to.number(width);
  for (const std::uint64_t time_ns : times_ns) to.number(time_ns);
  ++tasks_;
  forks_ += branching.size();
}

std::string level_encoder::take() {
  std::string made = head_of(tasks_, forks_, 0);
  std::size_t bytes = made.size();
  for (const byte_writer& one : levels_) bytes += one.bytes().size();
  made.reserve(bytes);
  for (byte_writer& one : levels_) made += one.take();
  return made;
}

void write_graph(byte_writer& to, const task_graph& graph) {
  graph_encoder code;
  std::vector<std::uint32_t> branching;
  for (std::uint32_t task = 0; task < graph.tasks(); ++task) {
    branching.clear();
    for (const auto& fork : graph.forks(task)) branching.push_back(fork.branching);
    code.add_task(branching);
    for (std::uint32_t i = 0; i <= branching.size(); ++i) {
      const auto work = graph.work(task, i);
      code.add_stretch(work.time_ns, work.accesses);
    }
  }
  to.raw(code.take());
}

task_graph read_graph(byte_reader& from, std::span<const data_block> blocks, recording_sums& so_far) {
  task_graph made;
  graph_reader(from, blocks, so_far, made).read();
  return made;
}

std::string with_accesses_at(std::string_view code, std::span<const data_block> blocks,
                             const std::function<data_access(const data_access&)>& place) {
  byte_reader from(code, "in memory");
  placing_encoder made(place);
  recording_sums sums;
  graph_reader(from, blocks, sums, made).read();
  return made.take();
}

}  // namespace nearfork::recordings
