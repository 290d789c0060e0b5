#include "workloads/dataflow/flow_arrays.hpp"

#include <algorithm>
#include <cstring>

namespace nearfork::workloads {
namespace {

/// Bytes of memory that nobody has written: not a number, and no key, label or score.
constexpr int cleared = 0xff;

bool copies(flow_kernel kernel) {
  return kernel == flow_kernel::copy_in || kernel == flow_kernel::copy_out;
}

}  // namespace

flow_arrays::flow_arrays(const flow_program& program, flow_memory_use use, const array_rules& rules)
    : program_(&program), use_(use) {
  const flow_pattern& pattern = program.pattern();
  for (std::uint32_t task = 0; task < pattern.size(); ++task) {
    if (is_left_out(pattern[task])) continue;
    has_initial_ = has_initial_ || pattern[task].initial_bytes > 0;
    has_final_ = has_final_ || pattern[task].final_bytes > 0;
  }
  if (use == flow_memory_use::shm)
    for (const flow_value& one : pattern.values()) {
      apart_at_.push_back(apart_units_);
      if (one.place == flow_place::apart) apart_units_ += units_of(one.bytes);
    }
  make(rules);
}

void flow_arrays::make(const array_rules& rules) {
  const flow_pattern& pattern = program_->pattern();
  const std::size_t units = units_of(pattern.blocks() * pattern.block_bytes());
  initial_ = {};
  final_ = {};
  shared_.clear();
  apart_ = {};
  if (has_initial_) initial_ = {units, rules};
  if (has_final_) final_ = {units, rules};
  if (use_ == flow_memory_use::shm)
    for (std::uint32_t i = 0; i < pattern.arrays(); ++i) shared_.emplace_back(units, rules);
  if (apart_units_ > 0) apart_ = {apart_units_, rules};
}

void flow_arrays::fill(std::uint32_t first_block, std::uint32_t last_block) {
  const std::size_t bytes = program_->pattern().block_bytes();
  for (std::uint32_t block = first_block; block < last_block; ++block) {
    for (const buffer<flow_unit>& one : shared_) std::memset(block_of(one, block), cleared, bytes);
    if (has_final_) std::memset(final_block(block), cleared, bytes);
    if (has_initial_) program_->fill(block, initial_block(block));
    else if (!shared_.empty()) program_->fill(block, block_of(shared_.front(), block));
  }
}

void flow_arrays::clear_apart() {
  if (apart_units_ > 0) std::memset(bytes_of(apart_), cleared, apart_.size_bytes());
}

std::size_t flow_arrays::size_bytes() const noexcept {
  std::size_t sum = initial_.size_bytes() + final_.size_bytes() + apart_.size_bytes();
  for (const buffer<flow_unit>& one : shared_) sum += one.size_bytes();
  return sum;
}

bool flow_arrays::is_left_out(const flow_step& one) const noexcept {
  return use_ == flow_memory_use::shm && (one.kernel == flow_kernel::control || copies(one.kernel));
}

std::byte* flow_arrays::place_of(std::uint32_t value) const noexcept {
  const flow_value& one = program_->pattern().values()[value];
  if (one.place == flow_place::apart) return bytes_of(apart_) + apart_at_[value] * sizeof(flow_unit);
  // What a step leaves as it is stays where the program's initial data were copied to.
  const std::uint32_t step = one.place == flow_place::carried ? 0 : program_->pattern()[one.producer].step;
  return block_of(array_at(step), one.block);
}

void flow_arrays::gather_uses(std::uint32_t task, std::span<const std::uint32_t> outputs,
                              std::vector<flow_use>& uses) const {
  const flow_pattern& pattern = program_->pattern();
  const flow_step& what = pattern[task];
  const auto bytes_at = [&](const flow_value& one) {
    return static_cast<std::size_t>(one.place == flow_place::apart ? one.bytes : pattern.block_bytes());
  };
  uses.clear();
  const auto add = [&](flow_use one) {
    if (std::ranges::find(uses, one.data, &flow_use::data) == uses.end()) uses.push_back(one);
  };
  for (const std::uint32_t value : outputs) add({place_of(value), bytes_at(pattern.values()[value]), true});
  for (const std::uint32_t value : pattern.inputs(task))
    add({place_of(value), bytes_at(pattern.values()[value]), false});
  if (what.initial_bytes > 0) add({initial_block(what.block), static_cast<std::size_t>(what.initial_bytes), false});
  if (what.final_bytes > 0) add({final_block(what.block), static_cast<std::size_t>(what.final_bytes), true});
}

std::vector<const std::byte*> flow_arrays::final_blocks() const {
  const flow_pattern& pattern = program_->pattern();
  std::vector<const std::byte*> found(pattern.blocks(), nullptr);
  for (std::uint32_t task = 0; task < pattern.size(); ++task)
    if (pattern[task].final_bytes > 0)
      found[pattern[task].block] =
          is_left_out(pattern[task]) ? place_of(pattern.inputs(task).front()) : final_block(pattern[task].block);
  return found;
}

}  // namespace nearfork::workloads
