// Fibers that come home to a worker that searches: the real place.
#include "runtime/protocols/homecoming.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

/// Who runs it writes, so that two at once are a race.
struct traveller {
  detail::seam::plain<int> runs{0};
  void run() { runs = runs + 1; }
};

struct home {
  homecoming<traveller> place;
  traveller one;
  traveller other;

  /// What a worker does after the last task of `who`.
  void end(traveller& who) {
    who.run();
    if (place.give(who)) {
      if (place.has_left(who)) return;
      if (!place.take_back(who)) return;
    }
    who.run();
  }
  /// The worker whose home it is. Two searches, of two looks each.
  void search() {
    for (int searches = 0; searches < 2; ++searches) {
      place.open();
      traveller* came = nullptr;
      for (int looks = 0; looks < 2 && came == nullptr; ++looks) came = place.try_take();
      if (came == nullptr) came = place.close();
      if (came != nullptr) came->run();
    }
  }
};

TEST(homecoming_model, each_fiber_goes_on_once) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<home>();
        made.thread([=] { s->search(); });
        made.thread([=] { s->end(s->one); });
        made.finally([=] { model::require(s->one.runs == 2, "it went on once after its last task"); });
      },
      {.preemptions = 3}));
}

TEST(homecoming_model, who_comes_when_the_worker_goes_to_sleep_goes_on_elsewhere) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<home>();
        made.thread([=] {
          s->place.open();
          if (s->place.try_take() == &s->one) return s->one.run();
          s->place.close_if_empty();
          s->search();
        });
        made.thread([=] { s->end(s->one); });
        made.finally([=] { model::require(s->one.runs == 2, "it went on once after its last task"); });
      },
      {.preemptions = 3}));
}

TEST(homecoming_model, two_that_come_at_once_both_go_on) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<home>();
        made.thread([=] { s->search(); });
        made.thread([=] { s->end(s->one); });
        made.thread([=] { s->end(s->other); });
        made.finally([=] { model::require(s->one.runs == 2 && s->other.runs == 2, "both went on"); });
      },
      {.preemptions = 2}));
}

/// The fiber was taken, ran, and is given again by another worker while the first giver still looks.
TEST(homecoming_model, a_fiber_that_comes_again_goes_on_once_more) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<home>();
        s->place.open();
        made.thread([=] {
          s->place.open();
          traveller* const came = s->place.close();
          if (came == nullptr) return;
          came->run();
          s->place.open();
          s->end(*came);
          if (traveller* const again = s->place.close()) again->run();
        });
        made.thread([=] { s->end(s->one); });
        made.finally([=] { model::require(s->one.runs == 2 || s->one.runs == 4, "each time it went on once"); });
      },
      {.preemptions = 3}));
}

}  // namespace
