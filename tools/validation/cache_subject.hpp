// Programs for cachegrind: a workload's own kernels and trees, on one thread, with the arrays of the simulated
// workload. The counted rounds do nothing else.
#pragma once

#include <cstdint>
#include <string>

namespace nearfork::tools {

/// Runs `rounds` iterations; for programs that do not iterate, calls. Throws: nearfork::error if there is no such
/// workload, or none that can be laid out by hand.
void run_cache_subject(const std::string& workload, const std::string& size, std::uint64_t rounds);

}  // namespace nearfork::tools
