// One call of a region's root.
#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include <nearfork/detail/seam.hpp>

#include "plan/course/data_course.hpp"
#include "plan/course/region_course.hpp"
#include "runtime/clocks/region_energy.hpp"
#include "runtime/regions/crew_watch.hpp"
#include "runtime/regions/data_placing.hpp"
#include "runtime/regions/heat_watch.hpp"
#include "trace/trace_event.hpp"

namespace nearfork {
struct region_record;
}

namespace nearfork::detail {

struct region_iteration {
  region_record* record;
  iteration_kind kind;
  std::vector<seam::atomic<std::int32_t>> to_come{};  // by domain: subtrees of the plan not yet sent there
  seam::atomic<bool> strayed{false};                  // some task forked otherwise than the plan foresees
  std::uint64_t started_ns = 0;
  data_step data = {};                    // what was to be done with the region's data beforehand
  move_outcome moved = {};                // what was done
  std::unique_ptr<heat_watch> heat = {};  // nullptr: the iteration is not gauged
  energy_mark energy_before = {};
  traces::iteration_word word = traces::iteration_word::plain;
  bool is_on_course = true;  // false: the course has not begun it, and only its energy is of interest
  bool is_watched = false;   // the course wants to know what the workers did meanwhile
  crew_watch watch = {};     // the workers, while the iteration ran
};

}  // namespace nearfork::detail

namespace nearfork {
using detail::region_iteration;
}
