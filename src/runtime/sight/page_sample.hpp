// Which pages of a block are asked for, evenly spaced, and where each of them lies. Pure.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace nearfork {

/// A page that lies nowhere: it was not touched, or the system did not tell.
inline constexpr int nowhere = -1;

class page_sample {
 public:
  /// The pages that hold bytes [begin, end), of which at most `most_asked` are asked for; at least one is.
  page_sample(std::uintptr_t begin, std::uintptr_t end, std::uint64_t page_bytes, std::uint64_t most_asked)
      : page_bytes_(page_bytes),
        first_page_(begin / page_bytes),
        pages_(std::max<std::uint64_t>(1, (end + page_bytes - 1) / page_bytes - first_page_)),
        nodes_(std::min(pages_, std::max<std::uint64_t>(1, most_asked)), nowhere) {}

  [[nodiscard]] std::uint64_t pages() const noexcept { return pages_; }
  [[nodiscard]] std::uint64_t asked() const noexcept { return nodes_.size(); }
  /// By asked page: the node's number in the system, or nowhere.
  [[nodiscard]] std::vector<int>& nodes() noexcept { return nodes_; }
  [[nodiscard]] const std::vector<int>& nodes() const noexcept { return nodes_; }

  /// Asked page i stands for the pages from its own to that of i + 1.
  [[nodiscard]] std::uintptr_t address_of(std::uint64_t i) const noexcept {
    return (first_page_ + page_of(i)) * page_bytes_;
  }
  /// The asked page that stands for the page of `address`, which is in the block.
  [[nodiscard]] std::uint64_t asked_for(std::uintptr_t address) const noexcept {
    return ((address / page_bytes_ - first_page_ + 1) * asked() - 1) / pages_;
  }

 private:
  [[nodiscard]] std::uint64_t page_of(std::uint64_t i) const noexcept { return i * pages_ / asked(); }

  std::uint64_t page_bytes_;
  std::uint64_t first_page_;
  std::uint64_t pages_;
  std::vector<int> nodes_;
};

/// How many of the asked pages lie on each node, by its number in the system.
[[nodiscard]] inline std::vector<std::uint64_t> counts_by_node(const std::vector<int>& nodes) {
  std::vector<std::uint64_t> made;
  for (const int node : nodes) {
    if (node < 0) continue;
    if (made.size() <= static_cast<std::size_t>(node)) made.resize(static_cast<std::size_t>(node) + 1, 0);
    ++made[static_cast<std::size_t>(node)];
  }
  return made;
}

}  // namespace nearfork
