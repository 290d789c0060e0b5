// The data blocks that the accesses of a recording lie in. Accesses that touch the same page, or neighbouring pages,
// are in one block, so that data that shared a page or a line when it was recorded still does.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "recording/recording.hpp"

namespace nearfork {

/// Which block each address is in.
class block_layout {
 public:
  /// Named blocks first, in order of address, then "data 1", "data 2", ...
  [[nodiscard]] const std::vector<recordings::data_block>& blocks() const noexcept { return blocks_; }
  /// The placed arrays that blocks lie in, in the order in which the program allocated them.
  [[nodiscard]] const std::vector<recordings::allocation>& allocations() const noexcept { return allocations_; }
  /// Blocks that are buffers, ascending.
  [[nodiscard]] const std::vector<std::uint32_t>& buffers() const noexcept { return buffers_; }
  /// Turns the address of an access that was added into a place in a block. Logarithmic in the blocks.
  [[nodiscard]] recordings::data_access placed(recordings::data_access at_address) const;

 private:
  friend class touched_data;
  struct range {
    std::uint64_t begin;
    std::uint64_t end;
    std::uint32_t block;
  };
  [[nodiscard]] static const range* around(const std::vector<range>& sorted, std::uint64_t begin,
                                           std::uint64_t end) noexcept;
  void add(std::vector<range>& to, std::uint64_t begin, std::uint64_t end, std::string name);

  std::vector<recordings::data_block> blocks_;
  std::vector<range> named_;
  std::vector<range> arrays_;
  std::vector<range> unnamed_;
  std::vector<recordings::allocation> allocations_;
  std::vector<std::uint32_t> buffers_;
};

/// A placed array of the program.
struct allocated_data {
  std::uint64_t begin = 0;
  std::uint64_t bytes = 0;
  std::uint64_t number = 0;  // counts the program's arrays
  recordings::array_placing how{};
};

class touched_data {
 public:
  static constexpr std::uint64_t page_bytes = 4096;
  /// No data of a program ends beyond this: 57 bits are the widest address of x86-64 and AArch64 user space.
  static constexpr std::uint64_t address_end = std::uint64_t{1} << 57;

  /// From now on accesses inside [begin, begin + bytes) are in a block of that name. Does nothing if a part of them has
  /// a name already.
  void name(std::uint64_t begin, std::uint64_t bytes, std::string name);
  /// Returns an address for a buffer of a dataflow graph, which lies in a block of that name: beyond all addresses that
  /// programs have. A buffer's own address tells nothing: it has none yet, or others had it before.
  [[nodiscard]] std::uint64_t name_buffer(std::uint64_t bytes, std::string name);
  /// From now on accesses inside the array are in a block of their own, unless a name says better. Does nothing if a
  /// part of it was allocated before.
  void allocate(const allocated_data& what);
  /// The access must end before address_end.
  void add(const recordings::data_access& at_address);
  /// The layout of what was added so far; names that no access touched are left out.
  [[nodiscard]] block_layout layout() const;

 private:
  struct named_range {
    std::uint64_t end;
    std::string name;
    bool touched = false;
  };

  struct array_range {
    std::uint64_t end;
    std::uint64_t number;
    recordings::array_placing how;
    bool touched = false;
  };

  void note_allocations(block_layout& in) const;

  /// Half of all addresses. A program has data there only if it asked the system for addresses beyond 47 bits.
  static constexpr std::uint64_t first_buffer_address = address_end / 2;

  std::uint64_t next_buffer_ = first_buffer_address;
  std::map<std::uint64_t, named_range> named_;
  std::map<std::uint64_t, array_range> arrays_;
  std::map<std::uint64_t, std::uint64_t> unnamed_;  // begin -> end, whole pages, not adjacent
};

}  // namespace nearfork
