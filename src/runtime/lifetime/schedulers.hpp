// The schedulers of this process.
#pragma once

#include <functional>

namespace nearfork {

class scheduler;

/// A scheduler is on the list while it lives. Locked: rarely called.
void enlist(scheduler& made);
void strike_off(scheduler& gone) noexcept;
void for_each_scheduler(const std::function<void(scheduler&)>& act) noexcept;

}  // namespace nearfork
