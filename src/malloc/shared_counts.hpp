// Counts of all processes under one `nearfork run --place-malloc`, in a file that they all map. A process that is
// killed has counted what it did.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

namespace nearfork::preloaded {

/// The file's content; zeros at first. Read by the nearfork command.
struct shared_counts {
  std::atomic<std::uint64_t> processes;  // that loaded this library
  std::atomic<std::uint64_t> offers;     // of these, the processes that have nearfork
  std::atomic<std::uint64_t> blocks;     // placed
  std::atomic<std::uint64_t> bytes;      // of these
};
static_assert(std::atomic<std::uint64_t>::is_always_lock_free);

/// The environment variable with the file's path. It is between the command and this library, so no option of nearfork.
inline constexpr const char* counts_variable = "LIBNEARFORK_MALLOC_COUNTS";

void count_offer() noexcept;
void count_block(std::size_t bytes) noexcept;

}  // namespace nearfork::preloaded
