// Which memory node holds each page: the node of the first write; or that of the first read, for data that come from
// nowhere.
#pragma once

#include <cstdint>
#include <vector>

namespace nearfork::sim {

class page_map {
 public:
  explicit page_map(std::uint64_t pages) : node_of_(pages, nowhere) {}

  /// From now on pages that are only read stay nowhere, as under Linux, which shows a page of zeros.
  void wait_for_writes() noexcept { reads_place_ = false; }

  void place(std::uint64_t page, std::uint32_t node) noexcept { node_of_[page] = static_cast<std::uint16_t>(node); }
  /// A page that is nowhere gets `first_touch`.
  void write(std::uint64_t page, std::uint32_t first_touch) noexcept {
    std::uint16_t& node = node_of_[page];
    if (node == nowhere) node = static_cast<std::uint16_t>(first_touch);
  }
  /// The node that a line of the page is read from. The page of zeros is as near as `first_touch`.
  [[nodiscard]] std::uint32_t read(std::uint64_t page, std::uint32_t first_touch) noexcept {
    std::uint16_t& node = node_of_[page];
    if (node != nowhere) return node;
    if (reads_place_) node = static_cast<std::uint16_t>(first_touch);
    return first_touch;
  }
  /// The node of a page that was written.
  [[nodiscard]] std::uint32_t node_of(std::uint64_t page) const noexcept { return node_of_[page]; }

 private:
  static constexpr std::uint16_t nowhere = 0xffff;
  std::vector<std::uint16_t> node_of_;
  bool reads_place_ = true;
};

}  // namespace nearfork::sim
