#include "memory/placed/block_supply.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <string>

#include <nearfork/error.hpp>

#include "base/text/message_text.hpp"
#include "memory/system/rounding.hpp"

namespace nearfork {
namespace {

/// Blocks of at least this many huge pages have borders that keep huge pages whole, even if huge pages were not asked
/// for: at most one huge page per node is then on the wrong side of a border.
constexpr std::uint64_t many_huge_pages = 64;

void check_alignment(std::size_t alignment) {
  if (!std::has_single_bit(alignment) || alignment > most_alignment)
    throw error("nearfork: an alignment of " + std::to_string(alignment) +
                " bytes cannot be had; it must be a power of two of at most " + std::to_string(most_alignment));
}

}  // namespace

void throw_no_memory(std::size_t bytes, int error_number) {
  std::string remedy = "allocate less, free something, or raise the limits (ulimit -v, vm.max_map_count)";
  if (error_number == ENOMEM)
    remedy =
        "the system has no room for it, or the process has too many mappings, of which a placed block takes two: "
        "allocate less, or fewer and larger blocks, or see vm.max_map_count, vm.overcommit_memory, ulimit -v and the "
        "cgroup's memory.max";
  if (error_number == EAGAIN) remedy = "more memory would be locked than mlockall() may lock: raise ulimit -l";
  throw error("nearfork: no memory for a block of " + std::to_string(bytes) + " bytes: " + with_number(error_number) +
              "; " + remedy);
}

block_extent block_supply::extent_of(std::size_t bytes, const memory_options& options) const {
  const std::size_t huge = system_.huge_page_bytes();
  const std::size_t page = system_.page_bytes();
  const bool large = options.huge != huge_pages::never && bytes >= many_huge_pages * huge;
  return {bytes, page, options.huge == huge_pages::wanted || large ? huge / page : 1};
}

/// What is kept of freed blocks shall not be missing here.
mapped_memory block_supply::map_pages(std::size_t usable, std::size_t reserved, std::size_t alignment) {
  const mapped_memory mapped = system_.map(usable, reserved, alignment);
  if (mapped.begin != nullptr || kept_.bytes() == 0) return mapped;
  unmap(kept_.take_all());
  return system_.map(usable, reserved, alignment);
}

placed_block block_supply::map(std::size_t bytes, std::size_t alignment, const memory_options& options) {
  check_alignment(alignment);
  constexpr std::size_t chunk = block_registry::chunk_bytes;
  if (bytes > (std::size_t{1} << (block_registry::address_bits - 1))) throw_no_memory(bytes, ENOMEM);
  placed_block made;
  made.options = options;
  for (const node_weight& one : options.where.weights) made.weights[os_index{one.os_node}] += one.weight;
  made.extent = extent_of(bytes, options);
  const std::size_t huge = system_.huge_page_bytes();
  const std::size_t usable = round_up(bytes, options.huge == huge_pages::wanted ? huge : made.extent.page_bytes);
  made.reserved_bytes = round_up(usable, chunk);
  const mapped_memory mapped = map_pages(usable, made.reserved_bytes, std::max(alignment, std::max(chunk, huge)));
  if (mapped.begin == nullptr) throw_no_memory(bytes, mapped.error_number);
  made.begin = mapped.begin;
  return made;
}

std::optional<placed_block> block_supply::reuse(std::size_t bytes, std::size_t alignment,
                                                const memory_options& options) {
  if (kept_.bytes() == 0) return std::nullopt;
  const block_extent extent = extent_of(bytes, options);
  const auto kept = kept_.take({extent, alignment, &options});
  if (!kept) return std::nullopt;
  placed_block again;
  again.begin = kept->begin;
  again.reserved_bytes = kept->reserved_bytes;
  again.extent = extent;
  again.options = options;
  again.weights = kept->weights;  // of the same options
  again.may_be_kept = true;
  again.on_kept_pages = true;
  system_.take_up(again.begin, again.extent.pages() * again.extent.page_bytes);
  return again;
}

/// What the system refuses to take back when it is short, such as locked memory, is not kept from it.
bool block_supply::lay_down(const placed_block& freed) noexcept {
  const std::size_t bytes = freed.extent.pages() * freed.extent.page_bytes;
  if (freed.is_offered) return system_.set_aside(freed.begin, bytes) == 0;
  system_.lay_down(freed.begin, bytes);
  return true;
}

}  // namespace nearfork
