// Forks above a plan's subtree roots: the plan says where each child goes.
#pragma once

#include <span>

#include <nearfork/detail/fiber.hpp>
#include <nearfork/detail/stack_job.hpp>

namespace nearfork::detail {

/// Runs all children of a fork in the order and in the domains that the plan names. Returns when all are done.
/// Throws std::bad_alloc, before any has begun.
void run_planned(fiber& self, std::span<const slow_child> children);

}  // namespace nearfork::detail
