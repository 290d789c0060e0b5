#include "workloads/flow_programs/bitonic.hpp"

#include <algorithm>

#include "workloads/dataflow/patterns.hpp"
#include "workloads/flow_programs/flow_workload.hpp"
#include "workloads/input_numbers.hpp"

namespace nearfork::workloads {
namespace {

using key = std::uint64_t;

struct bitonic_size {
  std::uint64_t log2_blocks = 0;
  std::uint64_t keys = 1;  // of a block

  [[nodiscard]] std::uint32_t blocks() const noexcept { return std::uint32_t{1} << log2_blocks; }
};

void fill_keys(std::uint64_t seed, std::uint32_t block, std::span<key> keys) {
  input_numbers numbers(seed * 0x9e37'79b9'7f4a'7c15 + block);
  for (key& one : keys) one = numbers.next() >> 1;  // so that each can be counted up
}

class bitonic_program final : public flow_program {
 public:
  bitonic_program(const bitonic_size& size, std::uint64_t seed)
      : flow_program(bitonic_pattern(size.blocks(), static_cast<std::uint32_t>(size.keys))),
        keys_(size.keys),
        seed_(seed),
        right_(size.blocks() * size.keys) {
    for (std::uint32_t block = 0; block < size.blocks(); ++block)
      fill_keys(seed, block, std::span(right_).subspan(block * keys_, keys_));
    std::ranges::sort(right_);
  }

  void fill(std::uint32_t block, std::byte* data) const override {
    fill_keys(seed_, block, {reinterpret_cast<key*>(data), keys_});
  }

  void compute(const flow_call& call) const override {
    if (call.step.kernel == flow_kernel::merge) return merge(call);
    const auto* const from = reinterpret_cast<const key*>(call.initial) + call.step.block * keys_;
    auto* const to = call.outputs.front().as<key>();
    std::copy(from, from + keys_, to);
    std::sort(to, to + keys_);
  }

  [[nodiscard]] std::string fault(std::span<const std::byte* const> blocks) const override {
    for (std::size_t i = 0; i < right_.size(); ++i) {
      const key found = reinterpret_cast<const key*>(blocks[i / keys_])[i % keys_];
      if (found != right_[i])
        return "key " + std::to_string(i) + " is " + std::to_string(found) + ", should be " + std::to_string(right_[i]);
    }
    return {};
  }

  void corrupt(std::uint32_t /*block*/, std::byte* data, std::uint64_t where) const override {
    ++reinterpret_cast<key*>(data)[where % keys_];
  }

 private:
  /// The blocks may be those that are read, so the merged keys need room of their own. A thread keeps it, because
  /// tasks of this size are too short to ask the system for memory each time.
  void merge(const flow_call& call) const {
    thread_local std::vector<key> room;
    room.resize(2 * keys_);
    const auto* const one = call.inputs[0].as<const key>();
    const auto* const other = call.inputs[1].as<const key>();
    std::merge(one, one + keys_, other, other + keys_, room.data());
    std::copy(room.data(), room.data() + keys_, call.outputs[0].as<key>());
    std::copy(room.data() + keys_, room.data() + 2 * keys_, call.outputs[1].as<key>());
  }

  std::size_t keys_;
  std::uint64_t seed_;
  std::vector<key> right_;
};

}  // namespace

std::vector<workload> bitonic_workloads() {
  using size = bitonic_size;
  const size_table<size> table{
      {{&size::log2_blocks, {"log2_blocks", "2 to this power is the number of blocks", 0, 20}},
       {&size::keys, {"keys", "keys of a block", 1, std::uint64_t{1} << 30}}},
      {{"default", {6, 1 << 14}}, {"small", {4, 1 << 10}}, {"test", {3, 21}}, {"drebes", {12, 1 << 16}}}};
  return flow_workloads_of(
      {.name = "bitonic", .text = "a bitonic sorting network of blocks of 64-bit integers"}, table,
      [](const size& of, std::uint64_t seed) -> std::unique_ptr<flow_program> {
        return std::make_unique<bitonic_program>(of, seed);
      },
      [](const size& of) -> flow_extent {
        const double levels = static_cast<double>(of.log2_blocks), blocks = of.blocks();
        return {.blocks = blocks,
                .block_bytes = static_cast<double>(of.keys) * sizeof(key),
                .tasks = blocks * (2 + levels * (levels + 1) / 4),
                .values_of_task = 2};
      });
}

}  // namespace nearfork::workloads
