// How long the workers of each domain are without work, in virtual time.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>
#include <vector>

#include "plan/crew/worker_layout.hpp"

namespace nearfork::sim {

class wait_meter {
 public:
  /// All are without work, since time 0.
  explicit wait_meter(const worker_layout& layout)
      : layout_(layout), since_ps_(layout.workers(), 0), waited_ps_(layout.domains(), 0) {}

  void begin_iteration(std::uint64_t now_ps) {
    began_ps_ = now_ps;
    std::ranges::fill(waited_ps_, 0);
  }
  /// The worker has no work any more, unless it had none before.
  void begin(std::uint32_t worker, std::uint64_t now_ps) noexcept {
    if (!since_ps_[worker]) since_ps_[worker] = now_ps;
  }
  /// From `then_ps` on the worker has work.
  void end(std::uint32_t worker, std::uint64_t then_ps) noexcept {
    if (!since_ps_[worker]) return;
    waited_ps_[layout_.domain_of(worker)] += then_ps - std::max(began_ps_, *since_ps_[worker]);
    since_ps_[worker].reset();
  }
  /// How long workers of each domain waited in the present iteration. A worker that still waits counts until now.
  [[nodiscard]] std::vector<std::uint64_t> waited_ps(std::uint64_t now_ps) const {
    std::vector<std::uint64_t> all = waited_ps_;
    for (std::uint32_t worker = 0; worker < layout_.workers(); ++worker)
      if (since_ps_[worker]) all[layout_.domain_of(worker)] += now_ps - std::max(began_ps_, *since_ps_[worker]);
    return all;
  }

 private:
  const worker_layout& layout_;
  std::uint64_t began_ps_ = 0;
  std::vector<std::optional<std::uint64_t>> since_ps_;  // by worker; none: it has work
  std::vector<std::uint64_t> waited_ps_;                // by domain
};

}  // namespace nearfork::sim
