#include "memory/pools/node_pools_supply.hpp"

#include <algorithm>
#include <mutex>

#include "memory/system/poison.hpp"
#include "memory/system/region_memory.hpp"

namespace nearfork {

void* span_supply::take() noexcept {
  const std::lock_guard guard(lock_);
  if (facts_.reserve > 0) return reserve_[--facts_.reserve];
  if (refusal_stands_for_ > 0) {
    --refusal_stands_for_;
    return nullptr;
  }
  const taken_span got = source_->take(facts_.node);
  if (got.start == nullptr) {
    refuse(got.errno_value);
    return nullptr;
  }
  if (got.binding == span_binding::first_touch) {
    if (strict_ != nullptr && strict_()) {
      source_->give_back(got.start);
      refuse(got.errno_value);
      refusal_stands_for_ = 0;  // strict mode may end before the next take
      return nullptr;
    }
    ++facts_.first_touch;
    facts_.first_touch_at = used_memory.count_shortfall();
    facts_.binding_errno = got.errno_value;
  }
  ++facts_.taken;
  facts_.peak_spans = std::max(facts_.peak_spans, ++facts_.spans);
  poison::span_taken(got.start, span_bytes);
  return got.start;
}

void span_supply::refuse(int cause) noexcept {
  ++facts_.refused;
  facts_.refusal_errno = cause;
  refusal_stands_for_ = takes_per_refusal;
}

void span_supply::put_back(void* start) noexcept {
  const std::lock_guard guard(lock_);
  refusal_stands_for_ = 0;
  if (facts_.reserve < most_reserve) reserve_[facts_.reserve++] = start;
  else return_to_source(start);
}

std::uint64_t span_supply::give_back_reserve() noexcept {
  const std::lock_guard guard(lock_);
  const std::uint64_t given = facts_.reserve;
  refusal_stands_for_ = 0;
  while (facts_.reserve > 0) return_to_source(reserve_[--facts_.reserve]);
  return given;
}

void span_supply::return_to_source(void* start) noexcept {
  poison::span_given_back(start, span_bytes);
  source_->give_back(start);
  --facts_.spans;
  ++facts_.given_back;
}

void span_supply::count_block_elsewhere() noexcept {
  const std::lock_guard guard(lock_);
  ++facts_.blocks_elsewhere;
  facts_.elsewhere_at = used_memory.count_shortfall();
}

node_pool_facts span_supply::facts() noexcept {
  const std::lock_guard guard(lock_);
  return facts_;
}

}  // namespace nearfork
