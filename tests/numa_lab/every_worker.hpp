// Something done once on each worker of a runtime.
#pragma once

#include <functional>

#include <nearfork/runtime.hpp>

namespace nearfork::lab {

/// On some workers at once. Throws std::runtime_error if some worker had no task in thousands of rounds.
void on_every_worker(runtime& on, const std::function<void()>& act);

}  // namespace nearfork::lab
