#include "sim/memory/pages/page_heat.hpp"

#include <algorithm>

#include "base/rng.hpp"
#include "machine/nodes/chunk_sample.hpp"
#include "sim/memory/pages/page_rooms.hpp"

namespace nearfork::sim {
namespace {

/// Where the page lies, or will lie when what plans want is done.
std::uint16_t node_of(const page_map& pages, std::uint64_t page) {
  const std::uint16_t meant = pages.meant(page);
  return meant != page_map::nowhere ? meant : pages.node_of(page);
}

/// Ends where the node changes, so that all pages of a chunk are of one.
std::uint64_t end_of_chunk(const page_map& pages, std::uint64_t begin, std::uint64_t most) {
  const std::uint16_t node = node_of(pages, begin);
  std::uint64_t end = begin + 1;
  while (end < most && node_of(pages, end) == node) ++end;
  return end;
}

}  // namespace

gauging page_heat::gauged(std::span<const followed_array> arrays, const page_map& pages) const {
  gauging made{.free_pages = pages.free_pages()};
  if (lines_.empty()) return made;
  std::uint64_t all = 0;
  for (const followed_array& one : arrays) all += one.pages;
  const std::uint64_t of_chunk = pages_of_chunk(all);
  rng random(all);
  for (std::uint64_t block = 0; block < arrays.size(); ++block) {
    const std::uint64_t first = arrays[block].first_page;
    for (std::uint64_t page = 0; page < arrays[block].pages;) {
      const std::uint64_t most = first + std::min(page + of_chunk, arrays[block].pages);
      const std::uint64_t end = end_of_chunk(pages, first + page, most) - first;
      const std::uint16_t node = node_of(pages, first + page);
      const auto lines = [&](std::uint64_t i) { return lines_[first + page + i]; };
      if (node != page_map::nowhere)
        made.chunks.push_back({.block = block,
                               .begin = page,
                               .end = end,
                               .node = node_id{node},
                               .heat = sampled_heat(end - page, random, lines)});
      page = end;
    }
  }
  return made;
}

}  // namespace nearfork::sim
