#include "memory/system/chunk_source.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {
namespace {

class system_chunk_source final : public chunk_source {
 public:
  system_chunk_source(const machine& of, std::unique_ptr<os_memory> system) : system_(std::move(system)) {
    for (const memory_node& node : of.nodes()) nodes_.push_back(node.os);
  }

  taken_chunk take(node_id node, std::size_t bytes, std::size_t alignment) noexcept override {
    try {
      return take_on(nodes_[index_of_id(node)], bytes, alignment);
    } catch (const std::bad_alloc&) {
      return {.errno_value = ENOMEM};
    }
  }
  void give_back(std::byte* start, std::size_t bytes) noexcept override { system_->unmap(start, bytes); }

  page_place place_of(const void* address) noexcept override {
    const std::uintptr_t page = reinterpret_cast<std::uintptr_t>(address) / system_->page_bytes();
    auto* const asked = reinterpret_cast<std::byte*>(page * system_->page_bytes());
    int number = -1;
    if (const int refused = system_->locate({&asked, 1}, {&number, 1}); refused != 0) return {std::nullopt, refused};
    if (number < 0) return {};
    const auto found = std::ranges::find(nodes_, os_index{static_cast<std::uint32_t>(number)});
    if (found == nodes_.end()) return {};
    return {node_id{static_cast<std::uint32_t>(found - nodes_.begin())}};
  }

 private:
  taken_chunk take_on(os_index wanted, std::size_t bytes, std::size_t alignment) {
    const mapped_memory got = system_->map(bytes, bytes, alignment);
    if (got.begin == nullptr) return {.errno_value = got.error_number};
    if (nodes_.size() < 2) return {.start = got.begin};  // there is no other node
    // Prefer and not bind: on a full bound node a page fault would end in the OOM killer, and not in an error that can
    // be handled. With prefer the kernel silently falls back to another node.
    const int refused = system_->set_policy(got.begin, bytes, page_policy::prefer, {&wanted, 1});
    // The task that fills the block touches its pages first.
    if (refused != 0) return {got.begin, span_binding::first_touch, refused};
    *got.begin = std::byte{};  // the first page comes from the node that the others will come from
    int node = -1;
    auto* const first = got.begin;
    const bool asked = system_->locate({&first, 1}, {&node, 1}) == 0;
    // If asking is denied, the answer to the policy must do.
    if (!asked || node == static_cast<int>(number_of(wanted))) return {.start = got.begin};
    give_back(got.begin, bytes);
    return {.errno_value = ENOMEM};
  }

  std::unique_ptr<os_memory> system_;
  std::vector<os_index> nodes_;
};

}  // namespace

std::unique_ptr<chunk_source> system_chunks(const machine& of, std::unique_ptr<os_memory> system) {
  return std::make_unique<system_chunk_source>(of, std::move(system));
}

}  // namespace nearfork
