#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <vector>

#include "workloads/dataflow/flow_arrays.hpp"

namespace nearfork::workloads {

/// Memory for values that are written once, as programs without nearfork's buffers have it: taken when the writer
/// starts, and freed by the last reader. Thread-safety: tasks() may begin and end as the values order them.
class single_values {
 public:
  explicit single_values(const flow_pattern& pattern);

  /// Gives all values up, and counts the readers anew.
  void begin();
  /// Takes the memory of a value. Throws: std::bad_alloc.
  std::byte* take(std::uint32_t value);
  [[nodiscard]] std::byte* data(std::uint32_t value) const noexcept { return slots_[value].data(); }
  /// A reader has ended; or the writer, of a value that nobody reads.
  void let_go(std::uint32_t value) noexcept;
  /// An address that stands for the value: the tasks that name it depend on each other.
  [[nodiscard]] std::byte* name_of(std::uint32_t value) noexcept {
    return reinterpret_cast<std::byte*>(&slots_[value]);
  }
  [[nodiscard]] bool has_readers(std::uint32_t value) const noexcept { return readers_[value] > 0; }

 private:
  class slot {
   public:
    [[nodiscard]] std::byte* data() const noexcept { return reinterpret_cast<std::byte*>(units_.get()); }
    void take(std::size_t units) { units_ = std::make_unique_for_overwrite<flow_unit[]>(units); }
    void free() noexcept { units_.reset(); }
    std::atomic<std::uint32_t> readers{0};

   private:
    std::unique_ptr<flow_unit[]> units_{};
  };

  const flow_pattern* pattern_;
  std::vector<std::uint32_t> readers_;
  std::vector<slot> slots_;
};

}  // namespace nearfork::workloads
