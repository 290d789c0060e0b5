#include "runtime/recording/touched_data.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nearfork {
namespace {

constexpr std::uint64_t page_below(std::uint64_t address) {
  return address - address % touched_data::page_bytes;
}
constexpr std::uint64_t page_above(std::uint64_t address) {
  return page_below(address + touched_data::page_bytes - 1);
}

std::uint64_t end_of(const recordings::data_access& access) {
  return access.begin_byte + extent_bytes(access);
}

/// nullptr: no range has all of it.
template <class Ranges>
auto around_in(Ranges& ranges, std::uint64_t begin, std::uint64_t end) -> decltype(&ranges.begin()->second) {
  const auto after = ranges.upper_bound(begin);
  if (after == ranges.begin()) return nullptr;
  auto& found = std::prev(after)->second;
  return end <= found.end ? &found : nullptr;
}

}  // namespace

void touched_data::name(std::uint64_t begin, std::uint64_t bytes, std::string name) {
  const auto after = named_.lower_bound(begin + bytes);
  if (after != named_.begin() && std::prev(after)->second.end > begin) return;
  named_.emplace(begin, named_range{.end = begin + bytes, .name = std::move(name)});
}

std::uint64_t touched_data::name_buffer(std::uint64_t bytes, std::string name) {
  const std::uint64_t begin = next_buffer_;
  this->name(begin, bytes, std::move(name));
  next_buffer_ = page_above(begin + bytes);
  return begin;
}

void touched_data::allocate(const allocated_data& what) {
  const std::uint64_t end = what.begin + what.bytes;
  const auto after = arrays_.lower_bound(end);
  if (after != arrays_.begin() && std::prev(after)->second.end > what.begin) return;
  arrays_.emplace(what.begin, array_range{.end = end, .number = what.number, .how = what.how});
}

void touched_data::add(const recordings::data_access& at_address) {
  if (named_range* const found = around_in(named_, at_address.begin_byte, end_of(at_address))) {
    found->touched = true;
    return;
  }
  if (array_range* const found = around_in(arrays_, at_address.begin_byte, end_of(at_address))) {
    found->touched = true;
    return;
  }
  std::uint64_t lo = page_below(at_address.begin_byte);
  std::uint64_t hi = page_above(end_of(at_address));
  auto next = unnamed_.upper_bound(lo);
  if (next != unnamed_.begin()) {
    const auto before = std::prev(next);
    if (before->second >= hi) return;
    if (before->second >= lo) next = before;
  }
  while (next != unnamed_.end() && next->first <= hi) {
    lo = std::min(lo, next->first);
    hi = std::max(hi, next->second);
    next = unnamed_.erase(next);
  }
  unnamed_.emplace_hint(next, lo, hi);
}

block_layout touched_data::layout() const {
  block_layout made;
  for (const auto& [begin, range] : named_) {
    if (!range.touched) continue;
    if (begin >= first_buffer_address) made.buffers_.push_back(static_cast<std::uint32_t>(made.blocks_.size()));
    made.add(made.named_, begin, range.end, range.name);
  }
  std::size_t number = 0;
  for (const auto& [begin, range] : arrays_)
    if (range.touched) made.add(made.arrays_, begin, range.end, "data " + std::to_string(++number));
  for (const auto& [begin, end] : unnamed_) made.add(made.unnamed_, begin, end, "data " + std::to_string(++number));
  note_allocations(made);
  return made;
}

/// A block that is a part of an array was allocated with it.
void touched_data::note_allocations(block_layout& in) const {
  std::vector<std::pair<std::uint64_t, recordings::allocation>> found;  // by the array's number
  for (const auto* const ranges : {&in.named_, &in.arrays_})
    for (const block_layout::range& one : *ranges)
      if (const array_range* const array = around_in(arrays_, one.begin, one.end))
        found.emplace_back(array->number, recordings::allocation{.block = one.block, .how = array->how});
  std::ranges::sort(found, {}, [](const auto& one) { return std::pair(one.first, one.second.block); });
  for (const auto& one : found) in.allocations_.push_back(one.second);
}

void block_layout::add(std::vector<range>& to, std::uint64_t begin, std::uint64_t end, std::string name) {
  to.push_back({begin, end, static_cast<std::uint32_t>(blocks_.size())});
  blocks_.push_back({std::move(name), end - page_below(begin)});
}

const block_layout::range* block_layout::around(const std::vector<range>& sorted, std::uint64_t begin,
                                                std::uint64_t end) noexcept {
  const auto after = std::ranges::upper_bound(sorted, begin, {}, &range::begin);
  if (after == sorted.begin()) return nullptr;
  const range& found = *std::prev(after);
  return end <= found.end ? &found : nullptr;
}

recordings::data_access block_layout::placed(recordings::data_access at_address) const {
  const std::uint64_t end = end_of(at_address);
  const range* found = around(named_, at_address.begin_byte, end);
  if (found == nullptr) found = around(arrays_, at_address.begin_byte, end);
  if (found == nullptr) found = around(unnamed_, at_address.begin_byte, end);
  at_address.block = found->block;
  at_address.begin_byte -= page_below(found->begin);
  return at_address;
}

}  // namespace nearfork
