// Any operations, in any order.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <cerrno>
#include <cstdint>
#include <map>
#include <set>
#include <utility>

#include "base/rng.hpp"
#include "machine/nodes/page_split.hpp"
#include "unit/memory/placed/memory_of.hpp"

namespace nearfork {
namespace {

using test::all_at_once;
using test::memory_of;
using test::page;

std::uintptr_t as_address(const std::byte* at) {
  return reinterpret_cast<std::uintptr_t>(at);
}

// No page is lost, no page is on two nodes, no node holds more than its size, and freed pages are gone.
RC_GTEST_PROP(placed_memory, keeps_every_page_on_one_node, (std::uint64_t seed)) {
  rng random(seed);
  std::vector<std::uint64_t> sizes;
  for (std::uint32_t i = 1 + random.below(4); i > 0; --i) sizes.push_back(random.below(60));
  sizes.push_back(20 + random.below(60));
  memory_of run(sizes);
  const auto domains = static_cast<std::uint32_t>(sizes.size());
  run.nodes.knows_free = random.below(2) == 0;
  if (random.below(8) == 0) run.nodes.refuse_policy = EPERM;
  if (random.below(8) == 0) run.nodes.refuse_move = ENOSYS;
  std::map<std::byte*, std::set<std::uint64_t>> touched;  // the model: pages that were written to
  std::map<std::byte*, std::set<std::uint64_t>> kept;     // the same, of freed blocks whose pages stay the process's
  std::map<std::byte*, std::uint64_t> pages;
  const char* const regions[] = {"heat", "check"};
  for (int step = 0; step < 60; ++step) {
    switch (random.below(6)) {
      case 0: {
        const placing all[] = {placing::follow_plan(),
                               placing::follow_plan(node_spread::by_capacity),
                               placing::interleaved(),
                               placing::by_capacity(),
                               placing::preferring(random.below(domains + 2)),
                               placing::interleaved_by_weights({{0, 1}, {random.below(domains), 2}})};
        const memory_options options{.where = all[random.below(6)]};
        const std::uint64_t count = 1 + random.below(12);
        void* const again = random.below(4) == 0 ? nullptr : run.memory.reuse(count * page, 8, options);
        std::byte* const made = again != nullptr ? static_cast<std::byte*>(again) : run.allocate(count, options);
        RC_ASSERT(!pages.contains(made));
        pages[made] = count;
        if (again != nullptr) touched[made] = std::exchange(kept[made], {});
        break;
      }
      case 1: {
        if (pages.empty()) break;
        auto gone = pages.begin();
        std::advance(gone, random.below(static_cast<std::uint32_t>(pages.size())));
        RC_ASSERT(run.memory.free(gone->first));
        for (const std::uint64_t i : std::exchange(touched[gone->first], {}))
          if (!run.nodes.aside.contains(as_address(gone->first + i * page))) kept[gone->first].insert(i);
        pages.erase(gone);
        break;
      }
      case 2: {
        std::vector<double> weights;
        for (std::uint32_t i = 0; i < domains; ++i) weights.push_back(1.0 + random.below(5));
        (void)run.follow(borders_by_weight(weights), random.below(3) == 0 ? all_at_once : page * random.below(10),
                         regions[random.below(2)]);
        break;
      }
      case 3: (void)run.memory.take_back(regions[random.below(2)], page * random.below(20)); break;
      case 4:
        if (random.below(8) == 0) run.memory.give_back_kept();
        break;
      default:
        for (const auto& [block, count] : pages)
          for (std::uint64_t i = 0; i < count; ++i) {
            if (random.below(3) != 0) continue;
            run.nodes.touch(block + i * page, static_cast<int>(random.below(domains)));
            if (run.nodes.node_at(block + i * page) >= 0) touched[block].insert(i);
          }
    }
    std::erase_if(kept, [&](const auto& one) { return !run.nodes.mapped.contains(as_address(one.first)); });
    std::size_t held = 0;
    for (const auto* of : {&touched, &kept})
      for (const auto& [block, numbers] : *of) {
        held += numbers.size();
        for (const std::uint64_t i : numbers) RC_ASSERT(run.nodes.node_at(block + i * page) >= 0);
      }
    RC_ASSERT(run.nodes.lies.size() == held + run.nodes.aside.size());
    for (std::size_t node = 0; node < sizes.size(); ++node)
      RC_ASSERT(run.nodes.used(static_cast<int>(node)) <= sizes[node]);
    std::uint64_t kept_bytes = 0;
    for (const auto& [at, one] : run.nodes.mapped)
      if (!pages.contains(reinterpret_cast<std::byte*>(at))) kept_bytes += one.bytes;
    RC_ASSERT(kept_bytes == run.memory.totals().kept_bytes);
    RC_ASSERT(kept_bytes <= kept_blocks::most_bytes);
    RC_ASSERT(run.memory.totals().blocks == pages.size());
  }
}

}  // namespace
}  // namespace nearfork
