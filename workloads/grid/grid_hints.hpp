// What a sweep over slabs reads and writes, as hints for recordings. Costs nothing if no runtime records.
#pragma once

#include <span>

#include <nearfork/hints.hpp>

#include "workloads/grid/grid_sweep.hpp"

namespace nearfork::workloads {

/// Hints that slabs [first, last) are written, and read with `radius` slabs around them. Red-black sweeps touch every
/// line, too.
inline void hint_slabs(const grid_sweep& sweep, std::size_t first, std::size_t last, std::size_t radius) noexcept {
  const std::size_t slab = sweep.extent.slab_cells();
  reads(std::span(sweep.from + (first - radius) * slab, (last - first + 2 * radius) * slab));
  writes(std::span(sweep.to + first * slab, (last - first) * slab));
}

}  // namespace nearfork::workloads
