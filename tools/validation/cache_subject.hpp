// Programs for cachegrind: a workload's own kernels and trees, on one thread, with arrays where the simulated workload has
// them, and nothing else in the rounds that are counted.
#pragma once

#include <cstdint>
#include <string>

namespace nearfork::tools {

/// Runs `rounds` iterations (of programs that do not iterate: calls). Throws nearfork::error if there is no such workload, or
/// none that can be laid out by hand.
void run_cache_subject(const std::string& workload, const std::string& size, std::uint64_t rounds);

}  // namespace nearfork::tools
