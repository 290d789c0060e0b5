// What the callable of a dataflow task gets as one of its spans. Tasks have one for each access, so it is small.
#pragma once

#include <cstddef>
#include <cstdint>

#include <nearfork/detail/dataflow/access_parts.hpp>
#include <nearfork/detail/dataflow/buffer_state.hpp>
#include <nearfork/detail/dataflow/task_layer.hpp>

namespace nearfork::detail {

struct shared_copy;
class shared_copies;

/// An access of a reduction.
struct reduction_copy {
  std::byte* original;
  std::byte* data;  // while the task runs; one of its own until it is folded or dropped, and nullptr then
  const reduction_rule* rule;
  shared_copies* shared;  // nullptr: the task makes a copy of its own
  shared_copy* taken;     // of these; when the body has ended, those that the task folds
  bool any_copy;          // also one to which others have added
};

struct dataflow_argument {
  enum class content : std::uint8_t { memory, copied, buffer, part };
  static constexpr unsigned bits_of_bytes = 59;

  union {
    std::byte* data;         // of the program; of a reduction until the graph has made its copy
    reduction_copy* copied;  // of the graph
    buffer_state* buffer;
    layer_part* part;  // of a stream
  };
  std::size_t bytes : bits_of_bytes;
  content is : 2;
  bool writes : 1;
  bool is_producer : 1;  // the graph took the task as the one that writes the buffer
  bool is_burst : 1;     // the part is a burst of the stream, not a window

  /// A part is named by the layer, when the task joins the graph.
  [[nodiscard]] static dataflow_argument of(const access_parts& what) noexcept {
    constexpr std::size_t all = (std::size_t{1} << bits_of_bytes) - 1;  // more bytes are refused before they are used
    dataflow_argument made{.data = what.data,
                           .bytes = what.bytes & all,
                           .is = content::memory,
                           .writes = what.kind != access_kind::read,
                           .is_producer = false,
                           .is_burst = false};
    if (what.buffer == nullptr) return made;
    made.buffer = what.buffer;
    made.is = content::buffer;
    return made;
  }
  /// While the task runs.
  [[nodiscard]] void* first() const noexcept {
    switch (is) {
      case content::copied: return copied->data;
      case content::buffer: return buffer->data;
      case content::part: return part->data;
      case content::memory: break;
    }
    return data;
  }
};
static_assert(sizeof(dataflow_argument) == 16);

}  // namespace nearfork::detail
