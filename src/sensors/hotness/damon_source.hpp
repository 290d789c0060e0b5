// Pages in use as DAMON sees them: a thread of the kernel that looks at one page of each region of addresses, and cuts
// regions finer where their use differs. Set up by files below /sys/kernel/mm/damon, as root; the regions can be read
// since Linux 6.2.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "sensors/hotness/hotness_system.hpp"

namespace nearfork {

class damon_source final : public heat_source {
 public:
  explicit damon_source(std::shared_ptr<hotness_system> on) : system_(std::move(on)) {}
  ~damon_source() override { end(); }

  [[nodiscard]] std::string_view name() const noexcept override { return "damon"; }
  [[nodiscard]] std::optional<heat_refusal> try_out() override;
  [[nodiscard]] std::optional<heat_refusal> begin(std::span<const address_range> chunks) override;
  [[nodiscard]] std::optional<heat_refusal> open_window() override { return std::nullopt; }
  [[nodiscard]] std::optional<heat_refusal> close_window(std::span<double> heat) override;
  void end() noexcept override;
  [[nodiscard]] std::uint64_t least_window_ns() const noexcept override;
  /// What the kernel's thread has run, 0 where the kernel does not tell; and the threads of close_window().
  [[nodiscard]] std::uint64_t cost_elsewhere_ns() override;

 private:
  struct setting {
    std::string file;
    std::string text;
  };
  [[nodiscard]] std::optional<heat_refusal> take();
  [[nodiscard]] std::optional<heat_refusal> write_all(const std::vector<setting>& all);
  [[nodiscard]] std::vector<setting> settings_for(std::span<const address_range> regions) const;

  std::shared_ptr<hotness_system> system_;
  std::vector<address_range> chunks_;
  std::string operations_{};  // of DAMON: where its regions come from
  bool taken_ = false;        // its files are ours
  std::uint64_t forgetting_ns_ = 0;
};

}  // namespace nearfork
