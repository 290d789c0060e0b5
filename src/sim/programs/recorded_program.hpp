// A recorded region as a program that the simulator runs.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "recording/recording.hpp"
#include "sim/programs/program.hpp"

namespace nearfork::sim {

/// The region called `name`; empty: the region with the most work in the run. Its recorded iterations follow each
/// other, and repeat. Blocks of data are contiguous; each begins at a page. Computation takes the time of the
/// recording's machine, its waits for memory included, and the misses on the model come on top, unless who knows the
/// machine takes the waits out (tools/sim/memory_waits.hpp). Tasks without a hint only compute.
/// The setup has the regions that ran before it, as far as the recording knows them. Blocks lie in the order of their
/// allocation, as far as it is known, and placed arrays have their rules; a rule that names nodes does not count,
/// because they are nodes of another machine.
/// Throws: nearfork::error if there is no such region or none with tasks, or if strided accesses have more than
/// 2^24 pieces.
[[nodiscard]] program program_from(const recordings::recording& recorded, const std::string& name = {});

/// The region called `name`; empty: the one with the most work in the run. Throws: nearfork::error if there is none
/// with an iteration.
[[nodiscard]] const recordings::region& recorded_region(const recordings::recording& recorded, const std::string& name);

/// Regions whose first iteration was over when `one` began, in the order in which they began, as far as tasks of them
/// touch data.
[[nodiscard]] std::vector<const recordings::region*> regions_before(const recordings::recording& recorded,
                                                                    const recordings::region& one);

/// Counts the pieces that accesses are taken apart into.
class access_pieces {
 public:
  explicit access_pieces(const recordings::recording& recorded) : name_(recorded.name()) {}

  struct piece {
    std::uint64_t begin_byte;  // in the block
    std::uint64_t bytes;
  };
  /// Pieces that touch the same or neighbouring lines are one. Valid until the next call. Throws: nearfork::error if
  /// there are more than 2^24 pieces in all.
  [[nodiscard]] const std::vector<piece>& of(const recordings::data_access& one);

 private:
  std::string name_;  // of the recording, for messages
  std::uint64_t pieces_ = 0;
  std::vector<piece> made_;
};

/// Which block of the recording each array of its program is: allocations in their order, then the other blocks.
[[nodiscard]] std::vector<std::uint32_t> block_of_array(const recordings::recording& recorded);

}  // namespace nearfork::sim
