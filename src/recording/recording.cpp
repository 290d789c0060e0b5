#include "recording/recording.hpp"

#include <algorithm>

#include <cassert>
#include <limits>
#include <numeric>

namespace nearfork::recordings {

std::uint64_t extent_bytes(const data_access& access) noexcept {
  constexpr std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t to_last = 0;
  std::uint64_t extent = 0;
  if (access.count == 0 || __builtin_mul_overflow(access.count - 1, access.stride_bytes, &to_last)) return most;
  return __builtin_add_overflow(to_last, access.size_bytes, &extent) ? most : extent;
}

void task_graph::add_task(std::span<const std::uint32_t> branching) {
  assert(stretches_.size() == first_fork_.size() + forks_.size());
  first_fork_.push_back(static_cast<std::uint32_t>(forks_.size()));
  for (const std::uint32_t width : branching) {
    forks_.push_back({static_cast<std::uint32_t>(known_tasks_), width});
    known_tasks_ += width;
  }
}

void task_graph::add_stretch(std::uint64_t time_ns, std::span<const data_access> accesses) {
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  stretches_.push_back({time_ns, accesses_.size()});
}

void task_graph::reserve(std::size_t tasks, std::size_t forks, std::size_t accesses) {
  first_fork_.reserve(tasks);
  forks_.reserve(forks);
  stretches_.reserve(tasks + forks);
  accesses_.reserve(accesses);
}

std::span<const task_graph::fork> task_graph::forks(std::uint32_t task) const noexcept {
  const std::size_t end = task + 1 < tasks() ? first_fork_[task + 1] : forks_.size();
  return std::span(forks_).subspan(first_fork_[task], end - first_fork_[task]);
}

task_graph::stretch task_graph::work(std::uint32_t task, std::uint32_t i) const noexcept {
  const std::size_t place = place_of(task, i);
  const std::uint64_t begin = place == 0 ? 0 : stretches_[place - 1].accesses_end;
  const stretch_record& found = stretches_[place];
  return {found.time_ns, std::span(accesses_).subspan(begin, found.accesses_end - begin)};
}

void task_graph::set_time(std::uint32_t task, std::uint32_t i, std::uint64_t time_ns) noexcept {
  stretches_[place_of(task, i)].time_ns = time_ns;
}

std::vector<std::uint32_t> task_graph::first_siblings() const {
  std::vector<std::uint32_t> made(tasks(), 0);
  for (const fork& one : forks_)
    for (std::uint32_t i = 0; i < one.branching; ++i) made[one.first_child + i] = one.first_child;
  return made;
}

std::uint64_t task_graph::work_ns() const noexcept {
  return std::accumulate(stretches_.begin(), stretches_.end(), std::uint64_t{0},
                         [](std::uint64_t sum, const stretch_record& one) { return sum + one.time_ns; });
}

std::uint64_t task_graph::span_ns() const {
  std::vector<std::uint64_t> longest(tasks(), 0);    // first of each task alone, then until it ends, from its fork on
  for (std::uint32_t task = tasks(); task-- > 0;) {  // children come after their parent
    const auto own = forks(task);
    for (std::uint32_t i = 0; i <= own.size(); ++i) {
      longest[task] += work(task, i).time_ns;
      if (i == own.size()) break;
      wait_for_siblings(own[i], longest);
      const auto first = longest.begin() + own[i].first_child;
      longest[task] += *std::max_element(first, first + own[i].branching);
    }
  }
  return longest.front();
}

/// What a dataflow task waits for are earlier siblings.
void task_graph::wait_for_siblings(const fork& of, std::vector<std::uint64_t>& longest) const {
  for (std::size_t i = flow_.place_from(of.first_child); i < flow_.size(); ++i) {
    const std::uint32_t task = flow_.task(i);
    if (task - of.first_child >= of.branching) return;
    std::uint64_t begins = flow_.creator(i) == flow_order::by_waiting_task ? 0 : longest[flow_.creator(i)];
    for (const std::uint32_t one : flow_.predecessors(i)) begins = std::max(begins, longest[one]);
    longest[task] += begins;
  }
}

}  // namespace nearfork::recordings
