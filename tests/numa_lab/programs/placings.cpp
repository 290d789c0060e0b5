// Does each rule for blocks put their pages on the nodes that it names? Checks all nodes that have memory, with cores
// or without.
#include <algorithm>
#include <cmath>
#include <exception>
#include <map>
#include <numeric>
#include <stdexcept>
#include <string>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "machine/model/machine.hpp"
#include "numa_lab/kernel_view/node_facts.hpp"
#include "numa_lab/kernel_view/page_nodes.hpp"
#include "numa_lab/placed_heat.hpp"

namespace nearfork::lab {
namespace {

constexpr std::size_t pages_on_one = 96;  // more than the pools and the heap serve
constexpr std::size_t pages_of_parts = 960;

template <class Memory>
std::vector<page_node> touched_nodes(Memory& bytes) {
  for (std::size_t at = 0; at < bytes.size(); at += page_bytes()) bytes[at] = 1;
  return nodes_of_pages(bytes.data(), bytes.size());
}

std::vector<page_node> nodes_under(const placing& rule, std::size_t pages) {
  array<char> bytes(pages * page_bytes(), {.where = rule, .huge = huge_pages::never});
  return touched_nodes(bytes);
}

void expect_all_on(unsigned node, const std::string& rule, const std::vector<page_node>& found, verdict& result) {
  if (std::ranges::count(found, page_node(node)) != std::ssize(found))
    result.fault("{} node {}: {}", rule, node, counted(found));
}

void check_one_node(verdict& result) {
  for (const unsigned node : nodes_with_memory()) {
    expect_all_on(node, "bound to", nodes_under(placing::bound_to(node), pages_on_one), result);
    expect_all_on(node, "preferring", nodes_under(placing::preferring(node), pages_on_one), result);
    const memory_options options{.where = placing::bound_to(node)};
    std::vector<char, allocator<char>> filled(pages_on_one * page_bytes(), 'x', allocator<char>(options));
    expect_all_on(node, "a vector bound to", nodes_of_pages(filled.data(), filled.size()), result);
  }
}

/// Part i lies on nodes[i], beside the other parts, and is as large as its weight says, give or take a page.
void expect_parts(const std::string& rule, const std::vector<page_node>& found, const std::vector<unsigned>& nodes,
                  const std::vector<double>& weights, verdict& result) {
  const double sum = std::accumulate(weights.begin(), weights.end(), 0.0);
  std::size_t at = 0;
  double before = 0;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    before += weights[i] / sum * static_cast<double>(found.size());
    std::size_t pages = 0;
    for (; at < found.size() && found[at] == nodes[i]; ++at) ++pages;
    if (std::abs(static_cast<double>(at) - before) > 1)
      result.fault("{}: {} pages on node {} end at page {}, not at {:.1f}; {}", rule, pages, nodes[i], at, before,
                   counted(found));
  }
}

void check_given_weights(verdict& result) {
  const std::vector<unsigned> nodes = nodes_with_memory();
  // The last node first: the order is the program's, and where there are two kinds of memory the last node is not DRAM.
  const std::vector<unsigned> named{nodes.back(), nodes.front(), nodes[nodes.size() / 2]};
  const std::vector<double> weights{3, 1, 2};
  std::vector<node_weight> given;
  for (std::size_t i = 0; i < named.size(); ++i) given.push_back({named[i], weights[i]});
  expect_parts("by weights", nodes_under(placing::by_weights(given), pages_of_parts), named, weights, result);
}

/// The nodes in the order in which rules without names take them.
std::vector<unsigned> nodes_of_machine() {
  const std::vector<unsigned> have = nodes_with_memory();
  std::vector<unsigned> nodes;
  for (const memory_node& one : live_machine()->nodes())
    if (std::ranges::find(have, number_of(one.os)) != have.end()) nodes.push_back(number_of(one.os));
  if (nodes.size() != have.size()) throw std::runtime_error("the machine does not have the nodes that the kernel has");
  return nodes;
}

void check_capacity(verdict& result) {
  std::vector<double> weights;
  for (const unsigned node : nodes_of_machine()) weights.push_back(static_cast<double>(capacity_bytes(node)));
  expect_parts("by capacity", nodes_under(placing::by_capacity(), pages_of_parts), nodes_of_machine(), weights, result);
}

/// Expects even parts if firmware does not say how fast every node is. Returns what the spread went by.
const char* check_bandwidth(verdict& result) {
  std::vector<double> weights;
  for (const unsigned node : nodes_of_machine())
    if (const auto known = bandwidth_mib_per_s(node)) weights.push_back(static_cast<double>(*known));
  const bool known = weights.size() == nodes_of_machine().size();
  if (!known) weights.assign(nodes_of_machine().size(), 1);
  expect_parts("by bandwidth", nodes_under(placing::by_bandwidth(), pages_of_parts), nodes_of_machine(), weights,
               result);
  return known ? "bandwidths" : "even bandwidths";
}

/// The nodes take turns page by page, in any order: each has as many pages as its weight says, give or take one turn.
void expect_turns(const std::string& rule, const std::map<unsigned, unsigned>& weights, verdict& result) {
  unsigned turn = 0;
  for (const auto& [node, weight] : weights) turn += weight;
  const std::vector<page_node> found = nodes_under(placing::interleaved(), pages_of_parts);
  for (const auto& [node, weight] : weights) {
    const auto pages = static_cast<double>(std::ranges::count(found, page_node(node)));
    const double due = static_cast<double>(found.size()) * weight / turn;
    if (std::abs(pages - due) > weight)
      result.fault("{}: node {} has {} pages, {:.1f} are due", rule, node, pages, due);
  }
  const auto begin = found.begin() + std::ssize(found) / 2;
  std::map<page_node, unsigned> of_turn;
  for (auto page = begin; page != begin + turn; ++page) ++of_turn[*page];
  if (of_turn.size() != weights.size())
    result.fault("{}: a turn of {} pages lies on {} nodes: {}", rule, turn, of_turn.size(),
                 counted({begin, begin + turn}));
}

/// Weights are 1 unless a user sets them. Returns which interleaving this kernel has.
const char* check_interleaving(verdict& result) {
  std::map<unsigned, unsigned> weights;
  for (const unsigned node : nodes_with_memory()) weights[node] = 1;
  expect_turns("interleaved", weights, result);
  bool weighted = true;
  for (auto& [node, weight] : weights) weighted = weighted && set_interleave_weight(node, weight = 1 + node % 3);
  if (!weighted) return "plain interleaving";
  expect_turns("interleaved by the kernel's weights", weights, result);
  for (const auto& [node, weight] : weights) set_interleave_weight(node, 0);  // the kernel's default again
  return "weighted interleaving";
}

/// All that was requested is there: only missing bandwidths may be on the report.
void check_report(verdict& result) {
  for (const degradation& one : process_runtime().report().degradations)
    if (one.what.find("memory") != one.what.npos && one.what.find("bandwidth") == one.what.npos)
      result.fault("the report says: {}, {}: {}", one.what, one.where, one.why);
}

int run() {
  verdict result;
  (void)process_runtime();  // memory is as strict as the runtimes that live
  check_one_node(result);
  check_given_weights(result);
  check_capacity(result);
  const char* const bandwidth = check_bandwidth(result);
  const char* const interleaving = check_interleaving(result);
  check_report(result);
  fmt::print("{} nodes, {}, {}\n", nodes_with_memory().size(), bandwidth, interleaving);
  return result.status();
}

}  // namespace
}  // namespace nearfork::lab

int main() {
  return nearfork::lab::exit_status_of([&] { return nearfork::lab::run(); });
}
