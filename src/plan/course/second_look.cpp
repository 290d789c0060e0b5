#include "plan/course/second_look.hpp"

#include <algorithm>
#include <span>
#include <string>
#include <utility>

#include "plan/packing/packed_plan.hpp"

namespace nearfork {
namespace {

/// After so many plain iterations caches have what plain stealing leaves in them.
constexpr std::size_t settling = 4;
/// So many after these are evidence. With normal noise of 1.5% plain stealing wins in 5 of 100 looks if both take as
/// long, and in 85 of 100 if it is faster by 1.8% (simulated, against the plan's last 16).
constexpr std::size_t most_evidence = 15;
constexpr double least_gain_of_plain = 0.01;

/// The look ends once none of `count` iterations was faster than `times` the plan's median.
struct hopeless_after {
  std::size_t count;
  double times;
};
constexpr hopeless_after hopeless[] = {{3, 1.1}, {8, 1.0}};

double in_ns(std::uint64_t duration) noexcept {
  return static_cast<double>(duration);
}

std::uint64_t middle_of(std::span<const std::uint64_t> ascending) noexcept {
  return ascending[(ascending.size() - 1) / 2];
}

trial_summary later_trial(trial_id trial, std::string what, std::span<const std::uint64_t> ascending) {
  return {.trial = trial,
          .what = std::move(what),
          .iterations = ascending.size(),
          .shortest_ns = ascending.front(),
          .median_ns = middle_of(ascending)};
}

}  // namespace

bool second_look::is_due(std::uint64_t settled_for, double excess) const noexcept {
  constexpr double least_settled = 32;
  constexpr double least_of_excess = 400;  // a look at what is clearly slower costs about four times its excess
  constexpr std::uint32_t most_doublings = 8;
  const double wait = least_settled + least_of_excess * excess;
  return in_ns(settled_for) >= wait * static_cast<double>(1U << std::min(looks_, most_doublings));
}

plan second_look::begin(plan settled, std::vector<std::uint64_t> lately_ns) {
  aside_ = std::move(settled);
  planned_ = std::move(lately_ns);
  std::ranges::sort(planned_);
  plain_.clear();
  is_on_ = true;
  ++looks_;
  plan made = stays_plain(aside_.why());
  made.retell([](plan_explanation& why) { why.decision = plan_decision::trying_plain; });
  made.describe({.settled = false}, made.why());
  return made;
}

bool second_look::add(std::uint64_t duration_ns) {
  plain_.push_back(duration_ns);
  const double planned_ns = in_ns(middle_of(planned_));
  const double shortest_ns = in_ns(std::ranges::min(plain_));
  const auto has_lost = [&](const hopeless_after& rule) {
    return plain_.size() == rule.count && shortest_ns > rule.times * planned_ns;
  };
  return std::ranges::any_of(hopeless, has_lost) || plain_.size() == settling + most_evidence;
}

plan second_look::end() {
  is_on_ = false;
  const bool is_whole = plain_.size() == settling + most_evidence;
  if (is_whole) plain_.erase(plain_.begin(), plain_.begin() + settling);
  std::ranges::sort(plain_);
  aside_.retell([&](plan_explanation& why) {
    why.later_trials = {later_trial(aside_.standing().trial, "the plan later", planned_),
                        later_trial({}, "plain stealing later", plain_)};
    why.later_trials.back().given_up = !is_whole;
  });
  const bool is_faster = in_ns(middle_of(plain_)) < (1 - least_gain_of_plain) * in_ns(middle_of(planned_));
  if (!is_whole || !is_faster) return std::exchange(aside_, {});
  plan plain = stays_plain(aside_.why());
  if (aside_.data().moved_share > 0) plain.place_data(aside_.data());  // a move that is still to come
  return plain;
}

}  // namespace nearfork
