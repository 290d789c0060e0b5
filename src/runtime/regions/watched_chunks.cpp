#include "runtime/regions/watched_chunks.hpp"

#include <algorithm>

#include "machine/nodes/chunk_sample.hpp"

namespace nearfork {

watched_chunks chunks_of(const data_layout& data) {
  std::uint64_t all = 0;
  for (const laid_block& one : data.blocks) all += one.extent.pages();
  watched_chunks made;
  for (const laid_block& one : data.blocks) {
    const std::uint64_t unit = std::max<std::uint64_t>(1, one.extent.pages_of_unit);
    const std::uint64_t of_chunk = (pages_of_chunk(all) + unit - 1) / unit * unit;
    for (const page_run& run : one.split)
      for (std::uint64_t begin = run.begin; begin < run.end;) {
        const std::uint64_t end = std::min(run.end, (begin / of_chunk + 1) * of_chunk);
        made.chunks.push_back({.block = one.number, .begin = begin, .end = end, .node = run.node});
        made.addresses.push_back({one.begin + begin * one.extent.page_bytes, one.begin + end * one.extent.page_bytes});
        begin = end;
      }
  }
  return made;
}

}  // namespace nearfork
