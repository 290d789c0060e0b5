// The free memory of each node that Linux keeps back: below the low watermark of a zone, only allocations without a
// fallback node succeed. So pages that prefer the node come to lie on another node.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace nearfork {

class low_watermarks {
 public:
  /// Reads the text of /proc/zoneinfo. Missing values count as zero.
  explicit low_watermarks(std::string_view zoneinfo);

  [[nodiscard]] std::uint64_t pages_of(unsigned os_node) const noexcept {
    const auto found = pages_.find(os_node);
    return found == pages_.end() ? 0 : found->second;
  }

 private:
  std::map<unsigned, std::uint64_t> pages_;
};

}  // namespace nearfork
