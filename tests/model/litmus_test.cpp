// What the explorer allows and what it forbids, on the classic small programs. Each test compares all outcomes, so that
// a model that is too weak and a model that is too strong both fail.
#include <gtest/gtest.h>

#include <array>
#include <memory>
#include <set>

#include "model/seam_model.hpp"

namespace {

using namespace nearfork::model;
namespace seam = nearfork::detail::seam;
using order = memory_order;

using results = std::set<std::array<int, 4>>;

/// Shared state, and what the threads read.
struct litmus {
  seam::atomic<int> x{0}, y{0};
  std::array<int, 4> read{};
};

results outcomes_of(const std::function<void(program&, const std::shared_ptr<litmus>&)>& build,
                    limits within = {.preemptions = 3}) {
  results seen;
  const outcome explored = explore(
      [&](program& made) {
        auto state = std::make_shared<litmus>();
        build(made, state);
        made.finally([state, &seen] { seen.insert(state->read); });
      },
      within);
  EXPECT_TRUE(explored.complete);
  EXPECT_EQ(explored.failure, "") << explored.schedule;
  return seen;
}

bool contains(const results& all, std::array<int, 4> one) {
  return all.contains(one);
}

results store_buffering(order stores, order loads) {
  return outcomes_of([=](program& made, const auto& s) {
    made.thread([=] {
      s->x.store(1, stores);
      s->read[0] = s->y.load(loads);
    });
    made.thread([=] {
      s->y.store(1, stores);
      s->read[1] = s->x.load(loads);
    });
  });
}

TEST(litmus, store_buffering_is_seen_unless_all_is_seq_cst) {
  EXPECT_TRUE(contains(store_buffering(order::relaxed, order::relaxed), {0, 0}));
  EXPECT_TRUE(contains(store_buffering(order::release, order::acquire), {0, 0}));
  EXPECT_TRUE(contains(store_buffering(order::release, order::seq_cst), {0, 0}));
  EXPECT_TRUE(contains(store_buffering(order::seq_cst, order::acquire), {0, 0}));
  const results strict = store_buffering(order::seq_cst, order::seq_cst);
  EXPECT_FALSE(contains(strict, {0, 0}));
  EXPECT_EQ(strict.size(), 3U);
}

results message_passing(order store, order load) {
  return outcomes_of([=](program& made, const auto& s) {
    made.thread([=] {
      s->x.store(1, order::relaxed);
      s->y.store(1, store);
    });
    made.thread([=] {
      s->read[0] = s->y.load(load);
      s->read[1] = s->x.load(order::relaxed);
    });
  });
}

TEST(litmus, a_message_arrives_whole_by_release_and_acquire_alone) {
  EXPECT_TRUE(contains(message_passing(order::relaxed, order::acquire), {1, 0}));
  EXPECT_TRUE(contains(message_passing(order::release, order::relaxed), {1, 0}));
  const results strict = message_passing(order::release, order::acquire);
  EXPECT_FALSE(contains(strict, {1, 0}));
  EXPECT_EQ(strict.size(), 3U);
}

TEST(litmus, one_location_is_read_in_one_order) {
  const results all = outcomes_of([](program& made, const auto& s) {
    made.thread([=] {
      s->x.store(1, order::relaxed);
      s->x.store(2, order::relaxed);
    });
    made.thread([=] {
      s->read[0] = s->x.load(order::relaxed);
      s->read[1] = s->x.load(order::relaxed);
    });
  });
  for (const auto& read : all) EXPECT_LE(read[0], read[1]);
  EXPECT_TRUE(contains(all, {0, 2}));
  EXPECT_EQ(all.size(), 6U);
}

TEST(litmus, two_readers_may_see_two_writes_in_different_orders_unless_all_is_seq_cst) {
  const auto readers = [](order stores, order loads) {
    return outcomes_of([=](program& made, const auto& s) {
      made.thread([=] { s->x.store(1, stores); });
      made.thread([=] { s->y.store(1, stores); });
      made.thread([=] {
        s->read[0] = s->x.load(loads);
        s->read[1] = s->y.load(loads);
      });
      made.thread([=] {
        s->read[2] = s->y.load(loads);
        s->read[3] = s->x.load(loads);
      });
    });
  };
  EXPECT_TRUE(contains(readers(order::release, order::acquire), {1, 0, 1, 0}));
  EXPECT_FALSE(contains(readers(order::seq_cst, order::seq_cst), {1, 0, 1, 0}));
}

TEST(litmus, a_read_modify_write_continues_the_release_sequence) {
  const results all = outcomes_of([](program& made, const auto& s) {
    made.thread([=] {
      s->x.store(1, order::relaxed);
      s->y.store(1, order::release);
    });
    made.thread([=] { s->y.fetch_add(1, order::relaxed); });
    made.thread([=] {
      s->read[0] = s->y.load(order::acquire);
      s->read[1] = s->x.load(order::relaxed);
    });
  });
  EXPECT_TRUE(contains(all, {2, 1}));
  EXPECT_FALSE(contains(all, {2, 0}));
  EXPECT_TRUE(contains(all, {1, 0})) << "the addition alone, before the store";
}

TEST(litmus, read_modify_writes_lose_nothing) {
  const results all = outcomes_of([](program& made, const auto& s) {
    for (int i = 0; i < 3; ++i) made.thread([=] { s->x.fetch_add(1, order::relaxed); });
    made.finally([=] { s->read[0] = s->x.load(order::relaxed); });
  });
  (void)all;
  const results ordered = outcomes_of([](program& made, const auto& s) {
    made.thread([=] {
      s->x.fetch_add(1, order::acq_rel);
      s->read[0] = s->y.fetch_add(0, order::acq_rel);
    });
    made.thread([=] {
      s->y.fetch_add(1, order::acq_rel);
      s->read[1] = s->x.fetch_add(0, order::acq_rel);
    });
  });
  EXPECT_FALSE(contains(ordered, {0, 0})) << "reading by a read-modify-write, both cannot come first";
}

TEST(litmus, a_preemption_bound_hides_what_needs_more) {
  const auto tearing = [](unsigned preemptions) {
    return outcomes_of(
        [](program& made, const auto& s) {
          made.thread([=] {
            s->x.store(1, order::relaxed);
            s->x.store(2, order::relaxed);
            s->x.store(3, order::relaxed);
          });
          made.thread([=] {
            s->read[0] = s->x.fetch_add(0, order::relaxed);
            s->read[1] = s->x.fetch_add(0, order::relaxed);
          });
        },
        {.preemptions = preemptions});
  };
  EXPECT_FALSE(contains(tearing(0), {1, 2}));
  EXPECT_TRUE(contains(tearing(3), {1, 2}));
}

outcome explore_one(const std::function<void(program&, const std::shared_ptr<litmus>&)>& build) {
  return explore([&](program& made) { build(made, std::make_shared<litmus>()); });
}

TEST(explorer, finds_a_race_and_accepts_what_is_ordered) {
  const auto hand_over = [](order store) {
    return explore([=](program& made) {
      struct state {
        seam::atomic<int> ready{0};
        seam::plain<int> data{0};
      };
      auto s = std::make_shared<state>();
      made.thread([=] {
        s->data = 7;
        s->ready.store(1, store);
      });
      made.thread([=] {
        if (s->ready.load(order::acquire) == 1) require(s->data == 7, "the data came along");
      });
    });
  };
  EXPECT_EQ(hand_over(order::release).failure, "");
  EXPECT_NE(hand_over(order::relaxed).failure.find("race"), std::string::npos);
}

TEST(explorer, knows_that_the_accesses_of_one_thread_are_in_order) {
  EXPECT_EQ(explore([](program& made) {
              auto data = std::make_shared<seam::plain<int>>(0);
              made.thread([=] {
                *data = *data + 1;
                *data = *data + 1;
              });
            }).failure,
            "");
}

TEST(explorer, finds_a_lost_wake_up) {
  const auto sleeper = [](bool looks_again) {
    return explore([=](program& made) {
      auto word = std::make_shared<seam::atomic<std::uint32_t>>(0U);
      made.thread([=] {
        if (word->load(order::acquire) != 0) return;
        seam::futex_wait(*word, looks_again ? 0 : word->load(order::relaxed));
      });
      made.thread([=] {
        word->store(1, order::release);
        seam::futex_wake_one(*word);
      });
    });
  };
  EXPECT_EQ(sleeper(true).failure, "");
  EXPECT_NE(sleeper(false).failure.find("deadlock"), std::string::npos);
}

TEST(explorer, lets_spinning_threads_see_what_they_wait_for) {
  EXPECT_EQ(explore_one([](program& made, const auto& s) {
              made.thread([=] {
                while (s->x.load(order::acquire) == 0) seam::pause();
              });
              made.thread([=] { s->x.store(1, order::release); });
            }).failure,
            "");
  EXPECT_NE(explore_one([](program& made, const auto& s) {
              made.thread([=] {
                while (s->x.load(order::acquire) == 0) seam::pause();
              });
            }).failure.find("livelock"),
            std::string::npos);
}

TEST(explorer, finds_the_use_of_what_is_destroyed) {
  const auto owner = [](order signal) {
    return explore([=](program& made) {
      struct state {
        std::unique_ptr<seam::atomic<int>> guarded = std::make_unique<seam::atomic<int>>(0);
        seam::atomic<int>* raw = guarded.get();
        seam::atomic<int> done{0};
      };
      auto s = std::make_shared<state>();
      made.thread([=] {
        s->raw->store(1, order::relaxed);
        s->done.store(1, signal);
      });
      made.thread([=] {
        while (s->done.load(order::acquire) == 0) seam::pause();
        std::destroy_at(s->guarded.release());
      });
    });
  };
  EXPECT_EQ(owner(order::release).failure, "");
  EXPECT_NE(owner(order::relaxed).failure.find("destroyed"), std::string::npos);
}

TEST(explorer, says_when_a_bound_was_hit) {
  const outcome cut = explore(
      [](program& made) {
        auto s = std::make_shared<litmus>();
        for (int i = 0; i < 3; ++i)
          made.thread([=] {
            for (int j = 0; j < 3; ++j) s->x.fetch_add(1, order::relaxed);
          });
      },
      {.preemptions = 4, .executions = 10});
  EXPECT_FALSE(cut.complete);
  EXPECT_EQ(cut.executions, 10U);
}

}  // namespace
