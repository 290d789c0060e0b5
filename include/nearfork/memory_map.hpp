#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace nearfork {

/// Bytes side by side that lie on one node.
struct memory_part {
  const void* begin = nullptr;
  std::size_t bytes = 0;
  std::optional<unsigned> os_node{};  // none: nobody has touched them yet, so they lie nowhere
  friend bool operator==(const memory_part&, const memory_part&) = default;
};

/// Where some memory lay when it was asked for.
struct memory_map {
  std::vector<memory_part> parts;  // ascending, without gaps; empty if it is not known
  std::string not_known;           // why; empty: it is known

  [[nodiscard]] std::size_t bytes_on(unsigned os_node) const noexcept;
  [[nodiscard]] std::size_t untouched_bytes() const noexcept;
};

/// Asks the system on which node each page lies; any memory, any thread. O(pages), about 0.1 us each.
[[nodiscard]] memory_map where_lies(const void* begin, std::size_t bytes);
template <class Range>
[[nodiscard]] memory_map where_lies(const Range& range) {
  const std::span elements(std::data(range), std::size(range));
  return where_lies(elements.data(), elements.size_bytes());
}

/// A line of `columns` cells, each with the node that holds most of it ('.': untouched), and the bytes of each node.
[[nodiscard]] std::string picture_of(const memory_map& shown, unsigned columns = 64);

}  // namespace nearfork
