// The inlined parts of recording: each costs one branch while no runtime records.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/seam.hpp>

namespace nearfork::detail {

/// How many runtimes of this process record, and how many iterations are gauged by hints; and one more until the first
/// runtime has been made, because nobody knows before whether it will record: names of data that are given beforehand
/// count. Relaxed: each is counted before the tasks start whose hints it takes.
extern constinit seam::atomic<std::uint32_t> recording_runtimes;
[[nodiscard]] inline bool anybody_records() noexcept {
  return recording_runtimes.load(seam::memory_order_relaxed) != 0;
}

/// `count` pieces of `bytes` each, whose begins lie `stride_bytes` apart.
struct hinted_data {
  const void* begin;
  std::size_t bytes;
  std::size_t count = 1;
  std::size_t stride_bytes = 0;
};
enum class hinted_access : std::uint8_t { read, write };

/// Notes a hint of the running task, if that task is recorded or gauged.
void note_hint(hinted_access kind, const hinted_data& data) noexcept;
/// Names data. Returns a number for drop_name(); 0: nothing was named.
[[nodiscard]] std::uint64_t note_name(const char* name, const void* begin, std::size_t bytes);
void drop_name(std::uint64_t noted) noexcept;

}  // namespace nearfork::detail
