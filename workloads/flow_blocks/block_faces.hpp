// The faces of a block of doubles, in the block and copied out of it.
#pragma once

#include <array>
#include <cstddef>

#include "workloads/dataflow/flow_program.hpp"
#include "workloads/dataflow/patterns.hpp"
#include "workloads/flow_blocks/stencil_block.hpp"

namespace nearfork::workloads {

/// What a value holds of a block, for a neighbour: all of the block's elements that lie at a face, or at the corner.
[[nodiscard]] stencil_face face_in(const block_grid& grid, const flow_item& from);

/// Copies a face or the corner out of its block: elements in the order of their coordinates.
void copy_face(const block_grid& grid, const flow_item& to, const double* block);

}  // namespace nearfork::workloads
