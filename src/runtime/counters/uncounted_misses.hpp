// Which workers could not count cache misses, and why. One entry per reason: the first worker that was refused stands
// for all.
#pragma once

#include <algorithm>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "sensors/miss_counter.hpp"

namespace nearfork {

/// Thread-safe.
class uncounted_misses {
 public:
  struct entry {
    counting_refusal refused;
    std::string who;
  };

  void note(const counting_refusal& refused, std::string who) {
    const std::lock_guard lock(mutex_);
    const bool known = std::ranges::any_of(all_, [&](const entry& one) { return one.refused.why == refused.why; });
    if (!known) all_.push_back({refused, std::move(who)});
  }
  [[nodiscard]] std::vector<entry> all() const {
    const std::lock_guard lock(mutex_);
    return all_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<entry> all_;
};

}  // namespace nearfork
