// The timeline of a run: what each worker did, from when to when, as marks on one track per worker. Made from the
// events alone.
//
// A task that waits leaves its worker: its slices end there, and begin again where the task goes on. So the slices of a
// track nest, and a worker never does two things at once. What began before the first event that all workers still have
// is left out.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "trace/traced_run.hpp"

namespace nearfork::traces {

enum class mark_kind : std::uint8_t { slice_begins, slice_ends, instant, counter };

enum class mark_category : std::uint8_t { task, stealing, worker, region, memory, program };

struct fact {
  const char* name;
  std::string text;
};

struct mark {
  std::uint64_t at_ns = 0;
  std::uint32_t worker = 0;
  mark_kind kind = mark_kind::instant;
  mark_category category = mark_category::task;
  std::string name{};  // none at the end of a slice
  std::vector<fact> facts{};
  std::vector<std::uint64_t> flows{};  // that begin or go on here; each has a number of its own
  std::uint64_t last_of_flow = 0;      // the flow that ends here; 0: none
  double value = 0;                    // of a counter
};

struct timeline {
  std::vector<mark> marks;  // by time
  std::uint64_t lost = 0;   // events that are missing: those without room, and those left out
};

[[nodiscard]] timeline timeline_of(const traced_run& run);

}  // namespace nearfork::traces
