#include "recording/flow_code.hpp"

#include <string>
#include <vector>

#include "recording/recording_bounds.hpp"

namespace nearfork::recordings {
namespace {

/// Gap, creator, and two counts.
constexpr std::uint64_t least_flow_task_bytes = 4;

class flow_reader {
 public:
  flow_reader(byte_reader& from, const task_graph& graph)
      : from_(from), tasks_(graph.tasks()), first_siblings_(graph.first_siblings()) {}

  flow_order read(std::uint64_t count) {
    for (; count > 0; --count) read_task();
    return std::move(made_);
  }

 private:
  void read_task() {
    const std::uint64_t began = from_.offset();
    const std::uint64_t gap = from_.number("the place of a dataflow task", number_limit);
    if (gap >= tasks_ - last_ - 1)
      from_.refuse_at(began, "dataflow task " + std::to_string(last_ + 1 + gap) + ", and the graph has " +
                                 std::to_string(tasks_) + " tasks; the file is damaged: record it again");
    last_ += 1 + static_cast<std::uint32_t>(gap);
    const std::uint32_t back = distance("the creator", 0);
    made_.add_task(last_, back == 0 ? flow_order::by_waiting_task : last_ - back);
    read_predecessors();
    read_exclusions();
  }

  void read_predecessors() {
    std::uint32_t back = 0;
    for (std::uint64_t left = from_.count("the number of predecessors", 1); left > 0; --left) {
      const std::uint64_t began = from_.offset();
      const std::uint32_t further = distance("a predecessor", back);
      if (further == back)
        from_.refuse_at(began, task_text(last_) + (back == 0 ? " waits for itself" : " waits for one task twice") +
                                   "; the file is damaged: record it again");
      back = further;
      made_.add_predecessor(last_ - back);
    }
  }

  /// How far before the present task another dataflow task of its fork is, coded as what it is beyond `before`. What
  /// it adds may be 0: then the result is `before`.
  std::uint32_t distance(const char* what, std::uint32_t before) {
    const std::uint64_t began = from_.offset();
    const std::uint64_t room = last_ - first_siblings_[last_] - before;
    const std::uint64_t more = from_.number(what, number_limit);
    if (more > room)
      from_.refuse_at(began, std::string(what) + " of " + task_text(last_) + " is " + std::to_string(before + more) +
                                 " tasks before it, and its fork has " + std::to_string(before + room) +
                                 " there; the file is damaged: record it again");
    const std::uint32_t back = before + static_cast<std::uint32_t>(more);
    if (more > 0 && !made_.has(last_ - back))
      from_.refuse_at(began, std::string(what) + " of " + task_text(last_) + " is task " +
                                 std::to_string(last_ - back) +
                                 ", which is no dataflow task; the file is damaged: record it again");
    return back;
  }

  void read_exclusions() {
    std::uint64_t least = 0;
    for (std::uint64_t left = from_.count("the number of exclusions", 1); left > 0; --left) {
      const std::uint64_t began = from_.offset();
      const std::uint64_t number = from_.number("an exclusion", made_.exclusion_numbers());
      if (number < least)
        from_.refuse_at(
            began, "the exclusions of " + task_text(last_) + " do not ascend; the file is damaged: record it again");
      least = number + 1;
      made_.add_exclusion(static_cast<std::uint32_t>(number));
    }
  }

  static std::string task_text(std::uint32_t task) { return "dataflow task " + std::to_string(task); }

  byte_reader& from_;
  std::uint32_t tasks_;
  std::vector<std::uint32_t> first_siblings_;
  std::uint32_t last_ = 0;
  flow_order made_;
};

}  // namespace

void write_flow(byte_writer& to, const flow_order& flow) {
  to.number(flow.size());
  std::uint32_t last = 0;
  for (std::size_t i = 0; i < flow.size(); ++i) {
    const std::uint32_t task = flow.task(i);
    to.number(task - last - 1);
    to.number(flow.creator(i) == flow_order::by_waiting_task ? 0 : task - flow.creator(i));
    to.number(flow.predecessors(i).size());
    std::uint32_t before = task;
    for (const std::uint32_t one : flow.predecessors(i)) {
      to.number(before - one);
      before = one;
    }
    to.number(flow.exclusions(i).size());
    for (const std::uint32_t one : flow.exclusions(i)) to.number(one);
    last = task;
  }
}

flow_order read_flow(byte_reader& from, const task_graph& graph) {
  const std::uint64_t count = from.count("the number of dataflow tasks", least_flow_task_bytes);
  return count == 0 ? flow_order() : flow_reader(from, graph).read(count);
}

}  // namespace nearfork::recordings
