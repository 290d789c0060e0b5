#include "memory/placed/page_locations.hpp"

#include <algorithm>
#include <optional>
#include <vector>

#include "base/text/message_text.hpp"

namespace nearfork {

std::uint64_t bytes_there(const os_memory& system, const placed_block& block, const page_split& runs,
                          numbered_node node) {
  const int number = static_cast<int>(number_of(node.os));
  std::uint64_t there = 0;
  for (const page_run& run : runs) {
    if (run.node != node.id) continue;
    for (std::uint64_t first = run.begin; first < run.end; first += pages_of_batch) {
      std::vector<std::byte*> pages;
      for (std::uint64_t page = first; page < std::min(run.end, first + pages_of_batch); ++page)
        pages.push_back(block.page(page));
      std::vector<int> lie(pages.size());
      if (system.locate(pages, lie) != 0) return there;
      there += static_cast<std::uint64_t>(std::ranges::count(lie, number)) * block.extent.page_bytes;
    }
  }
  return there;
}

memory_map locate(const os_memory& system, const void* begin, std::size_t bytes) {
  memory_map made;
  const std::uintptr_t page_bytes = system.page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(begin);
  const std::uintptr_t end = first + bytes;
  for (std::uintptr_t at = first; at < end;) {
    std::vector<std::byte*> pages;
    for (std::uintptr_t page = at - at % page_bytes; page < end && pages.size() < pages_of_batch; page += page_bytes)
      pages.push_back(reinterpret_cast<std::byte*>(page));
    std::vector<int> lie(pages.size());
    if (const int refused = system.locate(pages, lie); refused != 0)
      return {{}, "move_pages: " + with_number(refused) + "; see nearfork doctor"};
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const std::uintptr_t next = std::min(end, reinterpret_cast<std::uintptr_t>(pages[i]) + page_bytes);
      const auto node = lie[i] < 0 ? std::nullopt : std::optional<unsigned>(static_cast<unsigned>(lie[i]));
      if (made.parts.empty() || made.parts.back().os_node != node)
        made.parts.push_back({reinterpret_cast<const void*>(at), 0, node});
      made.parts.back().bytes += next - at;
      at = next;
    }
  }
  return made;
}

}  // namespace nearfork
