// Pages in use by the kernel's idle marks: /sys/kernel/mm/page_idle/bitmap, as root. A few pages of each chunk are
// looked at (BATS, section 5.2), whose numbers /proc/self/pagemap tells.
#pragma once

#include <memory>
#include <vector>

#include "base/rng.hpp"
#include "sensors/hotness/hotness_system.hpp"

namespace nearfork {

class page_idle_source final : public heat_source {
 public:
  explicit page_idle_source(std::shared_ptr<hotness_system> on) : system_(std::move(on)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "page_idle"; }
  [[nodiscard]] std::optional<heat_refusal> try_out() override;
  [[nodiscard]] std::optional<heat_refusal> begin(std::span<const address_range> chunks) override;
  [[nodiscard]] std::optional<heat_refusal> open_window() override;
  [[nodiscard]] std::optional<heat_refusal> close_window(std::span<double> heat) override;
  void end() noexcept override;

 private:
  struct sampled_page {
    std::size_t chunk;
    std::uint64_t frame;  // the kernel's number of the page
  };
  [[nodiscard]] std::optional<heat_refusal> open_files();
  void sample(std::size_t chunk);

  std::shared_ptr<hotness_system> system_;
  std::unique_ptr<word_file> frames_;
  std::unique_ptr<word_file> idle_;
  std::vector<address_range> chunks_;
  std::vector<sampled_page> watched_;      // in this window
  std::vector<std::uint32_t> watched_of_;  // by chunk
  rng random_{1};
};

}  // namespace nearfork
