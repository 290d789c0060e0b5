#include "runtime/webs/replay_script.hpp"

#include <algorithm>
#include <utility>

namespace nearfork {

using detail::dataflow_task;

void replay_script::prepare() {
  if (steps_ != nullptr) return;
  const auto count = static_cast<std::uint32_t>(tasks().size());
  auto steps = std::make_unique<step[]>(count);
  std::vector<std::uint32_t> waits_for(count);
  for (const dependence& each : dependences()) {
    ++waits_for[each.of];
    ++steps[each.on].end_of_followers;
  }
  std::vector<std::uint32_t> firsts;
  std::uint32_t next = 0;
  for (std::uint32_t i = 0; i < count; ++i) {
    steps[i].task = tasks()[i];
    steps[i].waits_for.begin(waits_for[i]);
    if (waits_for[i] == 0) firsts.push_back(i);
    steps[i].follower = next;
    next += std::exchange(steps[i].end_of_followers, next);
  }
  std::vector<std::uint32_t> followers(next);
  for (const dependence& each : dependences()) followers[steps[each.on].end_of_followers++] = each.of;
  firsts_ = std::move(firsts);
  followers_ = std::move(followers);
  steps_ = std::move(steps);
  has_priorities_ = std::ranges::any_of(tasks(), [](const dataflow_task* each) { return each->priority != 0; });
  forget_dependences();
}

std::vector<task_notes::dependence> replay_script::all_dependences() const {
  if (steps_ == nullptr) return {dependences().begin(), dependences().end()};
  std::vector<dependence> made;
  for (std::uint32_t on = 0; on < tasks().size(); ++on)
    for (std::uint32_t i = steps_[on].follower; i < steps_[on].end_of_followers; ++i)
      made.push_back({.of = followers_[i], .on = on});
  return made;
}

}  // namespace nearfork
