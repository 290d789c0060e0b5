#include "plan/course/data_course.hpp"

#include <utility>

#include "plan/packing/tuning.hpp"

namespace nearfork {

data_step data_course::begin(const plan& in_force, std::uint64_t data_bytes) {
  now_ = {in_force.data(), in_force.standing().trial};
  if (state_ == state::taking_back) return {data_act::take_back, {}};
  if (!now_.parts.borders.empty()) {
    // What took long to move is not moved back for a plan that is only tried.
    const bool stays = followed_.moved_share > 0 && !in_force.standing().settled;
    if (state_ == state::unsplit) follow(now_.parts);
    else if (stays || now_.parts == followed_ || now_.parts == rejected_) waiting_ = {};
    else if (now_ != waiting_) {
      waiting_ = now_;
      waited_ = {};
      waited_ns_ = 0;
    } else if (has_waited(data_bytes)) {
      judged_ = now_;
      before_ = waited_;
      follow(now_.parts);
    }
  }
  if (state_ == state::unsplit) return {};
  return {data_act::follow, followed_};
}

bool data_course::has_waited(std::uint64_t data_bytes) const noexcept {
  constexpr double moving_ns_per_byte = 0.9;  // 3.6 us for a page of 4 KiB
  const double moving_ns = moving_ns_per_byte * waiting_.parts.moved_share * static_cast<double>(data_bytes);
  return waited_.kept().size() == iteration_digest::most_kept && static_cast<double>(waited_ns_) >= moving_ns;
}

void data_course::follow(const data_parts& parts) {
  previous_ = std::exchange(followed_, parts);
  waiting_ = {};
  after_ = {};
  moved_any_ = false;
  state_ = state::moving;
}

void data_course::end(const data_outcome& outcome) {
  const bool evidence = outcome.duration_ns && state_ == state::split && !outcome.moved && outcome.in_place;
  const bool is_first = std::exchange(settles_, false);
  end_of_step(outcome);
  if (evidence && !is_first) learn(*outcome.duration_ns);
}

void data_course::end_of_step(const data_outcome& outcome) {
  moved_any_ |= outcome.moved;
  if (outcome.moved) settles_ = true;
  if (!outcome.in_place || state_ == state::split || state_ == state::unsplit) return;
  if (state_ == state::taking_back) {
    rejected_ = std::exchange(followed_, std::exchange(previous_, {}));
    ++undone_;
  } else if (!moved_any_) {
    judged_.reset();  // it cost nothing and moved no touched page
  }
  state_ = state::split;
}

void data_course::learn(std::uint64_t duration_ns) {
  if (now_ == waiting_) {
    waited_.add(duration_ns);
    waited_ns_ += duration_ns;
  }
  if (!judged_ || now_.parts.borders.empty()) return;  // a look aside: the plan comes again
  if (now_ != *judged_) return judged_.reset();        // the plan has changed, so its times say nothing about the move
  after_.add(duration_ns);
  if (after_.kept().size() < iteration_digest::most_kept) return;
  if (compare(before_, after_) == verdict::better) state_ = state::taking_back;
  judged_.reset();
}

}  // namespace nearfork
