// Pages in use by the kernel's marks: /proc/self/clear_refs takes the marks of all pages away, and /proc/self/smaps
// tells for each mapping how many pages have been marked again. Each chunk is made a mapping of its own meanwhile.
//
// The kernel does not tell the processors that the marks are gone. A processor that still knows where a page lies does
// not mark the page again, so translations must be forgotten, too.
#pragma once

#include <memory>
#include <vector>

#include "sensors/hotness/hotness_system.hpp"

namespace nearfork {

class clear_refs_source final : public heat_source {
 public:
  explicit clear_refs_source(std::shared_ptr<hotness_system> on) : system_(std::move(on)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "clear_refs"; }
  [[nodiscard]] std::optional<heat_refusal> try_out() override;
  [[nodiscard]] std::optional<heat_refusal> begin(std::span<const address_range> chunks) override;
  [[nodiscard]] std::optional<heat_refusal> open_window() override;
  [[nodiscard]] std::optional<heat_refusal> close_window(std::span<double> heat) override;
  void end() noexcept override;

 private:
  enum class mark : std::uint8_t { name, no_dump };
  [[nodiscard]] int keep_apart(address_range chunk, bool apart) noexcept;
  [[nodiscard]] int choose_mark(address_range page) noexcept;

  std::shared_ptr<hotness_system> system_;
  std::vector<address_range> chunks_;
  mark by_ = mark::name;
};

}  // namespace nearfork
