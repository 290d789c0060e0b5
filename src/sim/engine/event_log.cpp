#include "sim/engine/event_log.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <utility>

namespace nearfork::sim {

void event_log::begin(const machine& where, std::span<const worker_place> places) {
  made_.names.assign(1, {});
  numbers_.clear();
  made_.workers.clear();
  for (const worker_place& one : places) {
    const auto home = static_cast<std::uint32_t>(one.domain);
    made_.workers.push_back({.domain = home,
                             .node = traces::node_of_domain(where, home),
                             .os_pu = nearfork::number_of(where.at(one.pu).os)});
  }
  rings_.assign(places.size(), {});
  noted_ = 0;
}

void event_log::enter_region(const std::string& name) {
  region_ = number_of(name);
  iterations_ = 0;
}

void event_log::note(std::uint32_t worker, std::uint64_t at_ps, traces::event one) {
  one.at = at_ps;
  ring& to = rings_[worker];
  const noted added{one, noted_++, worker};
  if (to.events.size() < most_events_) return to.events.push_back(added);
  to.events[to.oldest] = added;
  to.oldest = (to.oldest + 1) % most_events_;
  ++made_.workers[worker].lost;
}

void event_log::begin_iteration(std::uint32_t worker, std::uint64_t at_ps, traces::iteration_word word) {
  note(worker, at_ps,
       {.value = ++iterations_,
        .name = region_,
        .kind = traces::event_kind::region_begins,
        .detail = static_cast<std::uint8_t>(word)});
}

void event_log::end_iteration(std::uint32_t worker, std::uint64_t at_ps) {
  note(worker, at_ps, {.kind = traces::event_kind::region_ends, .detail = 1});
}

void event_log::change_plan(std::uint32_t worker, std::uint64_t at_ps, const std::string& why) {
  note(worker, at_ps, {.number = number_of(why), .name = region_, .kind = traces::event_kind::plan_changes});
}

void event_log::move_pages(std::uint32_t worker, std::uint64_t at_ps, std::uint64_t bytes) {
  note(worker, at_ps, {.value = bytes, .name = region_, .kind = traces::event_kind::pages_move});
}

void event_log::count(std::uint32_t worker, std::uint64_t at_ps, const std::string& counter, double value) {
  note(worker, at_ps,
       {.value = std::bit_cast<std::uint64_t>(value), .name = number_of(counter), .kind = traces::event_kind::counts});
}

/// Times become nanoseconds. Events of different workers in one nanosecond keep their order by getting one each: a task
/// that waits leaves its worker before another one goes on with it.
traces::traced_run event_log::taken(std::string title) {
  std::vector<noted> all;
  for (const ring& one : rings_) all.insert(all.end(), one.events.begin(), one.events.end());
  std::ranges::sort(all, {}, [](const noted& one) { return std::pair(one.what.at, one.number); });
  made_.title = std::move(title);
  std::uint64_t last_ns = 0;
  for (std::size_t i = 0; i < all.size(); ++i) {
    traces::event one = all[i].what;
    const std::uint64_t least_ns = i > 0 && all[i - 1].worker != all[i].worker ? last_ns + 1 : last_ns;
    last_ns = one.at = std::max(one.at / 1000, least_ns);
    made_.workers[all[i].worker].events.push_back(one);
  }
  rings_.clear();
  return std::exchange(made_, {});
}

/// 0, which is no name, once there are too many.
std::uint16_t event_log::number_of(const std::string& name) {
  if (const auto found = numbers_.find(name); found != numbers_.end()) return found->second;
  if (made_.names.size() > std::numeric_limits<std::uint16_t>::max()) return 0;
  const auto number = static_cast<std::uint16_t>(made_.names.size());
  made_.names.push_back(name);
  numbers_.emplace(name, number);
  return number;
}

}  // namespace nearfork::sim
