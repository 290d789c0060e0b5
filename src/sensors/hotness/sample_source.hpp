// Accesses to memory sampled by the processor: PEBS of Intel, IBS of AMD. Each sample has the address of the data and
// tells where they came from; those that came from memory count.
#pragma once

#include <memory>
#include <optional>
#include <vector>

#include "sensors/hotness/hotness_system.hpp"
#include "sensors/hotness/sample_system.hpp"

namespace nearfork {

struct sampling_choice {
  std::optional<sampling_event> event;
  heat_refusal refused{};  // if there is none
};

/// The event of the processor, from the files below /sys/bus/event_source/devices.
[[nodiscard]] sampling_choice sampling_event_of(const system_files& files);

class sample_source final : public heat_source {
 public:
  sample_source(std::shared_ptr<hotness_system> on, std::unique_ptr<sample_system> samples)
      : system_(std::move(on)), samples_(std::move(samples)) {}

  [[nodiscard]] std::string_view name() const noexcept override { return "samples"; }
  [[nodiscard]] std::optional<heat_refusal> try_out() override;
  /// Samples the threads that the process has now.
  [[nodiscard]] std::optional<heat_refusal> begin(std::span<const address_range> chunks) override;
  [[nodiscard]] std::optional<heat_refusal> open_window() override;
  [[nodiscard]] std::optional<heat_refusal> close_window(std::span<double> heat) override;
  void end() noexcept override;
  /// About what the processor and the kernel take for the samples.
  [[nodiscard]] std::uint64_t cost_elsewhere_ns() override;

 private:
  [[nodiscard]] std::optional<heat_refusal> open_rings();

  std::shared_ptr<hotness_system> system_;
  std::unique_ptr<sample_system> samples_;
  std::vector<std::unique_ptr<sample_ring>> rings_;
  std::vector<address_range> chunks_;
  std::uint64_t taken_ = 0;
};

}  // namespace nearfork
