// Samples of memory accesses in the records that the kernel's perf_event writes into its ring. Pure bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace nearfork {

struct access_sample {
  std::uint64_t address = 0;
  std::uint64_t source = 0;  // perf_mem_data_src: where the data came from; 0: the processor does not say
  friend constexpr bool operator==(const access_sample&, const access_sample&) = default;
};

struct sampled_accesses {
  std::vector<access_sample> samples{};
  std::uint64_t lost = 0;     // samples that found no room in the ring
  bool is_understood = true;  // false: the bytes are not records; what came before counts
};

/// `records`: whole records of an event whose samples have an address and a data source, and nothing else.
[[nodiscard]] sampled_accesses accesses_in(std::span<const std::byte> records);

/// The bytes between `tail` and `head`, which count all that were ever written, of a ring. Empty if there are more than
/// it holds: then they were overwritten.
[[nodiscard]] std::vector<std::byte> unrolled(std::span<const std::byte> ring, std::uint64_t tail, std::uint64_t head);

/// Whether the data came from memory, as far as the processor says: what lies in a cache makes no node busy.
[[nodiscard]] bool is_from_memory(std::uint64_t source) noexcept;

}  // namespace nearfork
