#include "memory/system/span_source.hpp"

#include <utility>

#include "memory/system/chunk_source.hpp"
#include "memory/system/os_memory.hpp"

namespace nearfork {
namespace {

class system_span_source final : public span_source {
 public:
  explicit system_span_source(std::unique_ptr<chunk_source> chunks) : chunks_(std::move(chunks)) {}

  taken_span take(node_id node) noexcept override {
    const taken_chunk got = chunks_->take(node, span_bytes, span_bytes);
    // The thread that takes an unbound span also touches it first.
    if (got.binding == span_binding::first_touch) *got.start = std::byte{};
    return {got.start, got.binding, got.errno_value};
  }
  void give_back(void* start) noexcept override { chunks_->give_back(static_cast<std::byte*>(start), span_bytes); }

 private:
  std::unique_ptr<chunk_source> chunks_;
};

}  // namespace

std::unique_ptr<span_source> system_spans(const machine& of) {
  return std::make_unique<system_span_source>(system_chunks(of, live_os_memory()));
}

}  // namespace nearfork
