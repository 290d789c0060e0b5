// Does something once on each worker of a runtime.
#pragma once

#include <functional>

#include <nearfork/runtime.hpp>

namespace nearfork::lab {

/// May run on several workers at once. Throws std::runtime_error if some worker had no task in hundreds of rounds.
void on_every_worker(runtime& on, const std::function<void()>& act);

}  // namespace nearfork::lab
