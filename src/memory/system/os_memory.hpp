// What the operating system does with memory and its nodes, behind an interface: tests put nodes of given size in its place.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>

#include <nearfork/memory_options.hpp>

#include "base/ids.hpp"
#include "machine/live/grants.hpp"

namespace nearfork {

/// Where pages go that are touched from now on.
enum class page_policy : std::uint8_t {
  first_touch,          // beside the thread that touches them
  prefer,               // one node as far as it has room
  bind,                 // that node or nowhere
  interleave,           // page by page in turn
  weighted_interleave,  // so many in turn as the kernel's weight of each node says
};

struct mapped_memory {
  std::byte* begin = nullptr;  // nullptr: see error_number
  int error_number = 0;
};

/// Numbers of nodes are the system's. Errors are errno values, 0 is success. Any thread may call it.
class os_memory {
 public:
  os_memory() = default;
  os_memory(const os_memory&) = delete;
  os_memory& operator=(const os_memory&) = delete;
  virtual ~os_memory() = default;

  [[nodiscard]] virtual std::size_t page_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t huge_page_bytes() const noexcept = 0;

  /// `bytes` of pages that read as zero, at an address that is a multiple of `alignment`; behind them as many addresses
  /// as make `reserved_bytes` are nobody else's and may not be touched.
  [[nodiscard]] virtual mapped_memory map(std::size_t bytes, std::size_t reserved_bytes, std::size_t alignment) = 0;
  virtual void unmap(std::byte* begin, std::size_t reserved_bytes) noexcept = 0;

  /// Nobody needs what these pages hold: the system may take them when it is short of memory, until they are written to again.
  /// They count as free_bytes() of their nodes. Nobody may touch them before take_up().
  [[nodiscard]] virtual int set_aside(std::byte* begin, std::size_t bytes) noexcept = 0;
  /// Their bytes are whatever they were, or zero.
  virtual void take_up(std::byte* begin, std::size_t bytes) noexcept = 0;

  /// Pages that are there already stay where they are.
  [[nodiscard]] virtual int set_policy(std::byte* begin, std::size_t bytes, page_policy how,
                                       std::span<const os_index> nodes) = 0;
  /// For each page the number of its node, or a negative errno value: -ENOENT where it was not touched.
  [[nodiscard]] virtual int locate(std::span<std::byte* const> pages, std::span<int> nodes) const = 0;
  /// Into `outcomes` go the same numbers; a page that did not move has a negative errno value.
  [[nodiscard]] virtual int move(std::span<std::byte* const> pages, std::span<const int> to,
                                 std::span<int> outcomes) = 0;
  [[nodiscard]] virtual int advise(std::byte* begin, std::size_t bytes, huge_pages how) = 0;

  /// What could be had of a node now, pages of files that can be dropped included; 0 where its memory has gone offline.
  /// Nothing: the system does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> free_bytes(os_index node) const = 0;
  [[nodiscard]] virtual bool has_weighted_interleave() const = 0;
  /// How many pages in turn weighted interleave puts on a node; none: the system does not say.
  [[nodiscard]] virtual std::optional<unsigned> interleave_weight(os_index node) const = 0;
  /// Does the kernel move pages, too?
  [[nodiscard]] virtual grant balancing() const = 0;
  [[nodiscard]] virtual grant huge_pages_granted() const = 0;
};

/// The system that runs us.
[[nodiscard]] std::unique_ptr<os_memory> live_os_memory();

}  // namespace nearfork
