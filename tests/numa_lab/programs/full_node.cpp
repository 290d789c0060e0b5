// A node that is nearly full. Memory that is meant for the node and finds no room lies on the next nearest node; the
// report says so, and strict mode refuses it. Another program has taken the node's memory before this program starts.
// usage: full_node NODE [--strict]
#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <exception>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "memory/system/os_memory.hpp"
#include "message_of.hpp"
#include "numa_lab/given_borders.hpp"
#include "numa_lab/kernel_view/node_facts.hpp"
#include "numa_lab/placed_heat.hpp"

namespace nearfork::lab {
namespace {

constexpr std::uint64_t mebibyte = std::uint64_t{1} << 20;
constexpr std::uint64_t more_than_free = 4 * mebibyte;
constexpr std::size_t block_bytes = 16'000;
/// Two of the 1 MiB spans that pools take may find room for their first page but not for all pages.
constexpr std::size_t most_unnoticed = 2 * (mebibyte / block_bytes);

bool says(const run_report& report, const std::string& what, const std::string& why) {
  return std::ranges::any_of(report.degradations, [&](const degradation& one) {
    return (one.what + ", " + one.where + ": " + one.why).find(what) != std::string::npos &&
           (one.what + ", " + one.where + ": " + one.why).find(why) != std::string::npos;
  });
}

/// The nearest of the other nodes that have `bytes` free.
std::set<unsigned> nearest_with_room(unsigned full, std::uint64_t bytes) {
  std::map<unsigned, std::set<unsigned>> by_distance;
  for (const unsigned node : nodes_with_memory())
    if (node != full && free_bytes(node) >= bytes) by_distance[distance_between(full, node)].insert(node);
  return by_distance.empty() ? std::set<unsigned>{} : by_distance.begin()->second;
}

std::string too_little(unsigned node) {
  return "node " + std::to_string(node) + " has too little free memory";
}

std::optional<std::size_t> domain_at_home_on(unsigned node) {
  const machine& here = *live_machine();
  for (std::size_t d = 0; d < here.domains().size(); ++d) {
    const domain& one = here.domains()[d];
    if (!one.nodes.empty() && number_of(here.at(one.nodes.front()).os) == node) return d;
  }
  return std::nullopt;
}

/// The bytes that placed memory takes for free: blocks of 80% of them must each seem to have room.
std::uint64_t room_on(unsigned node) {
  return live_os_memory()->free_bytes(os_index{node}).value();
}

class full_node {
 public:
  explicit full_node(unsigned node) : node_(node), domain_(domain_at_home_on(node)) {}

  void check() {
    bound_block();
    if (domain_) planned_block();
    if (domain_) many_planned_blocks();
    small_blocks();
  }
  [[nodiscard]] int status() const { return result_.status(); }

 private:
  void bound_block() {
    const std::uint64_t bytes = free_bytes(node_) + more_than_free;
    const std::set<unsigned> nearest = nearest_with_room(node_, bytes);
    array<char> block(bytes, {.where = placing::bound_to(node_)});
    const std::vector<page_node> found = touched(block);
    if (!std::ranges::all_of(found, [&](const page_node& one) { return one && nearest.contains(*one); }))
      result_.fault("a block bound to a full node does not lie on the nearest with room: {}", counted(found));
    if (!says(rt_.report(), "memory is not on the node that was asked for", too_little(node_)))
      result_.fault("the report does not say that a bound block lies elsewhere");
    fmt::print("bound: {}; ", counted(found));
  }

  /// Checks the full node's part of one block that follows a plan.
  void planned_block() {
    const std::uint64_t part = (free_bytes(node_) + more_than_free) / page_bytes() * page_bytes();
    const std::set<unsigned> nearest = nearest_with_room(node_, 2 * part);
    std::vector<array<char>> blocks;
    blocks.emplace_back(part * domains(), memory_options{.huge = huge_pages::never});
    run_region("full", blocks);
    const std::vector<page_node> found = part_of_node(blocks.front());
    if (!std::ranges::all_of(found, [&](const page_node& one) { return one && nearest.contains(*one); }))
      result_.fault("the part of a full node does not lie on the nearest with room: {}", counted(found));
    if (!says(rt_.report(), "a part of a placed block is not on its node", too_little(node_)))
      result_.fault("the report does not say that a part of a block is not on its node");
    fmt::print("planned: {}; ", counted(found));
  }

  /// Each block would have room, but all together do not: the first look finds no fault, the next look does.
  void many_planned_blocks() {
    const std::uint64_t part = room_on(node_) * 8 / 10 / page_bytes() * page_bytes();
    std::vector<array<char>> blocks;
    for (unsigned i = 0; i < 4; ++i)
      blocks.emplace_back(part * domains(), memory_options{.huge = huge_pages::never, .region = "many"});
    for (unsigned i = 0; i < 2; ++i) run_region("many", blocks);
    std::vector<page_node> found;
    for (const array<char>& one : blocks) {
      const auto of_one = part_of_node(one);
      found.insert(found.end(), of_one.begin(), of_one.end());
    }
    const auto there = std::ranges::count(found, page_node(node_));
    if (there == std::ssize(found)) result_.fault("there was room for all: nothing was checked");
    if (!says(rt_.report(), "pages were not moved to their tasks, node " + std::to_string(node_), "the node is full"))
      result_.fault("{} of {} pages lie on the full node, and the report does not say so", there, found.size());
    fmt::print("four planned: {}; ", counted(found));
  }

  void small_blocks() {
    placed_resource from({.where = placing::bound_to(node_)});
    const std::size_t count = (free_bytes(node_) + more_than_free) / block_bytes;
    std::vector<void*> blocks;
    for (std::size_t i = 0; i < count; ++i)
      std::memset(blocks.emplace_back(from.allocate(block_bytes, 16)), 1, block_bytes);
    std::size_t elsewhere = 0;
    std::vector<page_node> found;
    for (void* const one : blocks) {
      const std::vector<page_node> of_block = nodes_of_pages(one, block_bytes);
      if (of_block.front() != node_) ++elsewhere;
      found.insert(found.end(), of_block.begin(), of_block.end());
    }
    const std::size_t said = said_to_be_elsewhere();
    if (elsewhere == 0) result_.fault("all small blocks found room: nothing was checked");
    if (said == 0 || said > elsewhere || elsewhere - said > most_unnoticed)
      result_.fault("{} small blocks lie elsewhere, and the report says {}; pages: {}", elsewhere, said,
                    counted(found));
    for (void* const one : blocks) from.deallocate(one, block_bytes, 16);
    fmt::print("{} small blocks elsewhere, {} said\n", elsewhere, said);
  }

  [[nodiscard]] std::size_t said_to_be_elsewhere() const {
    const std::string what = " small blocks lie on another node";
    for (const degradation& one : rt_.report().degradations)
      if (one.what.ends_with(what) && one.where == "node " + std::to_string(node_)) return std::stoul(one.what);
    return 0;
  }

  static std::vector<page_node> touched(array<char>& block) {
    for (std::size_t at = 0; at < block.size(); at += page_bytes()) block[at] = 1;
    return nodes_of_pages(block.data(), block.size());
  }
  void run_region(const char* name, std::vector<array<char>>& blocks) {
    rt_.run([&] {
      region(name, [&] {
        parallel_for(std::size_t{0}, blocks.front().size() / page_bytes(), [&](std::size_t page) {
          for (array<char>& one : blocks) one[page * page_bytes()] = 1;
        });
      });
    });
  }
  /// Leaves out the pages at the borders, which may belong to a neighbour.
  std::vector<page_node> part_of_node(const array<char>& block) const {
    const std::vector<page_node> all = nodes_of_pages(block.data(), block.size());
    const std::size_t part = all.size() / domains();
    return {all.begin() + static_cast<std::ptrdiff_t>(*domain_ * part + 1),
            all.begin() + static_cast<std::ptrdiff_t>((*domain_ + 1) * part - 1)};
  }

  static std::size_t domains() { return live_machine()->domains().size(); }

  unsigned node_;
  std::optional<std::size_t> domain_;  // the domain whose home is the node
  const share_list even_ = borders_of(share_weights(domains(), 1));
  config settings_ = config::from_environment();
  runtime rt_{settings_, scheduler_with(settings_, std::make_shared<std::atomic<const share_list*>>(&even_))};
  verdict result_;
};

/// Runs in a process of its own, because every later report repeats an earlier shortfall.
int run_strictly(unsigned node) {
  verdict result;
  config settings = config::from_environment();
  settings.strict = true;
  const share_list even = borders_of(share_weights(live_machine()->domains().size(), 1));
  const std::uint64_t bytes = free_bytes(node) + more_than_free;
  runtime strict(settings, scheduler_with(settings, std::make_shared<std::atomic<const share_list*>>(&even)));
  const auto expect_refusal = [&](const char* what, const std::function<void()>& act) {
    const std::string refused = test::message_of(act);
    if (refused.find(too_little(node)) == std::string::npos) result.fault("{}: refused: {}", what, refused);
  };
  expect_refusal("a bound block", [&] { array<char> block(bytes, {.where = placing::bound_to(node)}); });
  if (domain_at_home_on(node)) {
    array<char> block(bytes * live_machine()->domains().size());
    expect_refusal("a planned block", [&] { strict.run([] { region("strict", [] { fork_join([] {}, [] {}); }); }); });
  }
  fmt::print("refused\n");
  return result.status();
}

int run(unsigned node) {
  full_node checked(node);
  fmt::print("node {} has {} KiB free; ", node, free_bytes(node) >> 10);
  checked.check();
  return checked.status();
}

}  // namespace
}  // namespace nearfork::lab

int main(int count, char** arguments) {
  const bool strict = count == 3 && std::string_view(arguments[2]) == "--strict";
  if (count != 2 && !strict) {
    fmt::print("usage: full_node NODE [--strict]\n");
    return 2;
  }
  return nearfork::lab::exit_status_of([&] {
    const auto node = static_cast<unsigned>(std::atoi(arguments[1]));
    return strict ? nearfork::lab::run_strictly(node) : nearfork::lab::run(node);
  });
}
