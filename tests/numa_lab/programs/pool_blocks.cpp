// Small blocks from the pools of nodes: does each block lie on its requested node, also after threads on other nodes
// have freed earlier blocks? The kernel is asked by address.
// usage: pool_blocks [--unseen]   --unseen: where the kernel may not be asked for nodes; checks only the blocks'
//                                 contents
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <exception>
#include <set>
#include <string_view>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "numa_lab/every_worker.hpp"
#include "numa_lab/kernel_view/node_facts.hpp"
#include "numa_lab/placed_heat.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t block_sizes[] = {40, 700, 9'000, 40'000};
/// Allocated of each size: more than threads keep for themselves, so that most blocks go back to the pool.
constexpr std::size_t bytes_of_size = std::size_t{1} << 20;
constexpr unsigned turns = 3;
/// The size of the spans that pools take from the system (src/memory/system/span_source.hpp).
constexpr std::uintptr_t span = std::uintptr_t{1} << 20;

struct block {
  unsigned char* begin;
  std::size_t bytes;
  unsigned node;
};

unsigned char mark_of(const block& one) {
  return static_cast<unsigned char>(reinterpret_cast<std::uintptr_t>(one.begin) >> 4);
}

std::vector<block> blocks_on(unsigned node) {
  placed_resource from({.where = placing::bound_to(node)});
  std::vector<block> made;
  for (const std::size_t bytes : block_sizes)
    for (std::size_t i = 0; i < bytes_of_size / bytes; ++i) {
      const block one{static_cast<unsigned char*>(from.allocate(bytes, 16)), bytes, node};
      std::memset(one.begin, mark_of(one), bytes);
      made.push_back(one);
    }
  return made;
}

void check_contents(const std::vector<block>& blocks, verdict& result) {
  for (const block& one : blocks)
    if (one.begin[0] != mark_of(one) || one.begin[one.bytes - 1] != mark_of(one))
      result.fault("a block of {} bytes on node {} has lost its contents", one.bytes, one.node);
}

void check_nodes(const char* when, const std::vector<block>& blocks, verdict& result) {
  for (const block& one : blocks)
    for (const page_node& lies : nodes_of_pages(one.begin, one.bytes))
      if (lies != one.node)
        result.fault("{}: a block of {} bytes for node {} lies on node {}", when, one.bytes, one.node,
                     lies.value_or(99));
}

std::set<std::uintptr_t> spans_of(const std::vector<block>& blocks) {
  std::set<std::uintptr_t> found;
  for (const block& one : blocks) found.insert(reinterpret_cast<std::uintptr_t>(one.begin) / span);
  return found;
}

/// Workers of all domains free blocks, and each worker frees blocks of every node.
void free_everywhere(runtime& on, const std::vector<block>& blocks) {
  on.run([&] {
    parallel_for(std::size_t{0}, blocks.size(),
                 [&](std::size_t i) { placed_resource().deallocate(blocks[i].begin, blocks[i].bytes, 16); });
  });
}

std::vector<block> blocks_on_all_nodes() {
  std::vector<block> all;
  for (const unsigned node : nodes_with_memory()) {
    const std::vector<block> here = blocks_on(node);
    all.insert(all.end(), here.begin(), here.end());
  }
  return all;
}

/// Without a node in its options, a block lies where a page lies that the calling thread touches first.
void check_own_nodes(runtime& on, bool seen, verdict& result) {
  if (!seen) return;
  const auto ask = [&] {
    fresh_pages page(1);
    page.touch(0);
    const unsigned expected = page.nodes().front().value();
    placed_resource from;
    auto* const begin = static_cast<unsigned char*>(from.allocate(30'000, 16));
    std::memset(begin, 1, 30'000);
    for (const page_node& lies : nodes_of_pages(begin, 30'000))
      if (lies != expected)
        result.fault("worker {}: its block lies on node {}, and what it touches first on node {}", this_worker::index(),
                     lies.value_or(99), expected);
    from.deallocate(begin, 30'000, 16);
  };
  on_every_worker(on, ask);
}

int run(bool seen) {
  verdict result;
  runtime rt;
  std::vector<block> blocks = blocks_on_all_nodes();
  const std::set<std::uintptr_t> first = spans_of(blocks);
  std::size_t known = 0;
  std::size_t used = 0;
  for (unsigned turn = 0; turn < turns; ++turn) {
    check_contents(blocks, result);
    if (seen) check_nodes(turn == 0 ? "at first" : "after remote frees", blocks, result);
    free_everywhere(rt, blocks);
    blocks = blocks_on_all_nodes();
    const std::set<std::uintptr_t> again = spans_of(blocks);
    used += again.size();
    known +=
        static_cast<std::size_t>(std::ranges::count_if(again, [&](std::uintptr_t one) { return first.contains(one); }));
  }
  check_contents(blocks, result);
  if (seen) check_nodes("at last", blocks, result);
  // New memory replaces what workers keep in their magazines; most spans must come back.
  if (2 * known < used) result.fault("{} of {} spans are those of before: freed blocks do not return", known, used);
  free_everywhere(rt, blocks);
  check_own_nodes(rt, seen, result);
  fmt::print("{} blocks at a time on {} nodes, {} of {} spans again\n", blocks.size(), nodes_with_memory().size(),
             known, used);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  return nearfork::lab::exit_status_of(
      [&] { return nearfork::lab::run(count < 2 || std::string_view(arguments[1]) != "--unseen"); });
}
