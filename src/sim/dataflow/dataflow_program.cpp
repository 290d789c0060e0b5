#include "sim/dataflow/dataflow_program.hpp"

#include <algorithm>
#include <bit>
#include <string>

#include <nearfork/error.hpp>

namespace nearfork::sim {

void dataflow_program::lists::make(std::uint32_t tasks, std::span<const std::uint32_t> from,
                                   std::span<const std::uint32_t> to) {
  first_.assign(tasks + std::size_t{1}, 0);
  for (const std::uint32_t one : from) ++first_[one + std::size_t{1}];
  for (std::size_t i = 1; i < first_.size(); ++i) first_[i] += first_[i - 1];
  all_.resize(from.size());
  std::vector<std::uint32_t> next(first_.begin(), first_.end() - 1);
  for (std::size_t i = 0; i < from.size(); ++i) all_[next[from[i]]++] = to[i];
}

std::uint32_t dataflow_program::add_block(flow_memory kind, std::uint64_t bytes) {
  if (bytes == 0) throw error("nearfork: a block of a dataflow program has no bytes");
  if (blocks_.size() >= nobody) throw error("nearfork: a dataflow program has too many blocks");
  blocks_.push_back({bytes, kind});
  producer_.push_back(nobody);
  readers_.push_back(0);
  return static_cast<std::uint32_t>(blocks_.size() - 1);
}

void dataflow_program::require_task(std::uint32_t task) const {
  if (task >= tasks()) throw error("nearfork: a dataflow program has no task " + std::to_string(task));
}

void dataflow_program::check_access(std::uint32_t task, const flow_access& one) {
  if (one.block >= blocks_.size() || one.bytes > blocks_[one.block].bytes ||
      one.first_byte > blocks_[one.block].bytes - one.bytes)
    throw error("nearfork: task " + std::to_string(task) + " of a dataflow program accesses what block " +
                std::to_string(one.block) + " does not have");
  if (!is_buffer(one.block)) return;
  if (one.kind == access_kind::read) {
    ++readers_[one.block];
    return;
  }
  if (producer_[one.block] != nobody || one.bytes != blocks_[one.block].bytes)
    throw error("nearfork: buffer " + std::to_string(one.block) +
                " of a dataflow program is written twice, or not as a whole, by task " + std::to_string(task));
  producer_[one.block] = task;
}

std::uint32_t dataflow_program::add_task(std::uint64_t compute_ns, std::span<const flow_access> accesses,
                                         std::uint32_t creator) {
  if (creator != nobody) require_task(creator);
  const std::uint32_t task = tasks();
  for (const flow_access& one : accesses) check_access(task, one);
  accesses_.insert(accesses_.end(), accesses.begin(), accesses.end());
  first_access_.push_back(accesses_.size());
  compute_ns_.push_back(compute_ns);
  creator_.push_back(creator);
  return task;
}

void dataflow_program::add_order(std::uint32_t earlier, std::uint32_t later) {
  require_task(std::max(earlier, later));
  earlier_.push_back(earlier);
  later_.push_back(later);
}

void dataflow_program::add_exclusion(std::uint32_t first, std::uint32_t last, std::uint32_t number) {
  require_task(std::max(first, last));
  excludes_from_.push_back(first);
  excludes_to_.push_back(last);
  excludes_.push_back(number);
  exclusion_numbers_ = std::max(exclusion_numbers_, number + 1);
}

/// What buffers and creators say about the order. The creation of a reader counts for the writer.
void dataflow_program::gather_order() {
  std::vector<std::uint32_t> creators, created;
  for (std::uint32_t task = 0; task < tasks(); ++task) {
    if (creator_[task] != nobody) {
      creators.push_back(creator_[task]);
      created.push_back(task);
    }
    for (const flow_access& one : accesses(task)) {
      if (!is_buffer(one.block) || one.kind != access_kind::read) continue;
      if (producer_[one.block] == nobody)
        throw error("nearfork: no task of the dataflow program writes buffer " + std::to_string(one.block));
      add_order(producer_[one.block], task);
    }
  }
  created_.make(tasks(), creators, created);
  followers_.make(tasks(), earlier_, later_);
  taken_.make(tasks(), excludes_from_, excludes_);
  given_back_.make(tasks(), excludes_to_, excludes_);
  waits_for_.assign(tasks(), 0);
  for (const std::uint32_t one : later_) ++waits_for_[one];
  for (const std::uint32_t one : created) {
    ++waits_for_[one];
    for (const flow_access& access : accesses(one))
      if (is_buffer(access.block) && access.kind == access_kind::read) ++waits_for_[producer_[access.block]];
  }
}

void dataflow_program::find_an_order() {
  std::vector<std::uint32_t> missing = waits_for_;
  order_.reserve(tasks());
  for (std::uint32_t task = 0; task < tasks(); ++task)
    if (missing[task] == 0) order_.push_back(task);
  const auto satisfy = [&](std::uint32_t task) {
    if (--missing[task] == 0) order_.push_back(task);
  };
  for (std::size_t i = 0; i < order_.size(); ++i) {
    for (const std::uint32_t one : created_by(order_[i])) {
      satisfy(one);
      for (const flow_access& access : accesses(one))
        if (is_buffer(access.block) && access.kind == access_kind::read) satisfy(producer_[access.block]);
    }
    for (const std::uint32_t one : followers(order_[i])) satisfy(one);
  }
  if (order_.size() != tasks())
    throw error("nearfork: " + std::to_string(tasks() - order_.size()) +
                " tasks of the dataflow program wait for each other in a ring");
}

void dataflow_program::finish() {
  gather_order();
  find_an_order();
}

std::uint64_t work_ns(const dataflow_program& program) {
  std::uint64_t sum = 0;
  for (std::uint32_t task = 0; task < program.tasks(); ++task) sum += program.compute_ns(task);
  return sum;
}

std::uint64_t span_ns(const dataflow_program& program) {
  std::vector<std::uint64_t> begin(program.tasks(), 0);
  std::uint64_t longest = 0;
  const auto wait = [&](std::uint32_t task, std::uint64_t until) { begin[task] = std::max(begin[task], until); };
  for (const std::uint32_t task : program.an_order()) {
    const std::uint64_t end = begin[task] + program.compute_ns(task);
    longest = std::max(longest, end);
    for (const std::uint32_t one : program.followers(task)) wait(one, end);
    for (const std::uint32_t one : program.created_by(task)) {
      wait(one, end);
      for (const flow_access& access : program.accesses(one))
        if (program.is_buffer(access.block) && access.kind == access_kind::read)
          wait(program.producer(access.block), end);
    }
  }
  return longest;
}

namespace {

/// Counts the buffers that have memory.
class live_buffers {
 public:
  live_buffers(const dataflow_program& program, std::uint64_t least_bytes)
      : program_(program), least_bytes_(least_bytes), has_memory_(program.blocks().size(), false) {
    for (std::uint32_t block = 0; block < program.blocks().size(); ++block) left_.push_back(program.readers(block));
  }
  void take(std::uint32_t block) {
    if (has_memory_[block]) return;
    has_memory_[block] = true;
    now_ += bytes(block);
    most_ = std::max(most_, now_);
  }
  void read(std::uint32_t block) {
    if (--left_[block] == 0) now_ -= bytes(block);
  }
  /// Its writer has ended.
  void written(std::uint32_t block) {
    if (program_.readers(block) == 0) now_ -= bytes(block);
  }
  [[nodiscard]] std::uint64_t most() const noexcept { return most_; }

 private:
  [[nodiscard]] std::uint64_t bytes(std::uint32_t block) const {
    return std::bit_ceil(std::max(least_bytes_, program_.blocks()[block].bytes));
  }

  const dataflow_program& program_;
  std::uint64_t least_bytes_;
  std::vector<bool> has_memory_;
  std::vector<std::uint32_t> left_;  // readers, by block
  std::uint64_t now_ = 0;
  std::uint64_t most_ = 0;
};

}  // namespace

std::uint64_t most_live_bytes(const dataflow_program& program, buffer_allocation when, std::uint64_t least_bytes) {
  live_buffers live(program, least_bytes);
  const auto each_buffer = [&](std::uint32_t task, access_kind kind, auto&& act) {
    for (const flow_access& one : program.accesses(task))
      if (program.is_buffer(one.block) && one.kind == kind) act(one.block);
  };
  const auto create = [&](std::uint32_t task) {
    if (when == buffer_allocation::immediate)
      each_buffer(task, access_kind::read, [&](std::uint32_t block) { live.take(block); });
  };
  for (std::uint32_t task = 0; task < program.tasks(); ++task)
    if (program.creator(task) == dataflow_program::nobody) create(task);
  for (const std::uint32_t task : program.an_order()) {
    each_buffer(task, access_kind::write, [&](std::uint32_t block) { live.take(block); });
    for (const std::uint32_t one : program.created_by(task)) create(one);
    each_buffer(task, access_kind::read, [&](std::uint32_t block) { live.read(block); });
    each_buffer(task, access_kind::write, [&](std::uint32_t block) { live.written(block); });
  }
  return live.most();
}

}  // namespace nearfork::sim
