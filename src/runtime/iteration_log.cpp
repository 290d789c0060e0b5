#include "runtime/iteration_log.hpp"

#include <new>

#include "runtime/ticks.hpp"
#include "runtime/touched_data.hpp"

namespace nearfork::detail {

iteration_log::iteration_log(std::uint32_t workers, std::uint32_t most_tasks, recorded_root_kind kind,
                             std::uint64_t number)
    : logs_(workers), most_tasks_(most_tasks), kind_(kind), number_(number), started_ns_(now_ns()) {}

std::uint32_t iteration_log::note_birth(std::uint32_t on_worker, std::uint32_t parent, std::uint32_t stretch,
                                        std::uint32_t branching) noexcept {
  // Relaxed: a number is all it is. A parent's was drawn before, and reaches us with the parent.
  std::uint32_t first = tasks_.load(seam::memory_order_relaxed);
  do {
    if (first > most_tasks_ || branching > most_tasks_ - first) {
      lost_.store(true, seam::memory_order_relaxed);
      return 0;
    }
  } while (!tasks_.compare_exchange_weak(first, first + branching, seam::memory_order_relaxed));
  try {
    logs_[on_worker].births.push_back({parent, stretch, first, branching});
  } catch (const std::bad_alloc&) {
    lost_.store(true, seam::memory_order_relaxed);
    return 0;
  }
  return first;
}

void iteration_log::note_work(std::uint32_t on_worker, const work_piece& piece) noexcept {
  try {
    logs_[on_worker].pieces.push_back(piece);
  } catch (const std::bad_alloc&) {
    lost_.store(true, seam::memory_order_relaxed);
  }
}

void iteration_log::note_access(std::uint32_t on_worker, std::uint64_t first_of_piece,
                                const trace::data_access& access) noexcept {
  const std::uint64_t extent = extent_bytes(access);
  if (access.begin_byte >= touched_data::address_end || extent >= touched_data::address_end - access.begin_byte) {
    lost_.store(true, seam::memory_order_relaxed);  // no program has that much: the hint is wrong
    return;
  }
  auto& noted = logs_[on_worker].accesses;
  if (noted.size() > first_of_piece) {
    trace::data_access& last = noted.back();
    const bool follows = last.count == 1 && access.count == 1 && last.kind == access.kind &&
                         last.begin_byte + last.size_bytes == access.begin_byte;
    if (follows) {
      last.size_bytes += access.size_bytes;
      return;
    }
  }
  try {
    noted.push_back(access);
  } catch (const std::bad_alloc&) {
    lost_.store(true, seam::memory_order_relaxed);
  }
}

}  // namespace nearfork::detail
