// What a runtime records of its regions, iteration by iteration (NEARFORK_RECORD).
//
// An iteration's logs are encoded as soon as it ends: a recorded task takes about 24 bytes while its iteration runs,
// and about 4 afterwards.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/call_site.hpp>
#include <nearfork/config.hpp>

#include "recording/recording.hpp"
#include "recording/recording_bounds.hpp"
#include "runtime/recording/noted_tasks.hpp"
#include "runtime/recording/touched_data.hpp"

namespace nearfork::detail {
struct fiber;
/// A runtime was made, and counts as recording if it records. Only the first call has an effect.
void know_first_recorder() noexcept;
}  // namespace nearfork::detail

namespace nearfork {

/// How an iteration ended. Not complete: its root threw.
struct iteration_end {
  std::uint64_t ended_ns;
  bool complete;
};

class graph_recorder {
 public:
  /// Measures on the calling worker what measuring itself takes.
  using calibration = void (*)(detail::recording_clock&, detail::fiber&);

  graph_recorder(const config& settings, std::uint32_t workers, calibration calibrate);
  ~graph_recorder();
  graph_recorder(const graph_recorder&) = delete;
  graph_recorder& operator=(const graph_recorder&) = delete;

  /// nullptr: this iteration is not recorded. `also_room_for`: the log has room for at least so many tasks, for its
  /// other readers.
  [[nodiscard]] std::shared_ptr<detail::iteration_log> begin(const std::string& region, std::uint64_t input_bytes,
                                                             detail::recorded_root_kind kind,
                                                             std::uint32_t also_room_for = 0);
  /// Keeps the iteration if it is complete and its log is whole().
  void end(const std::string& region, detail::noted_tasks& noted, iteration_end how) noexcept;

  /// A place in the recording for a new buffer of a dataflow graph, as an address that no data of the program have.
  /// Any thread. Throws std::bad_alloc.
  [[nodiscard]] std::uint64_t place_for_buffer(std::uint64_t bytes, const call_site& where);
  /// The number of the log, beside those of the workers, for a graph that is made outside any worker.
  [[nodiscard]] std::uint32_t outside() const noexcept { return workers_; }

  /// How many iterations should have been recorded and were not.
  [[nodiscard]] std::uint64_t left_out() const;
  /// The contents of a recording file with all iterations kept so far. Linear in their tasks.
  [[nodiscard]] std::string file(std::string machine_line) const;

 private:
  struct kept_iteration {
    std::uint64_t number;
    recordings::recording_sums sums;
    std::uint32_t tasks;
    std::uint64_t accesses;
    std::string code;  // the graph's, with addresses for places in block 0
    recordings::flow_order flow;
  };
  struct region_record {
    std::uint64_t input_bytes = 0;
    std::uint64_t iterations = 0;
    std::uint64_t began = 0;  // the first iteration: places among all regions' beginnings and ends
    std::uint64_t ended = 0;  // 0: not yet
    std::vector<kept_iteration> kept{};
  };

  [[nodiscard]] std::vector<std::uint64_t> firsts_of_kept() const;
  void keep(region_record& region, detail::noted_tasks& noted, std::uint64_t duration_ns);
  [[nodiscard]] std::shared_ptr<detail::iteration_log> log_of(std::uint32_t room, detail::recorded_root_kind kind,
                                                              std::uint64_t number) const;

  const config settings_;
  const bool keeps_;  // false: nobody wants the recording, and all iterations have a log for the trace of their tasks
  const std::uint32_t workers_;
  detail::recording_clock clock_;
  const calibration calibrate_;
  bool clock_is_calibrated_ = false;
  const detail::tick_rate rate_;
  mutable std::mutex mutex_;
  std::map<std::string, region_record, std::less<>> regions_;
  touched_data data_;
  std::uint64_t firsts_ = 0;  // beginnings and ends of first iterations so far
  std::uint64_t tasks_kept_ = 0;
  recordings::recording_sums sums_kept_;
  std::uint64_t left_out_ = 0;
};

/// "name.cpp:12", whatever the folder.
[[nodiscard]] std::string text_of(const call_site& where);

}  // namespace nearfork
