// The low watermark of each node. Below a zone's low watermark only allocations without a fallback node succeed, so pages
// that prefer the node come to lie on another one: this much of its free memory is kept back.
#pragma once

#include <cstdint>
#include <map>
#include <string_view>

namespace nearfork {

class low_watermarks {
 public:
  /// From the text of /proc/zoneinfo. What it does not say counts as nothing.
  explicit low_watermarks(std::string_view zoneinfo);

  [[nodiscard]] std::uint64_t pages_of(unsigned os_node) const noexcept {
    const auto found = pages_.find(os_node);
    return found == pages_.end() ? 0 : found->second;
  }

 private:
  std::map<unsigned, std::uint64_t> pages_;
};

}  // namespace nearfork
