#include "runtime/groups/lane_jobs.hpp"

#include <nearfork/detail/coarse_ticks.hpp>
#include <nearfork/detail/short_loop.hpp>

#include "base/sanitizer_calls.hpp"
#include "runtime/protocols/lane_owner.hpp"

namespace nearfork::detail {
namespace {

class lane_owner {
 public:
  lane_owner(crew& home, outside_lane& own) noexcept : home_(home), own_(own) {}

  [[nodiscard]] parking_lot& lot() noexcept { return home_.lot(); }
  void notify_one() noexcept { home_.notify_one_near_caller(); }
  /// Some jobs for a worker at a time: where the worker was as quick as the spawner, each came alone, and took 0.3 us.
  /// Whoever spawns seldom shares at once.
  [[nodiscard]] bool holds_back() const noexcept {
    constexpr std::size_t some = 8;
    constexpr std::uint64_t soon_ticks = look_up_ticks / 4;
    return own_.jobs.owner_private_count() < some && coarse_ticks() - own_.shared_at < soon_ticks;
  }
  void before_push() noexcept { sanitizers::hand_over(own_.jobs.pushed_address()); }
  void before_share() noexcept { sanitizers::hand_over(&own_.jobs); }
  void after_share() noexcept {
    own_.shared_at = coarse_ticks();
    if (own_.coarse.go_on()) own_.jobs.request();
  }

 private:
  crew& home_;
  outside_lane& own_;
};

}  // namespace

outside_lane* claim_lane(crew& home) noexcept {
  outside_lane* const own = home.lanes().claim();
  if (own != nullptr) own->shared_at = coarse_ticks();
  return own;
}

bool push_in_lane(crew& home, outside_lane& own, job& pushed) noexcept {
  lane_owner around(home, own);
  return nearfork::push_in_lane(own.jobs, &pushed, around);
}

job* pop_from_lane(crew& home, outside_lane& own) noexcept {
  lane_owner around(home, own);
  return nearfork::pop_from_lane(own.jobs, around);
}

void open_lane(crew& home, outside_lane& own) noexcept {
  lane_owner around(home, own);
  nearfork::open_lane(own.jobs, around);
}

}  // namespace nearfork::detail
