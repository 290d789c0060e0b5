// A policy whose shares the program sets, to test what a region does when they change.
#pragma once

#include <atomic>
#include <memory>
#include <vector>

#include <nearfork/config.hpp>

#include "runtime/lifetime/scheduler.hpp"

namespace nearfork::lab {

using share_weights = std::vector<double>;
using share_list = std::vector<double>;  // borders, from 0 to 1
using changing_borders = std::shared_ptr<std::atomic<const share_list*>>;

[[nodiscard]] share_list borders_of(const share_weights& weights);

/// Plans tasks and data by the borders that are set when the plan is made.
[[nodiscard]] std::unique_ptr<scheduler> scheduler_with(const config& settings, changing_borders borders);

}  // namespace nearfork::lab
