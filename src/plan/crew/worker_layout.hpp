// Workers as plans see them: numbered from 0, each in a domain, with a distance between each two.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include <nearfork/detail/steal_distance.hpp>

#include "plan/crew/core_sides.hpp"

namespace nearfork {

/// Which of its domain's workers one is.
struct worker_rank {
  std::uint32_t number = 0;
  std::uint32_t of = 1;
};

class worker_layout {
 public:
  /// `domain_of`: the domain of each worker; domains are numbered from 0, and none is empty. `distances`: row by row,
  /// the steal_distance of each pair as a number; it is symmetric. `sides`: of the domains; empty: all alike.
  worker_layout(std::vector<std::uint32_t> domain_of, std::vector<std::uint8_t> distances, core_sides sides = {});

  [[nodiscard]] std::uint32_t workers() const noexcept { return static_cast<std::uint32_t>(domain_of_.size()); }
  [[nodiscard]] std::uint32_t domains() const noexcept { return static_cast<std::uint32_t>(workers_of_.size()); }
  [[nodiscard]] std::uint32_t domain_of(std::uint32_t worker) const noexcept { return domain_of_[worker]; }
  /// In ascending order.
  [[nodiscard]] std::span<const std::uint32_t> workers_of(std::uint32_t domain) const noexcept {
    return workers_of_[domain];
  }
  [[nodiscard]] worker_rank rank_of(std::uint32_t worker) const noexcept {
    return {rank_of_[worker], static_cast<std::uint32_t>(workers_of_[domain_of_[worker]].size())};
  }
  /// The head of a domain: the one worker that takes from pools, if a step says so.
  [[nodiscard]] std::uint32_t head_of(std::uint32_t domain) const noexcept { return workers_of_[domain].front(); }
  [[nodiscard]] bool is_head(std::uint32_t worker) const noexcept { return head_of(domain_of_[worker]) == worker; }
  [[nodiscard]] std::uint8_t distance(std::uint32_t a, std::uint32_t b) const noexcept {
    return distances_[std::size_t{a} * domain_of_.size() + b];
  }
  /// Calls try_worker(index) for the workers of the domain of `from`, then for those of the other domains of its node,
  /// its package and the machine, each time in ascending order, until a call returns true. Returns whether one did.
  /// So the same few workers are woken by few tasks, wherever these begin, and find their data in their caches.
  template <class Try>
  bool try_near(std::uint32_t from, const Try& try_worker) const {
    const auto try_domain = [&](std::uint32_t domain) { return std::ranges::any_of(workers_of(domain), try_worker); };
    const std::uint32_t own = domain_of(from);
    if (try_domain(own)) return true;
    for (const steal_distance circle : {steal_distance::node, steal_distance::package, steal_distance::machine})
      for (std::uint32_t domain = 0; domain < domains(); ++domain)
        if (domain != own && circle_of(from, domain) == circle && try_domain(domain)) return true;
    return false;
  }
  [[nodiscard]] bool is_big(std::uint32_t domain) const noexcept {
    return domain >= sides_.is_big.size() || sides_.is_big[domain];
  }
  /// True if domains have cores of unequal speed.
  [[nodiscard]] bool sides_differ() const noexcept { return sides_.differ(); }

 private:
  [[nodiscard]] steal_distance circle_of(std::uint32_t from, std::uint32_t domain) const noexcept {
    return std::max(steal_distance{distance(from, head_of(domain))}, steal_distance::node);
  }

  std::vector<std::uint32_t> domain_of_;
  std::vector<std::uint8_t> distances_;
  std::vector<std::vector<std::uint32_t>> workers_of_;
  std::vector<std::uint32_t> rank_of_;  // among the workers of its domain
  core_sides sides_;
};

}  // namespace nearfork
