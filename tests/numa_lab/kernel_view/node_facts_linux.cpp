#include "numa_lab/kernel_view/node_facts.hpp"

#include <fstream>
#include <iterator>
#include <sstream>
#include <stdexcept>
#include <string>

namespace nearfork::lab {
namespace {

std::string folder_of(unsigned node) {
  return "/sys/devices/system/node/node" + std::to_string(node);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// The numbers of a list such as "0-1,3".
std::vector<unsigned> numbers_of(const std::string& list) {
  std::vector<unsigned> numbers;
  std::istringstream parts(list);
  for (std::string part; std::getline(parts, part, ',');) {
    unsigned first = 0;
    unsigned last = 0;
    char dash = 0;
    std::istringstream range(part);
    if (!(range >> first)) continue;
    if (!(range >> dash >> last)) last = first;
    for (unsigned one = first; one <= last; ++one) numbers.push_back(one);
  }
  return numbers;
}

/// "Node 0 MemFree:        123456 kB"
std::uint64_t meminfo(unsigned node, const std::string& name) {
  const std::string text = text_of(folder_of(node) + "/meminfo");
  const auto at = text.find(name + ":");
  if (at == text.npos) throw std::runtime_error("node " + std::to_string(node) + " tells no " + name);
  return std::stoull(text.substr(at + name.size() + 1)) << 10;
}

}  // namespace

std::vector<unsigned> nodes_with_memory() {
  return numbers_of(text_of("/sys/devices/system/node/has_memory"));
}

/// The file lists the distances to all nodes that are online, in their order.
unsigned distance_between(unsigned from, unsigned to) {
  const std::vector<unsigned> online = numbers_of(text_of("/sys/devices/system/node/online"));
  std::istringstream distances(text_of(folder_of(from) + "/distance"));
  for (const unsigned node : online) {
    unsigned distance = 0;
    if (!(distances >> distance)) break;
    if (node == to) return distance;
  }
  throw std::runtime_error("no distance from node " + std::to_string(from) + " to node " + std::to_string(to));
}

std::uint64_t capacity_bytes(unsigned node) {
  return meminfo(node, "MemTotal");
}

std::uint64_t free_bytes(unsigned node) {
  return meminfo(node, "MemFree");
}

std::optional<std::uint64_t> bandwidth_mib_per_s(unsigned node) {
  std::ifstream file(folder_of(node) + "/access0/initiators/read_bandwidth");
  std::uint64_t bandwidth = 0;
  if (!(file >> bandwidth) || bandwidth == 0) return std::nullopt;
  return bandwidth;
}

bool set_interleave_weight(unsigned node, unsigned weight) {
  std::ofstream file("/sys/kernel/mm/mempolicy/weighted_interleave/node" + std::to_string(node));
  file << weight;
  file.close();
  return !file.fail();
}

}  // namespace nearfork::lab
