// A dataflow program as it is simulated: tasks, the blocks of memory that they read and write, and what they wait for.
//
// A *buffer* belongs to the runtime: one task writes it, others read it, and when it gets its memory is the run's to
// decide. A *global* block is a part of the program's own arrays; where its pages lie is the run's to decide, too. A
// task is created when its creator ends, or before the run. It may start when its inputs are written and all readers of
// its outputs are created: an output is an input of theirs (Drebes et al., PACT 2016, section 2.1).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "plan/dataflow/activation.hpp"
#include "sim/programs/task_graph.hpp"

namespace nearfork::sim {

enum class flow_memory : std::uint8_t { buffer, global };

struct flow_block {
  std::uint64_t bytes = 0;
  flow_memory kind = flow_memory::buffer;
};

/// `bytes` of a block from `first_byte` on, from the first to the last.
struct flow_access {
  std::uint32_t block = 0;
  access_kind kind = access_kind::read;
  std::uint64_t bytes = 0;
  std::uint64_t first_byte = 0;  // of buffers 0
};

class dataflow_program {
 public:
  static constexpr std::uint32_t nobody = 0xffff'ffff;

  /// Throws: nearfork::error if there are too many blocks, or if `bytes` is 0.
  std::uint32_t add_block(flow_memory kind, std::uint64_t bytes);
  /// `creator`: a task; `nobody`: the task is there before the run. Throws: nearfork::error for a block that does not
  /// exist, an access beyond the end of a block, and a buffer that is written twice or not as a whole.
  std::uint32_t add_task(std::uint64_t compute_ns, std::span<const flow_access> accesses,
                         std::uint32_t creator = nobody);
  /// `later` waits for `earlier`, beside what its buffers tell.
  void add_order(std::uint32_t earlier, std::uint32_t later);
  /// From the begin of `first` to the end of `last`, the same task or one that runs later, no other such stretch of
  /// that number runs. A stretch begins when it has all its numbers.
  void add_exclusion(std::uint32_t first, std::uint32_t last, std::uint32_t number);
  /// Once, after the last task. Throws: nearfork::error if a buffer is read that no task writes, or if tasks wait for
  /// each other in a ring.
  void finish();

  [[nodiscard]] std::uint32_t tasks() const noexcept { return static_cast<std::uint32_t>(compute_ns_.size()); }
  [[nodiscard]] std::span<const flow_block> blocks() const noexcept { return blocks_; }
  [[nodiscard]] std::uint64_t compute_ns(std::uint32_t task) const noexcept { return compute_ns_[task]; }
  [[nodiscard]] std::uint32_t creator(std::uint32_t task) const noexcept { return creator_[task]; }
  [[nodiscard]] std::span<const flow_access> accesses(std::uint32_t task) const noexcept {
    return {accesses_.data() + first_access_[task], accesses_.data() + first_access_[task + 1]};
  }
  [[nodiscard]] bool is_buffer(std::uint32_t block) const noexcept {
    return blocks_[block].kind == flow_memory::buffer;
  }

  // --- after finish() ---
  /// Tasks that wait for `task`, once for each thing that they wait for.
  [[nodiscard]] std::span<const std::uint32_t> followers(std::uint32_t task) const noexcept { return followers_[task]; }
  [[nodiscard]] std::span<const std::uint32_t> created_by(std::uint32_t task) const noexcept { return created_[task]; }
  /// How many things the task waits for, its own creation and that of its readers included.
  [[nodiscard]] std::uint32_t waits_for(std::uint32_t task) const noexcept { return waits_for_[task]; }
  /// The numbers that a task needs for itself when it begins, and those that it gives back when it has ended.
  [[nodiscard]] std::span<const std::uint32_t> exclusions(std::uint32_t task) const noexcept {
    return exclusion_numbers_ == 0 ? std::span<const std::uint32_t>() : taken_[task];
  }
  [[nodiscard]] std::span<const std::uint32_t> exclusions_ended(std::uint32_t task) const noexcept {
    return exclusion_numbers_ == 0 ? std::span<const std::uint32_t>() : given_back_[task];
  }
  [[nodiscard]] std::uint32_t exclusion_numbers() const noexcept { return exclusion_numbers_; }
  /// The task that writes a buffer, and how many accesses read it. Of global blocks: nobody, 0.
  [[nodiscard]] std::uint32_t producer(std::uint32_t block) const noexcept { return producer_[block]; }
  [[nodiscard]] std::uint32_t readers(std::uint32_t block) const noexcept { return readers_[block]; }
  /// All tasks, each after what it waits for.
  [[nodiscard]] std::span<const std::uint32_t> an_order() const noexcept { return order_; }

 private:
  /// One after the other for each task.
  class lists {
   public:
    void make(std::uint32_t tasks, std::span<const std::uint32_t> from, std::span<const std::uint32_t> to);
    [[nodiscard]] std::span<const std::uint32_t> operator[](std::uint32_t task) const noexcept {
      return {all_.data() + first_[task], all_.data() + first_[task + 1]};
    }

   private:
    std::vector<std::uint32_t> first_, all_;
  };

  void require_task(std::uint32_t task) const;
  void check_access(std::uint32_t task, const flow_access& one);
  void gather_order();
  void find_an_order();

  std::vector<flow_block> blocks_;
  std::vector<std::uint32_t> producer_, readers_;  // by block
  std::vector<std::uint64_t> compute_ns_;          // by task
  std::vector<std::uint32_t> creator_;             // by task
  std::vector<std::size_t> first_access_{0};       // by task, and one more
  std::vector<flow_access> accesses_;
  std::vector<std::uint32_t> earlier_, later_;                         // pairs
  std::vector<std::uint32_t> excludes_from_, excludes_to_, excludes_;  // threes
  std::uint32_t exclusion_numbers_ = 0;
  lists followers_, created_, taken_, given_back_;
  std::vector<std::uint32_t> waits_for_, order_;
};

/// Computation alone: of all tasks; and along the longest path, which more cores cannot shorten. After finish().
[[nodiscard]] std::uint64_t work_ns(const dataflow_program& program);
[[nodiscard]] std::uint64_t span_ns(const dataflow_program& program);

/// The most bytes of buffers that have memory at a time if one worker runs the tasks in the order of an_order(), each
/// buffer rounded up to a power of two of at least `least_bytes`.
[[nodiscard]] std::uint64_t most_live_bytes(const dataflow_program& program, buffer_allocation when,
                                            std::uint64_t least_bytes);

}  // namespace nearfork::sim
