// The source of memory for per-node pools: spans of one size, aligned to it, each on one memory node.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>

#include "base/ids.hpp"

namespace nearfork {

class machine;

/// Large enough that one system call per span costs nothing beside its blocks; small enough that spans become empty.
inline constexpr std::size_t span_bytes = std::size_t{1} << 20;

enum class span_binding : std::uint8_t {
  bound,        // the system confirmed that the span lies there
  first_touch,  // the system refused to bind: a page lies where the thread runs that first writes to it
};

/// A span, or why there is none.
struct taken_span {
  void* start = nullptr;  // nullptr: refused
  span_binding binding = span_binding::bound;
  int errno_value = 0;  // why it was refused (ENOMEM: the node is full) or not bound
};

/// Gives and takes back spans. Thread-safe.
class span_source {
 public:
  virtual ~span_source() = default;
  /// Returns span_bytes of zeroed memory on `node`, aligned to span_bytes. Refuses if the node has no room.
  [[nodiscard]] virtual taken_span take(node_id node) noexcept = 0;
  /// `start`: as take() returned it.
  virtual void give_back(void* start) noexcept = 0;
};

/// The system's memory (os_memory.hpp). `of` names the nodes; it need not outlive the source.
[[nodiscard]] std::unique_ptr<span_source> system_spans(const machine& of);

}  // namespace nearfork
