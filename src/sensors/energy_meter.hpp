// The energy that each package takes: Intel's and AMD's RAPL counters, by powercap, else by perf_event.
//
// The counters see all that runs on a package, whoever started it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "base/files/system_files.hpp"
#include "sensors/energy_events.hpp"

namespace nearfork {

/// Why no energy is measured, and what to do about it.
struct energy_refusal {
  std::string where;
  std::string why;
  std::string remedy;
};

/// How package counters are opened: open_package_counter(), or a fake.
using package_counter_opener = std::function<package_counter_opening(const event_code& event, int cpu)>;

/// What was taken between two readings of a counter that begins again at 0 after `range`. True for at most one such
/// beginning in between.
[[nodiscard]] constexpr std::uint64_t taken_between(std::uint64_t before, std::uint64_t now,
                                                    std::uint64_t range) noexcept {
  return now >= before ? now - before : range - before + now;
}

/// A package's counter, in microjoules, as it is.
class energy_source {
 public:
  energy_source() = default;
  energy_source(const energy_source&) = delete;
  energy_source& operator=(const energy_source&) = delete;
  virtual ~energy_source() = default;
  [[nodiscard]] virtual std::optional<std::uint64_t> read_uj() const = 0;
  /// After read_uj() has returned nullopt: why.
  [[nodiscard]] virtual energy_refusal refusal() const = 0;
};

class energy_meter {
 public:
  explicit energy_meter(std::shared_ptr<const system_files> files,
                        const package_counter_opener& open = open_package_counter);

  /// False: refusal() says why.
  [[nodiscard]] bool measures() const noexcept { return !packages_.empty(); }
  [[nodiscard]] const energy_refusal& refusal() const noexcept { return refused_; }
  /// "powercap" or "perf"; empty if nothing is measured.
  [[nodiscard]] const std::string& read_by() const noexcept { return read_by_; }
  [[nodiscard]] std::vector<std::string> package_names() const;

  /// By package: what it took since the meter was made, in microjoules. nullopt: a counter can no longer be read, which
  /// is so from then on. Any thread may call it. A counter of 32 bits begins again after some minutes, so the meter
  /// must be read at least each `longest_pause_s`.
  [[nodiscard]] std::optional<std::vector<std::uint64_t>> read_uj();
  /// Which counter was lost, and why; where is empty: none.
  [[nodiscard]] energy_refusal lost() const;

  /// The smallest range in use is 65 kJ, and no package takes 1 kW for a minute.
  static constexpr unsigned longest_pause_s = 60;

 private:
  struct package {
    std::string name;
    std::unique_ptr<const energy_source> source;
    std::uint64_t range_uj;
    std::uint64_t last_uj = 0;
    std::uint64_t taken_uj = 0;
  };
  [[nodiscard]] energy_refusal open_powercap();
  [[nodiscard]] energy_refusal open_perf(const package_counter_opener& open);
  [[nodiscard]] energy_refusal add_package(package made);

  const std::shared_ptr<const system_files> files_;
  mutable std::mutex mutex_;
  std::vector<package> packages_;
  std::string read_by_;
  energy_refusal refused_;
  energy_refusal lost_;
};

}  // namespace nearfork
