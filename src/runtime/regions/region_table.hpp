// The regions of a runtime: which plan is in force for each, and the profile that the plan came from.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include <nearfork/region.hpp>
#include <nearfork/run_report.hpp>

#include "plan/course/data_course.hpp"
#include "plan/course/region_course.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/clocks/region_energy.hpp"
#include "runtime/clocks/region_power.hpp"
#include "runtime/recording/noted_tasks.hpp"
#include "runtime/recording/recording_clock.hpp"
#include "runtime/regions/data_placing.hpp"
#include "runtime/regions/region_iteration.hpp"

namespace nearfork {

struct iterations_in_progress;

/// A recurring root, across its iterations.
struct region_record {
  region_course course;
  std::optional<cost_source> costs = std::nullopt;  // the last profile's
  std::string misses_not_counted = {};              // why that profile has none; empty: misses were counted
  bool says_input_bytes = false;                    // the program gave them; else they come from placed blocks
  std::uint64_t placed_blocks = 0;                  // how many input_bytes were last taken from
  data_course data{};
  std::uint64_t moved_bytes = 0;
  std::uint64_t untaught = 0;     // iterations that taught the plan nothing, because something failed
  std::string why_untaught = {};  // why the last one did
  region_energy energy{};
  std::string hotness = {};  // what told how hot the data are, and its cost; empty: nothing was gauged
};

/// What the trace tells of an iteration that has ended.
struct iteration_news {
  std::string plan{};           // why the next plan is another one; empty: it is the same
  std::vector<double> watts{};  // by package; empty: not measured
};

class region_table {
 public:
  /// `most_profiled`: the most tasks of a profiling iteration; a region with more stays plain. `counted_in`: receives
  /// how many iterations are in progress. `heat`: nullptr if the policy does not ask how hot data are.
  region_table(const machine& where, const policy& how, std::size_t most_profiled, data_placing data,
               iterations_in_progress& counted_in, const region_power& power = {},
               std::shared_ptr<hotness> heat = nullptr);

  /// Also brings the region's data to where its plan wants them, as far as one iteration may move them. nullptr: this
  /// iteration runs plainly and leaves no trace but the count; not if energy is measured. In strict mode throws
  /// nearfork::error if the data cannot be brought there. leave() must follow, unless enter() throws: then the region
  /// is not in progress. `number`: receives the iteration's, from 1.
  [[nodiscard]] std::unique_ptr<region_iteration> enter(const region_options& options, std::uint64_t& number);
  /// False: enter() was never called for it.
  [[nodiscard]] bool knows(const std::string& region) const;
  /// The log of an iteration that is profiled and not recorded.
  [[nodiscard]] std::shared_ptr<detail::iteration_log> log_for_profile(std::uint32_t workers) const;
  /// How many tasks the log of a profiled iteration must have room for.
  [[nodiscard]] std::uint32_t room_for_profile() const noexcept;
  /// `complete`: the iteration returned; otherwise it threw, and its profile is dropped. A profile that cannot be made
  /// is dropped, too, and the region's report says so. `noted`: what the iteration's tasks noted; nullptr: nothing.
  /// `news`: receives what the trace tells. nullptr: nobody asks.
  void leave(std::unique_ptr<region_iteration> iteration, bool complete, detail::noted_tasks* noted,
             iteration_news* news = nullptr) noexcept;
  /// As iteration_news::watts has them.
  [[nodiscard]] std::vector<std::string> packages() const {
    return power_.meter == nullptr ? std::vector<std::string>{} : power_.meter->package_names();
  }

  /// nullptr: nothing is placed.
  [[nodiscard]] region_memory* memory() const noexcept { return data_.memory(); }

  [[nodiscard]] std::vector<region_report> report() const;

 private:
  region_record& find_or_add(const region_options& options);
  [[nodiscard]] std::unique_ptr<region_iteration> begin(const region_options& options, std::uint64_t& number);
  void bring_data(region_iteration& iteration, const std::string& region);
  void watch_heat(region_iteration& iteration, const std::string& region) const;
  void end_data(region_iteration& iteration, std::optional<std::uint64_t> duration_ns);
  void learn(region_iteration& iteration, iteration_outcome outcome, detail::noted_tasks* noted);
  [[nodiscard]] std::optional<profile> take_profile(region_iteration& iteration, std::uint64_t duration_ns,
                                                    detail::noted_tasks& noted) const;
  void give_up(region_iteration& iteration) noexcept;
  void count_in_progress(const region_iteration& iteration, int step) noexcept;

  const machine& machine_;
  const policy& policy_;
  const std::size_t most_profiled_;
  const data_placing data_;
  const detail::recording_clock clock_;
  const detail::tick_rate rate_;
  mutable std::mutex mutex_;
  std::map<std::string, std::unique_ptr<region_record>, std::less<>> regions_;
  iterations_in_progress& in_progress_;
  const region_power power_;
  const std::shared_ptr<hotness> heat_;
};

}  // namespace nearfork
