#include "runtime/webs/replay_script.hpp"

#include <limits>
#include <new>
#include <utility>

namespace nearfork {

using detail::dataflow_task;

void replay_script::add(dataflow_task& one) {
  if (tasks_.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  tasks_.push_back(&one);
  one.place = static_cast<std::uint32_t>(tasks_.size() - 1);
  has_priorities_ = has_priorities_ || one.priority != 0;
}

void replay_script::add_dependence(const dataflow_task& one, const dataflow_task& on) {
  if (dependences_.size() >= std::numeric_limits<std::uint32_t>::max()) throw std::bad_alloc();
  if (!dependences_.empty() && dependences_.back().of == one.place && dependences_.back().on == on.place) return;
  dependences_.push_back({one.place, on.place});
}

void replay_script::prepare() {
  if (steps_ != nullptr) return;
  const auto count = static_cast<std::uint32_t>(tasks_.size());
  auto steps = std::make_unique<step[]>(count);
  std::vector<std::uint32_t> waits_for(count);
  for (const dependence& each : dependences_) {
    ++waits_for[each.of];
    ++steps[each.on].end_of_followers;
  }
  std::vector<std::uint32_t> firsts;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    steps[i].task = tasks_[i];
    steps[i].waits_for.begin(waits_for[i]);
    if (waits_for[i] == 0) firsts.push_back(i);
    steps[i].follower = next;
    next += std::exchange(steps[i].end_of_followers, next);
  }
  std::vector<std::uint32_t> followers(next);
  for (const dependence& each : dependences_) followers[steps[each.on].end_of_followers++] = each.of;
  firsts_ = std::move(firsts);
  followers_ = std::move(followers);
  steps_ = std::move(steps);
  dependences_ = {};
}

}  // namespace nearfork
