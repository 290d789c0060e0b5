#include "memory/system/span_source.hpp"

#include <cerrno>
#include <new>
#include <utility>
#include <vector>

#include "machine/model/machine.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {
namespace {

class system_span_source final : public span_source {
 public:
  system_span_source(const machine& of, std::unique_ptr<os_memory> system) : system_(std::move(system)) {
    for (const memory_node& node : of.nodes()) nodes_.push_back(node.os);
  }

  taken_span take(node_id node) noexcept override {
    try {
      return take_on(nodes_[index_of_id(node)]);
    } catch (const std::bad_alloc&) {
      return {.errno_value = ENOMEM};
    }
  }

  void give_back(void* start) noexcept override { system_->unmap(static_cast<std::byte*>(start), span_bytes); }

 private:
  taken_span take_on(os_index wanted) {
    const mapped_memory got = system_->map(span_bytes, span_bytes, span_bytes);
    if (got.begin == nullptr) return {.errno_value = got.error_number};
    if (nodes_.size() < 2) return {.start = got.begin};  // there is no other node
    // Prefer and not bind: on a full bound node a page fault would end in the OOM killer, and not in an error that can
    // be handled.
    const int refused = system_->set_policy(got.begin, span_bytes, page_policy::prefer, {&wanted, 1});
    *got.begin = std::byte{};  // the first page comes from the node that the others will come from
    if (refused != 0) return {got.begin, span_binding::first_touch, refused};
    if (lies_on(got.begin, wanted)) return {.start = got.begin};
    give_back(got.begin);
    return {.errno_value = ENOMEM};
  }

  /// With page_policy::prefer the kernel silently falls back to another node. If asking is denied, the answer to the
  /// policy must do.
  [[nodiscard]] bool lies_on(std::byte* page, os_index wanted) const {
    int node = -1;
    if (system_->locate({&page, 1}, {&node, 1}) != 0) return true;
    return node == static_cast<int>(number_of(wanted));
  }

  std::unique_ptr<os_memory> system_;
  std::vector<os_index> nodes_;
};

}  // namespace

std::unique_ptr<span_source> system_spans(const machine& of) {
  return std::make_unique<system_span_source>(of, live_memory_system());
}

}  // namespace nearfork
