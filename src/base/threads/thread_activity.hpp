// What the system knows of another thread of this process.
#pragma once

#include <cstdint>
#include <optional>

namespace nearfork {

/// How long the thread of this number (thread_number()) has run on processors. Nothing: there is no such thread, or the
/// system does not tell. A system call.
[[nodiscard]] std::optional<std::uint64_t> processor_ns(int thread) noexcept;

/// True if the thread waits for something: a lock, a file, another thread. False if it runs or is to run, and where
/// the system does not tell. Reads a file of /proc.
[[nodiscard]] bool waits_in_system(int thread) noexcept;

/// True if it runs or is to run. False if it waits, and where the system does not tell. Reads a file of /proc.
[[nodiscard]] bool runs_in_system(int thread) noexcept;

}  // namespace nearfork
