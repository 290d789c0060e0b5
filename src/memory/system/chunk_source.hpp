// The source of memory for buffers: chunks of any number of pages, each on one memory node; and the node of a page.
#pragma once

#include <cstddef>
#include <memory>
#include <optional>

#include "base/ids.hpp"
#include "memory/system/span_source.hpp"

namespace nearfork {

class machine;
class os_memory;

/// A chunk, or why there is none.
struct taken_chunk {
  std::byte* start = nullptr;  // nullptr: refused
  span_binding binding = span_binding::bound;
  int errno_value = 0;  // why it was refused (ENOMEM: the node is full) or not bound
};

/// Where a page lies.
struct page_place {
  std::optional<node_id> node{};  // nullopt: not known, or the page was not touched
  int refused = 0;                // errno: the system does not tell; 0: it does
};

/// Gives and takes back chunks. Thread-safe.
class chunk_source {
 public:
  virtual ~chunk_source() = default;
  /// A chunk on `node`, of whole pages, aligned to `alignment`, a power of two. Refuses if the node has no room.
  [[nodiscard]] virtual taken_chunk take(node_id node, std::size_t bytes, std::size_t alignment) noexcept = 0;
  /// `start` and `bytes`: as take() had them.
  virtual void give_back(std::byte* start, std::size_t bytes) noexcept = 0;
  /// Asks for the page of any address of this process.
  [[nodiscard]] virtual page_place place_of(const void* address) noexcept = 0;
};

/// The system's memory. `of` names the nodes; it need not outlive the source.
[[nodiscard]] std::unique_ptr<chunk_source> system_chunks(const machine& of, std::unique_ptr<os_memory> system);

}  // namespace nearfork
