#include "runtime/sight/watched_blocks.hpp"

#include <algorithm>
#include <iterator>
#include <utility>

namespace nearfork {
namespace {

constexpr std::uint64_t least_asked = 16;
constexpr std::size_t longest_joined_name = 60;

std::uint64_t size_of(const watched_block& one) {
  return one.end - one.begin;
}

void add_name(std::string& to, const std::string& name) {
  if (to.find(name) != std::string::npos) return;
  if (to.empty()) to = name;
  else if (to.size() + name.size() + 2 <= longest_joined_name) to += ", " + name;
}

}  // namespace

bool watched_blocks::make_room_for(std::uint64_t bytes) {
  if (living_.size() + past_.size() < most_) return true;
  ++left_out_;
  const auto old = std::ranges::min_element(past_, {}, size_of);
  if (old != past_.end() && size_of(*old) < bytes) {
    past_.erase(old);
    return true;
  }
  const auto small = std::ranges::min_element(living_, {}, [](const auto& one) { return size_of(one.second); });
  if (small == living_.end() || size_of(small->second) >= bytes) return false;
  last_refused_ = std::max(last_refused_, small->second.number);
  living_.erase(small);
  return true;
}

watched_block* watched_blocks::add(std::uintptr_t begin, std::uintptr_t end, std::uint64_t number) {
  if (!make_room_for(end - begin)) return nullptr;
  const std::uint64_t asked = std::max(least_asked, pages_at_once_ / (living_.size() + 1));
  watched_block made{
      .id = ++ids_, .number = number, .begin = begin, .end = end, .pages = page_sample(begin, end, page_bytes_, asked)};
  return &living_.emplace(begin, std::move(made)).first->second;
}

/// What overlaps [begin, end) is there no more, or is seen as a part of something else.
void watched_blocks::retire(std::uintptr_t begin, std::uintptr_t end) {
  auto at = living_.lower_bound(begin);
  if (at != living_.begin() && std::prev(at)->second.end > begin) --at;
  while (at != living_.end() && at->second.begin < end) {
    if (at->second.looked_at) past_.push_back(std::move(at->second));
    at = living_.erase(at);
  }
}

void watched_blocks::take_living(std::span<const living_block> all) {
  std::vector<std::uint64_t> numbers;
  for (const living_block& one : all) numbers.push_back(one.number);
  std::ranges::sort(numbers);
  for (auto at = living_.begin(); at != living_.end();) {
    const watched_block& known = at->second;
    const auto next = std::next(at);
    if (known.number != 0 && !std::ranges::binary_search(numbers, known.number)) retire(known.begin, known.end);
    at = next;
  }
  for (const living_block& one : all) {
    if (one.bytes == 0) continue;
    const watched_block* const known = at(one.begin);
    if ((known != nullptr && known->number == one.number) || one.number <= last_refused_) continue;
    retire(one.begin, one.begin + one.bytes);
    if (add(one.begin, one.begin + one.bytes, one.number) == nullptr)
      last_refused_ = std::max(last_refused_, one.number);
  }
}

void watched_blocks::take_named(std::uintptr_t begin, std::uintptr_t end, const std::string& name) {
  if (begin >= end) return;
  if (watched_block* const known = at(begin); known != nullptr && end <= known->end) return add_name(known->name, name);
  retire(begin, end);
  if (watched_block* const made = add(begin, end, 0)) made->name = name;
}

void watched_blocks::take_touched(std::uintptr_t begin, std::uintptr_t end) {
  if (begin >= end) return;
  if (const watched_block* const known = at(begin); known != nullptr && end <= known->end) return;
  std::uintptr_t lo = begin / page_bytes_ * page_bytes_;
  std::uintptr_t hi = (end + page_bytes_ - 1) / page_bytes_ * page_bytes_;
  auto next = living_.lower_bound(lo);
  if (next != living_.begin() && std::prev(next)->second.end >= lo) --next;
  std::vector<std::uintptr_t> merged;
  for (; next != living_.end() && next->second.begin <= hi; ++next) {
    const watched_block& known = next->second;
    if (known.number == 0 && known.name.empty()) {
      lo = std::min(lo, known.begin);
      hi = std::max(hi, known.end);
      merged.push_back(next->first);
    } else if (known.end <= begin) {
      lo = std::max(lo, known.end);
    } else if (known.begin >= end) {
      hi = std::min(hi, known.begin);
      break;
    } else {
      return;  // in part in a block with borders
    }
  }
  for (const std::uintptr_t one : merged) living_.erase(one);
  (void)add(lo, hi, 0);
}

watched_block* watched_blocks::at(std::uintptr_t address) {
  const auto after = living_.upper_bound(address);
  if (after == living_.begin()) return nullptr;
  watched_block& found = std::prev(after)->second;
  return address < found.end ? &found : nullptr;
}

std::vector<const watched_block*> watched_blocks::all() const {
  std::vector<const watched_block*> made;
  for (const auto& [begin, one] : living_) made.push_back(&one);
  for (const watched_block& one : past_) made.push_back(&one);
  std::ranges::sort(made, [](const watched_block* a, const watched_block* b) {
    return std::pair(size_of(*b), a->id) < std::pair(size_of(*a), b->id);
  });
  return made;
}

}  // namespace nearfork
