#include "plan/course/clock_search.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace nearfork {
namespace {

constexpr clock_step stride = 2;

/// Less than this is not worth a lower clock.
constexpr double least_gain = 0.01;

/// An iteration is unlike what was measured if it takes this much more or less; so many in a row are no chance. In a
/// region that changes all the time, each search has to last longer than the one before.
constexpr double unlike_by = 0.1;
constexpr std::uint32_t most_unlike = iteration_digest::most_kept;
constexpr std::uint32_t most_doublings = 10;

double as_double(std::uint64_t value) noexcept {
  return static_cast<double>(value);
}

std::string hundredths(double ratio) {
  const auto rounded = std::lround(ratio * 100);
  const std::string part = std::to_string(rounded % 100);
  return std::to_string(rounded / 100) + (part.size() < 2 ? ".0" : ".") + part;
}

}  // namespace

void clock_search::add(std::uint64_t duration_ns, std::optional<std::uint64_t> energy_nj) {
  if (!is_on()) return;
  if (settled_) return look_for_change(duration_ns);
  if (!energy_nj) return give_up("the energy of its iterations is not known");
  if (rule_.least >= normal_step) return give_up("no core has a clock below its normal one");
  // The first iteration finds clocks, and caches, as the last step left them.
  if (!here_.is_past_first || here_.since_change < rule_.settling_ns) {
    here_.is_past_first = true;
    here_.since_change += duration_ns;
    return;
  }
  here_.times.add(duration_ns);
  here_.time_ns += duration_ns;
  here_.energy_nj += as_double(*energy_nj);
  if (here_.times.kept().size() < iteration_digest::most_kept || here_.time_ns < rule_.measured_ns) return;
  tried_.push_back({.step = now_,
                    .time_ns = here_.times.median_ns(),
                    .energy_nj = here_.energy_nj / as_double(here_.times.count())});
  decide();
}

/// What is to be small, in units of what normal clocks take.
double clock_search::badness(const step_summary& of) const noexcept {
  const double energy = of.energy_nj / tried_.front().energy_nj;
  const double time = as_double(of.time_ns) / as_double(tried_.front().time_ns);
  if (rule_.goal == run_goal::edp) return energy * time;
  return time <= 1 + most_slowdown ? energy : std::numeric_limits<double>::infinity();
}

void clock_search::give_up(const char* why) {
  given_up_ = why;
  go_to(normal_step);
}

void clock_search::decide() {
  if (tried_.front().time_ns < rule_.least_iteration_ns)
    return give_up("its iterations are too short for a change of clocks");
  const step_summary& last = tried_.back();
  const bool is_better = tried_.size() == 1 || badness(last) < badness(best()) * (1 - least_gain);
  if (is_better) best_ = tried_.size() - 1;
  if (is_last_look_) return settle_at_best();
  misses_ = is_better ? 0 : misses_ + 1;
  if (last.step > rule_.least && (is_better || (misses_ == 1 && is_just_missed(last))))
    return go_to(static_cast<clock_step>(last.step - std::min<int>(stride, last.step - rule_.least)));
  const auto between = static_cast<clock_step>(best().step - 1);
  if (between < rule_.least || std::ranges::find(tried_, between, &step_summary::step) != tried_.end())
    return settle_at_best();
  is_last_look_ = true;
  go_to(between);
}

/// Times waver from step to step as work is stolen otherwise: 25p, simulated on xeon-x7560, took 1.035 of its time at
/// 12 sixteenths and 1.028 at 9.
bool clock_search::is_just_missed(const step_summary& tried) const noexcept {
  const double slower = as_double(tried.time_ns) / as_double(tried_.front().time_ns) - 1;
  return slower <= 2 * most_slowdown && tried.energy_nj < best().energy_nj * (1 - least_gain);
}

void clock_search::go_to(clock_step step) {
  now_ = step;
  here_ = {};
}

void clock_search::settle_at_best() {
  settled_ = true;
  unlike_ = 0;
  go_to(best().step);
}

void clock_search::look_for_change(std::uint64_t duration_ns) {
  const double ratio = as_double(duration_ns) / as_double(best().time_ns);
  unlike_ = ratio > 1 + unlike_by || ratio < 1 - unlike_by ? unlike_ + 1 : 0;
  if (unlike_ < most_unlike << std::min(changes_, most_doublings)) return;
  ++changes_;
  begin_anew();
}

void clock_search::begin_anew() {
  clock_search anew(rule_);
  anew.changes_ = changes_;
  anew.given_up_ = given_up_;
  *this = std::move(anew);
}

std::string clock_search::line() const {
  if (rule_.goal == run_goal::time) return {};
  const std::string goal = "goal " + std::string(name_of(rule_.goal)) + ": ";
  if (given_up_ != nullptr) return goal + "normal clocks: " + given_up_;
  if (tried_.empty()) return {};
  return goal + (settled_ ? "" : "so far ") + std::to_string(best().step) +
         "/16 of normal clocks: " + hundredths(best().energy_nj / tried_.front().energy_nj) + " of their energy, " +
         hundredths(as_double(best().time_ns) / as_double(tried_.front().time_ns)) + " of their time";
}

}  // namespace nearfork
