// The scheduler: a crew with all that the crew needs from start to end, and what there is to report.
#pragma once

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include <nearfork/config.hpp>
#include <nearfork/run_report.hpp>

#include "machine/model/machine.hpp"
#include "memory/system/region_memory.hpp"
#include "plan/crew/worker_places.hpp"
#include "plan/plans/policy.hpp"
#include "runtime/clocks/runtime_power.hpp"
#include "runtime/lifetime/start_latch.hpp"
#include "runtime/pushing/flow_nodes.hpp"
#include "runtime/recording/graph_recorder.hpp"
#include "runtime/regions/region_table.hpp"
#include "runtime/relief/relief.hpp"
#include "runtime/sight/page_sight.hpp"
#include "runtime/tracing/run_trace.hpp"
#include "runtime/workers/crew.hpp"
#include "sensors/hotness/hotness.hpp"
#include "sensors/miss_counter.hpp"
#include "sensors/stalls/stall_counter.hpp"

namespace nearfork {

class scheduler {
 public:
  scheduler(const config& settings, std::shared_ptr<const machine> where, std::unique_ptr<policy> how,
            std::shared_ptr<const miss_counting> counting = live_miss_counting(),
            region_memory* memory = nullptr,  // nullptr: the process's memory
            const power_system& power = live_power_system(),
            std::shared_ptr<hotness> heat = nullptr,  // nullptr: the system's, as the settings say
            buffer_pools* buffers = nullptr,          // nullptr: the process's, if the machine is live
            std::shared_ptr<const stall_counting> stalls = live_stall_counting());
  ~scheduler();
  scheduler(const scheduler&) = delete;
  scheduler& operator=(const scheduler&) = delete;

  [[nodiscard]] crew& workers() noexcept { return crew_; }
  [[nodiscard]] const crew& workers() const noexcept { return crew_; }
  /// nullptr: nothing is recorded.
  [[nodiscard]] const graph_recorder* recorder() const noexcept { return recorder_.get(); }
  /// nullptr: nothing is traced.
  [[nodiscard]] run_trace* trace() const noexcept { return trace_.get(); }

  /// Returns when no visit of the crew goes on. No visit can begin afterwards.
  void close() noexcept;
  /// At exit: stops the workers if they have nothing to do. False: a visit or a task goes on, perhaps the calling one.
  [[nodiscard]] bool try_end() noexcept;
  [[nodiscard]] run_report report() const;
  /// Opens a miss counter and closes it again if the policy will ask for sizes: strict mode must know beforehand
  /// whether misses can be counted.
  void try_counting();

  scheduler* left_before = nullptr;  // link in the list of leave_to_the_system()

 private:
  [[nodiscard]] crew::rules crew_rules() const;
  [[nodiscard]] crew& make_relief();
  /// nullptr: there was no need so far.
  [[nodiscard]] scheduler* further() const;
  [[nodiscard]] std::string why_unbound() const;
  [[nodiscard]] std::unique_ptr<runtime_power> take_power(const power_system& on) const;
  [[nodiscard]] std::unique_ptr<flow_nodes> take_flow(buffer_pools* given) const;
  void try_out_flow();
  void add_flow(run_report& into) const;
  [[nodiscard]] std::shared_ptr<hotness> take_hotness(std::shared_ptr<hotness> given) const;
  [[nodiscard]] std::unique_ptr<page_sight> take_sight(const region_memory* given) const;
  void check_bindings();
  void start_tracing();
  void describe_in_trace(const worker& self);
  void count_stalls(worker& self);
  [[nodiscard]] std::vector<core_id> cores_of_workers() const;
  void trace_clocks();
  void start_threads();
  void thread_main(worker& self) noexcept;
  void pin(worker& self);
  void note_missing_facts();
  void degrade(degradation fact);
  void stop() noexcept;
  void add_counters(run_report& into) const;
  void add_fibers(run_report& into) const;
  void add_workers(run_report& into) const;
  void add_memory(run_report& into) const;
  void add_uncounted(run_report& into) const;
  void add_hotness(run_report& into) const;
  void add_lost_iterations(run_report& into) const;
  void add_lost_events(run_report& into) const;
  void add_relief(run_report& into) const;

  const config settings_;
  const std::shared_ptr<const machine> machine_;
  const std::unique_ptr<policy> policy_;
  const std::shared_ptr<const miss_counting> counting_;
  const std::shared_ptr<const stall_counting> stall_counting_;
  const std::shared_ptr<const machine> scheduled_;  // machine_ as the policy sees it
  const std::vector<worker_place> places_;
  const std::shared_ptr<const machine> planned_for_;  // the domains that have workers
  const std::unique_ptr<run_trace> trace_;            // nullptr: no trace. Outlives the clocks and the workers
  const std::unique_ptr<runtime_power> power_;
  const std::unique_ptr<flow_nodes> flow_;  // nullptr: all workers are beside one memory node
  crew crew_;
  relief relief_{crew_, [this]() -> crew& { return make_relief(); }};
  strict_memory strictness_;
  shortfall_teller shortfalls_;
  data_placing data_;
  const std::shared_ptr<hotness> heat_;  // nullptr: the policy does not ask for it, or no data can move
  region_table regions_;
  std::unique_ptr<graph_recorder> recorder_;
  const std::unique_ptr<page_sight> sight_;  // nullptr: no report is asked for
  start_latch started_;

  mutable std::mutex facts_mutex_;
  std::string start_failure_;
  std::vector<worker_report> placements_;  // by worker: where pinned, or why not
  std::vector<degradation> degradations_;
  std::unique_ptr<scheduler> further_;  // guarded by facts_mutex_: what relief_ makes at the first need
  stalls_report stalls_{};
};

/// True: where a thread runs decides what is near it.
[[nodiscard]] bool is_uneven(const machine& where);
/// False if `how` is the policy of those who name none.
[[nodiscard]] bool is_policy_named(const config& settings, const policy& how);

/// Makes a scheduler with the machine and the policy that `settings` name. Throws nearfork::error if they do not exist,
/// and in strict mode if there is any degradation.
[[nodiscard]] std::unique_ptr<scheduler> make_scheduler(const config& settings,
                                                        const power_system& power = live_power_system());

/// What strict mode does: throws nearfork::error with all degradations if there are any.
void throw_if_degraded(const run_report& facts);

}  // namespace nearfork
