#include "sensors/stalls/hardware_stalls.hpp"

#include <utility>

#include "base/made_once.hpp"
#include "sensors/cpu_model.hpp"
#include "sensors/hardware_counting.hpp"

namespace nearfork {
namespace {

/// Names of libpfm4, which knows a name on the processors that have the event alone. Intel's manuals (Software
/// Developer's Manual, volume 3, chapter 20; perfmon-events.intel.com): cycles without execution while a load is
/// outstanding, from Skylake on, on Sandy Bridge to Broadwell, and from Golden Cove on.
constexpr const char* memory_events[] = {"CYCLE_ACTIVITY:STALLS_MEM_ANY", "CYCLE_ACTIVITY:STALLS_LDM_PENDING",
                                         "EXE_ACTIVITY:BOUND_ON_LOADS"};
/// Elsewhere, such as on Armv8 (STALL_BACKEND): cycles in which the back end takes no operation. Memory is the most
/// frequent reason, not the only one.
constexpr const char* generic_name = "stalled-cycles-backend";

}  // namespace

hardware_stalls::preparation hardware_stalls::prepare() const {
  const cpu_model which = cpu_model_of(names_->cpuinfo());
  const auto refused = [&](int error_number) {
    return preparation{.refused = refusal_of(error_number, names_->paranoid_level(), which.virtual_machine)};
  };
  if (const int error_number = names_->try_hardware_counter(); error_number != 0) return refused(error_number);
  for (const char* const name : memory_events)
    if (const event_encoding encoded = names_->encode(name); encoded.code)
      if (counters_->open(*encoded.code).counter != nullptr) return {.stalled = encoded.code, .event = name};
  const perf_stall_opening generic = counters_->open(counters_->generic_event());
  if (generic.counter != nullptr) return {.stalled = counters_->generic_event(), .event = generic_name};
  return {.refused = {"no event for stalls is known for " + text_of(which),
                      "nothing is lost but the stalls in the chart of workers' time"}};
}

stall_opening hardware_stalls::open_for_this_thread() const {
  std::call_once(once_, [this] { prepared_ = prepare(); });
  if (!prepared_.stalled) return {nullptr, {}, prepared_.refused};
  perf_stall_opening opened = counters_->open(*prepared_.stalled);
  if (opened.counter == nullptr)
    return {nullptr, prepared_.event, refusal_of(opened.error_number, names_->paranoid_level(), false)};
  return {std::move(opened.counter), prepared_.event, {}};
}

std::shared_ptr<const stall_counting> live_stall_counting() {
  static constinit made_once<const std::shared_ptr<const hardware_stalls>> live;
  return live.get([] { return std::make_shared<const hardware_stalls>(live_counting_system(), live_stall_system()); });
}

}  // namespace nearfork
