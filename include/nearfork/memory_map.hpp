#pragma once

#include <nearfork/detail/language.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nearfork {

/// Contiguous bytes that lie on one node.
struct memory_part {
  const void* begin = nullptr;        // the first byte
  std::size_t bytes = 0;              // how many
  std::optional<unsigned> os_node{};  // nullopt: untouched so far, so the bytes lie on no node
  /// Equal if all members are.
  friend bool operator==(const memory_part&, const memory_part&) = default;
};

/// On which NUMA nodes some memory lay at the time of the question.
struct NEARFORK_STANDARD_LAYOUT memory_map {
  std::vector<memory_part> parts;  // ascending, without gaps; empty if the system does not tell
  std::string not_known;           // why the system does not tell; empty: it does

  /// The bytes on this node, by the system's number. Complexity: O(parts).
  [[nodiscard]] std::size_t bytes_on(unsigned os_node) const noexcept;
  /// The bytes that no thread has touched. Complexity: O(parts).
  [[nodiscard]] std::size_t untouched_bytes() const noexcept;
};

/// Asks the system on which node each page lies, for any memory of the process.
///
///     const nearfork::memory_map lies = nearfork::where_lies(grid);
///     std::puts(nearfork::picture_of(lies).c_str());
///
/// If the system does not tell, memory_map::not_known says why.
/// Complexity: O(pages), about 0.1 us for each. Thread-safety: any thread. Throws: std::bad_alloc.
[[nodiscard]] memory_map where_lies(const void* begin, std::size_t bytes);
/// The same for the elements of a contiguous range.
template <class Range>
[[nodiscard]] memory_map where_lies(const Range& range) {
  const std::span elements(std::data(range), std::size(range));
  return where_lies(elements.data(), elements.size_bytes());
}

/// The map as text: a line of `columns` cells, then the bytes on each node. A cell shows the node that holds most of
/// its bytes, or '.' for untouched bytes. Complexity: O(columns * parts). Throws: std::bad_alloc.
[[nodiscard]] std::string picture_of(const memory_map& shown, unsigned columns = 64);

}  // namespace nearfork
