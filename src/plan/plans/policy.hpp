// A policy: it makes a plan from what is known, and says where free workers look for work. It is pure, without state of
// its own. So the runtime and the simulator may share one object, and the same facts give the same plan.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "plan/clocks/clock_sharing.hpp"
#include "plan/crew/policy_needs.hpp"
#include "plan/plans/plan.hpp"
#include "plan/profile/profile.hpp"
#include "plan/search/search_order.hpp"

namespace nearfork {

class machine;

/// What is known of a region before it runs.
struct region_facts {
  std::string name;
  std::uint64_t input_bytes = 0;  // how many an iteration works on; 0: not known
};

/// In the profiling iteration of a region costs are recorded. If first touch places the pages, tasks stay at home then.
enum class phase : std::uint8_t { running, profiling };
inline constexpr std::size_t phases = 2;
[[nodiscard]] constexpr std::size_t index_of(phase now) noexcept {
  return static_cast<std::size_t>(now);
}

class policy {
 public:
  policy() = default;
  policy(const policy&) = delete;
  policy& operator=(const policy&) = delete;
  virtual ~policy() = default;

  [[nodiscard]] virtual std::string_view name() const = 0;
  [[nodiscard]] virtual policy_needs needs() const = 0;

  /// The plan for a region's first iteration, before anything was measured.
  [[nodiscard]] virtual plan first(const machine& where, const region_facts& facts) const = 0;
  /// The plan after an iteration. `measured` has all iterations, the newest last.
  [[nodiscard]] virtual plan next(const machine& where, const profile& measured, const plan& previous) const = 0;
  /// True if the machine, or what else runs on it, has changed so much since `settled` was made that its search should
  /// begin anew. Asked after iterations under a settled plan.
  [[nodiscard]] virtual bool has_outlived(const machine&, const profile&, const plan& /*settled*/) const {
    return false;
  }
  /// True if the search should begin anew because the plan is slower than its trial promised. Asked as has_outlived(),
  /// but sooner.
  [[nodiscard]] virtual bool regrets(const profile&, const plan& /*settled*/) const { return false; }
  /// How much longer plain stealing took in its trial than the plan that won, as a part of the plan's time; at least 0.
  /// nullopt: they were not compared. Asked as has_outlived().
  [[nodiscard]] virtual std::optional<double> plain_excess(const profile&, const plan& /*settled*/) const {
    return std::nullopt;
  }
  [[nodiscard]] virtual search_order order(const machine& where, phase now) const = 0;
  /// How the power of the cores is to be shared out, where clocks can be set.
  [[nodiscard]] virtual clock_sharing clocks(const machine&) const { return clock_sharing::none; }
  /// True if a worker on a fast core that finds no work takes over the task of a worker on a slow core.
  [[nodiscard]] virtual bool mugs() const { return false; }
};

/// The policy called `name`. Throws: nearfork::error that lists the known names. See also nearfork::policy_names().
[[nodiscard]] std::unique_ptr<policy> make_policy(std::string_view name);

}  // namespace nearfork
