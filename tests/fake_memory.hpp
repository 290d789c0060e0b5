// A system with memory nodes of given size. No test may access its addresses: touch() touches pages instead.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <utility>
#include <vector>

#include "memory/system/os_memory.hpp"

namespace nearfork::test {

/// The state that tests look at and change; the os_memory given to placed_memory only points to it.
struct fake_nodes {
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t huge = std::size_t{2} << 20;
  using address = std::uintptr_t;

  struct policy {
    page_policy how = page_policy::first_touch;
    std::vector<int> nodes{};
    friend bool operator==(const policy&, const policy&) = default;
  };
  struct mapping {
    std::size_t bytes = 0;
    std::size_t reserved = 0;
    huge_pages advice = huge_pages::by_system;
  };

  explicit fake_nodes(std::vector<std::uint64_t> pages_of_node) : capacity(std::move(pages_of_node)) {}

  std::vector<std::uint64_t> capacity;  // in pages, by the system's number
  std::map<address, mapping> mapped{};
  std::map<address, int> lies{};  // touched pages, by the node that they lie on
  std::set<address> aside{};      // touched pages that are set aside: the system may take them
  std::map<address, policy> policies{};
  address next = address{1} << 40;
  int refuse_map = 0;
  int refuse_map_while_mapped = 0;  // as under a limit on addresses
  int refuse_policy = 0;
  int refuse_locate = 0;
  int refuse_move = 0;
  int refuse_aside = 0;
  std::set<page_policy> unknown_policies{};
  bool weighted = false;
  std::vector<unsigned> kernel_weights{};  // by node; empty: all 1
  bool knows_free = true;
  grant balances{"NUMA balancing", "", grant_state::granted, "off", ""};
  grant huge_granted{"huge pages", "", grant_state::granted, "", ""};
  std::uint64_t policy_calls = 0;
  mutable std::uint64_t free_calls = 0;
  std::uint64_t located_pages = 0;
  std::uint64_t moved_pages = 0;
  bool out_of_memory = false;  // no node had room for a touched page

  [[nodiscard]] std::uint64_t used(int node) const {
    return static_cast<std::uint64_t>(std::ranges::count_if(lies, [&](const auto& one) { return one.second == node; }));
  }
  [[nodiscard]] bool has_room(int node) const { return used(node) < capacity[static_cast<std::size_t>(node)]; }
  /// Takes a page that was set aside if the node is full.
  [[nodiscard]] bool make_room(int node) {
    if (has_room(node)) return true;
    const auto taken = std::ranges::find_if(aside, [&](address at) { return lies.at(at) == node; });
    if (taken == aside.end()) return false;
    lies.erase(*taken);
    aside.erase(taken);
    return true;
  }
  [[nodiscard]] policy policy_of(address at) const {
    const auto found = policies.find(at);
    return found == policies.end() ? policy{} : found->second;
  }

  /// The first with room in the order of distance, where node numbers tell how far nodes lie apart.
  [[nodiscard]] int nearest_of(std::vector<int> nodes, int local) const {
    std::stable_sort(nodes.begin(), nodes.end(),
                     [&](int a, int b) { return std::abs(a - local) < std::abs(b - local); });
    const auto free = std::ranges::find_if(nodes, [&](int one) { return has_room(one); });
    return free == nodes.end() ? nodes.front() : *free;
  }
  /// A thread beside `local` writes to the page.
  void touch(const void* where, int local) {
    const address at = reinterpret_cast<address>(where) / page * page;
    aside.erase(at);
    if (lies.contains(at)) return;
    const policy how = policy_of(at);
    int wanted = local;
    if (how.how == page_policy::bind) wanted = nearest_of(how.nodes, local);
    else if (!how.nodes.empty()) wanted = how.nodes[at / page % how.nodes.size()];
    std::optional<int> got;
    if (make_room(wanted)) got = wanted;
    for (int node = 0; !got && how.how != page_policy::bind && node < static_cast<int>(capacity.size()); ++node)
      if (make_room(node)) got = node;
    if (got) lies[at] = *got;
    else out_of_memory = true;
  }
  [[nodiscard]] int node_at(const void* where) const {
    const auto found = lies.find(reinterpret_cast<address>(where) / page * page);
    return found == lies.end() ? -1 : found->second;
  }
};

class fake_memory final : public os_memory {
 public:
  explicit fake_memory(fake_nodes& nodes) : nodes_(nodes) {}

  std::size_t page_bytes() const noexcept override { return fake_nodes::page; }
  std::size_t huge_page_bytes() const noexcept override { return fake_nodes::huge; }

  mapped_memory map(std::size_t bytes, std::size_t reserved, std::size_t alignment) override {
    if (nodes_.refuse_map != 0) return {nullptr, nodes_.refuse_map};
    if (nodes_.refuse_map_while_mapped != 0 && !nodes_.mapped.empty()) return {nullptr, nodes_.refuse_map_while_mapped};
    const auto begin = (nodes_.next + alignment - 1) / alignment * alignment;
    nodes_.next = begin + reserved;
    nodes_.mapped[begin] = {bytes, reserved};
    return {reinterpret_cast<std::byte*>(begin), 0};
  }
  int set_aside(std::byte* begin, std::size_t bytes) noexcept override {
    if (nodes_.refuse_aside != 0) return nodes_.refuse_aside;
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    for (const auto& [page, node] : nodes_.lies)
      if (page >= at && page < at + bytes) nodes_.aside.insert(page);
    return 0;
  }
  void lay_down(std::byte*, std::size_t) noexcept override {}
  void take_up(std::byte*, std::size_t) noexcept override {}
  void unmap(std::byte* begin, std::size_t reserved) noexcept override {
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    std::erase_if(nodes_.aside, [&](std::uintptr_t one) { return one >= at && one < at + reserved; });
    std::erase_if(nodes_.lies, [&](const auto& one) { return one.first >= at && one.first < at + reserved; });
    std::erase_if(nodes_.policies, [&](const auto& one) { return one.first >= at && one.first < at + reserved; });
    nodes_.mapped.erase(at);
  }
  int set_policy(std::byte* begin, std::size_t bytes, page_policy how, std::span<const os_index> nodes) override {
    ++nodes_.policy_calls;
    if (nodes_.refuse_policy != 0) return nodes_.refuse_policy;
    if (nodes_.unknown_policies.contains(how)) return EINVAL;
    if ((how == page_policy::first_touch) != nodes.empty()) return EINVAL;
    std::vector<int> numbers;
    for (const os_index node : nodes) {
      if (number_of(node) >= nodes_.capacity.size()) return EINVAL;
      numbers.push_back(static_cast<int>(number_of(node)));
    }
    const auto at = reinterpret_cast<std::uintptr_t>(begin);
    if (at % fake_nodes::page != 0) return EINVAL;
    for (std::uintptr_t page = at; page < at + bytes; page += fake_nodes::page) {
      if (!is_mapped(page)) return EFAULT;
      nodes_.policies[page] = {how, numbers};
    }
    return 0;
  }
  int locate(std::span<std::byte* const> pages, std::span<int> into) const override {
    if (nodes_.refuse_locate != 0) return nodes_.refuse_locate;
    nodes_.located_pages += pages.size();
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const int node = nodes_.node_at(pages[i]);
      into[i] = node < 0 ? -ENOENT : node;
    }
    return 0;
  }
  int move(std::span<std::byte* const> pages, std::span<const int> to, std::span<int> outcomes) override {
    if (nodes_.refuse_move != 0) return nodes_.refuse_move;
    for (std::size_t i = 0; i < pages.size(); ++i) {
      const int node = nodes_.node_at(pages[i]);
      outcomes[i] = node < 0 ? -ENOENT : node;
      if (node < 0 || node == to[i]) continue;
      if (!nodes_.make_room(to[i])) {
        outcomes[i] = -ENOMEM;
        continue;
      }
      outcomes[i] = nodes_.lies[reinterpret_cast<std::uintptr_t>(pages[i])] = to[i];
      ++nodes_.moved_pages;
    }
    return 0;
  }
  int advise(std::byte* begin, std::size_t, huge_pages how) override {
    nodes_.mapped[reinterpret_cast<std::uintptr_t>(begin)].advice = how;
    return 0;
  }
  std::optional<std::uint64_t> free_bytes(os_index node) const override {
    ++nodes_.free_calls;
    if (!nodes_.knows_free) return std::nullopt;
    const int number = static_cast<int>(number_of(node));
    const auto aside = static_cast<std::uint64_t>(
        std::ranges::count_if(nodes_.aside, [&](std::uintptr_t at) { return nodes_.lies.at(at) == number; }));
    return (nodes_.capacity[number_of(node)] - nodes_.used(number) + aside) * fake_nodes::page;
  }
  bool has_weighted_interleave() const override { return nodes_.weighted; }
  std::optional<unsigned> interleave_weight(os_index node) const override {
    if (!nodes_.weighted) return std::nullopt;
    return number_of(node) < nodes_.kernel_weights.size() ? nodes_.kernel_weights[number_of(node)] : 1;
  }
  grant balancing() const override { return nodes_.balances; }
  grant huge_pages_granted() const override { return nodes_.huge_granted; }

 private:
  [[nodiscard]] bool is_mapped(std::uintptr_t page) const {
    const auto after = nodes_.mapped.upper_bound(page);
    return after != nodes_.mapped.begin() && page < std::prev(after)->first + std::prev(after)->second.reserved;
  }
  fake_nodes& nodes_;
};

}  // namespace nearfork::test
