// The system's calls for memory and nodes, behind an interface, so that tests can replace the system by one with nodes
// of given sizes.
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
  prefer,               // one node if it has room
  bind,                 // that node or nowhere
  interleave,           // page by page in turn
  weighted_interleave,  // in turn, as many pages as the kernel's weight of each node
};

struct mapped_memory {
  std::byte* begin = nullptr;  // nullptr: see error_number
  int error_number = 0;
};

/// Nodes are named by the system's numbers. Errors are errno values; 0 is success. Thread-safety: any thread.
class os_memory {
 public:
  os_memory() = default;
  os_memory(const os_memory&) = delete;
  os_memory& operator=(const os_memory&) = delete;
  virtual ~os_memory() = default;

  [[nodiscard]] virtual std::size_t page_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t huge_page_bytes() const noexcept = 0;

  /// Maps `bytes` of pages that read as zero, at a multiple of `alignment`. The addresses behind them, up to
  /// `reserved_bytes`, are reserved and must not be touched.
  [[nodiscard]] virtual mapped_memory map(std::size_t bytes, std::size_t reserved_bytes, std::size_t alignment) = 0;
  virtual void unmap(std::byte* begin, std::size_t reserved_bytes) noexcept = 0;

  /// Says that the contents of these pages are not needed. Until the next write the system may take the pages if it is
  /// short of memory. They count as free_bytes() of their nodes. They must not be touched before take_up().
  [[nodiscard]] virtual int set_aside(std::byte* begin, std::size_t bytes) noexcept = 0;
  /// The same, but the pages stay the process's, and cost no call of the system.
  virtual void lay_down(std::byte* begin, std::size_t bytes) noexcept = 0;
  /// Makes pages usable again, after either. Their bytes are as before, or zero.
  virtual void take_up(std::byte* begin, std::size_t bytes) noexcept = 0;

  /// Pages that have been touched stay where they are.
  [[nodiscard]] virtual int set_policy(std::byte* begin, std::size_t bytes, page_policy how,
                                       std::span<const os_index> nodes) = 0;
  /// For each page, the number of its node or, if it was not touched, a negative errno value: see nodes_of_pages().
  [[nodiscard]] virtual int locate(std::span<std::byte* const> pages, std::span<int> nodes) const = 0;
  /// Moves pages. `outcomes` gets the same numbers; a page that did not move has a negative errno value.
  [[nodiscard]] virtual int move(std::span<std::byte* const> pages, std::span<const int> to,
                                 std::span<int> outcomes) = 0;
  [[nodiscard]] virtual int advise(std::byte* begin, std::size_t bytes, huge_pages how) = 0;

  /// The available memory of a node now, with droppable pages of files; 0 if its memory has gone offline. nullopt: the
  /// system does not say.
  [[nodiscard]] virtual std::optional<std::uint64_t> free_bytes(os_index node) const = 0;
  [[nodiscard]] virtual bool has_weighted_interleave() const = 0;
  /// How many pages in turn weighted interleave puts on a node. nullopt: the system does not say.
  [[nodiscard]] virtual std::optional<unsigned> interleave_weight(os_index node) const = 0;
  /// Whether the kernel moves pages by itself.
  [[nodiscard]] virtual grant balancing() const = 0;
  [[nodiscard]] virtual grant huge_pages_granted() const = 0;
};

/// The system that runs this program.
[[nodiscard]] std::unique_ptr<os_memory> live_os_memory();

}  // namespace nearfork
