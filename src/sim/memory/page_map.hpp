// Which memory node holds each page: the node of the first touch.
#pragma once

#include <cstdint>
#include <vector>

namespace nearfork::sim {

class page_map {
 public:
  explicit page_map(std::uint64_t pages) : node_of_(pages, untouched) {}

  /// The page's node. A page without a node gets `first_touch`.
  [[nodiscard]] std::uint32_t touch(std::uint64_t page, std::uint32_t first_touch) noexcept {
    std::uint16_t& node = node_of_[page];
    if (node == untouched) node = static_cast<std::uint16_t>(first_touch);
    return node;
  }
  /// The node of a page that was touched.
  [[nodiscard]] std::uint32_t node_of(std::uint64_t page) const noexcept { return node_of_[page]; }

 private:
  static constexpr std::uint16_t untouched = 0xffff;
  std::vector<std::uint16_t> node_of_;
};

}  // namespace nearfork::sim
