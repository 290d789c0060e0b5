#include "memory/placed/shortfall_book.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include <nearfork/error.hpp>

namespace nearfork {
namespace {

/// Facts that differ, such as nodes that are not there: a program may name a new one each time.
constexpr std::size_t most_told = 100;

}  // namespace

void shortfall_book::note(memory_shortfall fact) {
  ++times_;
  if (used_memory.is_strict())
    throw error("nearfork: strict mode, and memory could not be had as asked: " + fact.what + " (" + fact.where +
                "): " + fact.why + "; " + fact.remedy);
  fact.at = used_memory.count_shortfall();
  const auto known = std::ranges::find_if(
      told_, [&](const memory_shortfall& one) { return one.what == fact.what && one.why == fact.why; });
  const auto number = static_cast<std::size_t>(known - told_.begin());
  if (known != told_.end()) known->at = fact.at;
  else if (told_.size() < most_told) told_.push_back(std::move(fact));
  else {
    ++untold_;
    last_untold_at_ = fact.at;
    return;
  }
  if (missed_ != nullptr && std::ranges::find(*missed_, number) == missed_->end()) missed_->push_back(number);
}

void shortfall_book::count_block(std::span<const std::size_t> missed) noexcept {
  for (const std::size_t one : missed) ++told_[one].blocks;
}

void shortfall_book::count_off_block(std::span<const std::size_t> missed) noexcept {
  for (const std::size_t one : missed) --told_[one].blocks;
}

std::vector<memory_shortfall> shortfall_book::all() const {
  std::vector<memory_shortfall> all = told_;
  if (untold_ > 0)
    all.push_back({std::to_string(untold_) + " more times memory could not be had as asked", "memory of this process",
                   "only the first " + std::to_string(most_told) + " are told one by one", "see those",
                   last_untold_at_});
  return all;
}

}  // namespace nearfork
