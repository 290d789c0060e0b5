// Who uses a pipeline's source next, with a clock made by hand.
#include <nearfork/detail/tasks/pipeline_turns.hpp>

#include <gtest/gtest.h>

#include <cstddef>
#include <cstdint>

namespace nearfork::detail {
namespace {

using next = pipeline_turns::next;

/// Each look at the clock takes `step`.
struct clock_by_hand {
  static inline std::uint64_t now = 1;
  static inline std::uint64_t step = 0;
  static std::uint64_t look() noexcept { return now += step; }
};

class turns_of_a_pipeline : public testing::Test {
 protected:
  void SetUp() override {
    clock_by_hand::now = 1;
    clock_by_hand::step = 0;
  }
  static bool waits_for(pipeline_turns& turns) {
    clock_by_hand::step = pipeline_turns::first_wait / 8;
    const bool has_source = turns.comes([] { return false; });
    clock_by_hand::step = 0;
    return has_source;
  }
};

TEST_F(turns_of_a_pipeline, call_one_task_at_a_time_and_only_while_there_are_tokens) {
  pipeline_turns turns(2, &clock_by_hand::look);
  pipeline_turns::turn first, second, third;
  EXPECT_TRUE(turns.took_item(first));
  EXPECT_EQ(first.number, 0U);
  ASSERT_TRUE(waits_for(turns)) << "the source is free, and nobody else uses it";
  EXPECT_FALSE(turns.took_item(second)) << "no token is left";
  EXPECT_EQ(second.number, 1U);
  EXPECT_EQ(turns.item_waits(second), next::ends) << "the first brings it out";
  EXPECT_EQ(turns.item_left(first), next::has_source);
  EXPECT_FALSE(turns.took_item(third));
  EXPECT_EQ(third.number, 2U);
}

TEST_F(turns_of_a_pipeline, go_on_with_the_task_whose_item_waits) {
  pipeline_turns turns(3, &clock_by_hand::look);
  pipeline_turns::turn mine;
  EXPECT_TRUE(turns.took_item(mine));
  EXPECT_EQ(turns.item_waits(mine), next::has_source);
  EXPECT_FALSE(turns.took_item(mine)) << "one was called already";
}

TEST_F(turns_of_a_pipeline, are_waited_for_where_another_has_the_source) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn mine, others;
  EXPECT_TRUE(turns.took_item(mine));
  EXPECT_TRUE(waits_for(turns));                           // the called task has the source
  EXPECT_EQ(turns.item_left(mine), next::waits_for_turn);  // nobody else does
  EXPECT_FALSE(turns.took_item(others));
  EXPECT_TRUE(waits_for(turns)) << "the other's item takes long";
  EXPECT_EQ(turns.item_left(others), next::waits_for_turn);
  EXPECT_FALSE(waits_for(turns)) << "the source takes long; whoever has it calls another task";
  EXPECT_TRUE(turns.took_item(mine));
}

TEST_F(turns_of_a_pipeline, are_left_to_a_task_with_tiny_items) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn busy;
  EXPECT_TRUE(turns.took_item(busy));
  // Each time that the called task looks whether it has to stop, the other has brought an item through. The source is
  // slow: whenever the called task looks at it, it is in use.
  clock_by_hand::step = pipeline_turns::first_wait / 8;
  int looks = 0;
  EXPECT_EQ(turns.item_left(busy), next::has_source);
  EXPECT_FALSE(turns.comes([&] {
    ++looks;
    EXPECT_FALSE(turns.took_item(busy));
    EXPECT_EQ(turns.item_left(busy), next::has_source);
    return false;
  }));
  EXPECT_GT(looks, 2);
  EXPECT_LT(looks, 10);
  EXPECT_TRUE(turns.took_item(busy)) << "another may be called now";
}

// The task with tiny items may wait in a filter just now, for an item that nobody else would take from the source.
TEST_F(turns_of_a_pipeline, are_not_given_up_while_the_source_is_free) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn busy;
  EXPECT_TRUE(turns.took_item(busy));
  clock_by_hand::step = pipeline_turns::first_wait / 8;
  int looks = 0;
  EXPECT_TRUE(turns.comes([&] {
    if (++looks > 20) return false;  // the busy task's item takes long
    EXPECT_EQ(turns.item_left(busy), next::has_source);
    EXPECT_FALSE(turns.took_item(busy));
    return false;
  }));
  EXPECT_GT(looks, 20);
}

TEST_F(turns_of_a_pipeline, let_one_of_two_tasks_with_tiny_items_stand_back) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn one, other;
  EXPECT_TRUE(turns.took_item(one));
  EXPECT_TRUE(waits_for(turns));
  int rounds = 0;
  next now = next::has_source;
  while (now == next::has_source && rounds < 10) {
    ++rounds;
    clock_by_hand::now += pipeline_turns::tiny / 4;
    static_cast<void>(turns.took_item(other));
    now = turns.item_left(one);
    if (now != next::has_source) break;
    clock_by_hand::now += pipeline_turns::tiny / 4;
    static_cast<void>(turns.took_item(one));
    now = turns.item_left(other);
  }
  EXPECT_EQ(now, next::ends) << "one was called already";
  EXPECT_LE(rounds, 3);
}

TEST_F(turns_of_a_pipeline, are_shared_by_tasks_whose_items_take_longer) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn one, other;
  EXPECT_TRUE(turns.took_item(one));
  EXPECT_TRUE(waits_for(turns));
  for (int round = 0; round < 10; ++round) {
    clock_by_hand::now += 2 * pipeline_turns::tiny;
    static_cast<void>(turns.took_item(other));
    ASSERT_EQ(turns.item_left(one), next::has_source);
    clock_by_hand::now += 2 * pipeline_turns::tiny;
    static_cast<void>(turns.took_item(one));
    ASSERT_EQ(turns.item_left(other), next::has_source);
  }
}

// All others have gone just before the called task would give up: one has no token, the other stands back.
TEST_F(turns_of_a_pipeline, fall_to_the_called_task_when_all_others_have_gone) {
  pipeline_turns turns(3, &clock_by_hand::look);
  pipeline_turns::turn one, other;
  EXPECT_TRUE(turns.took_item(one));
  EXPECT_TRUE(waits_for(turns));
  EXPECT_TRUE(turns.took_item(other));
  clock_by_hand::step = pipeline_turns::first_wait / 8;
  int looks = 0;
  EXPECT_TRUE(turns.comes([&] {
    clock_by_hand::step = 1;
    ++looks;
    if (looks == 5) {
      EXPECT_EQ(turns.item_left(one), next::has_source);
      EXPECT_FALSE(turns.took_item(one));
      EXPECT_EQ(turns.item_waits(other), next::has_source);
      EXPECT_FALSE(turns.took_item(other));
      EXPECT_EQ(turns.item_waits(other), next::ends);
      EXPECT_EQ(turns.item_left(one), next::ends);
    } else if (looks < 5) {
      EXPECT_EQ(turns.item_left(other), next::has_source);
      EXPECT_FALSE(turns.took_item(other));
    }
    clock_by_hand::step = pipeline_turns::first_wait / 8;
    return false;
  }));
}

TEST_F(turns_of_a_pipeline, end_with_the_source) {
  pipeline_turns turns(8, &clock_by_hand::look);
  pipeline_turns::turn mine;
  EXPECT_TRUE(turns.took_item(mine));
  EXPECT_EQ(turns.item_left(mine), next::has_source);
  turns.source_ended();
  EXPECT_FALSE(waits_for(turns));
  EXPECT_FALSE(turns.brought_out());
}

TEST_F(turns_of_a_pipeline, call_a_task_where_waiting_items_leave_and_nobody_uses_the_source) {
  pipeline_turns turns(2, &clock_by_hand::look);
  pipeline_turns::turn first, second;
  EXPECT_TRUE(turns.took_item(first));
  EXPECT_TRUE(waits_for(turns));
  EXPECT_FALSE(turns.took_item(second));
  EXPECT_EQ(turns.item_waits(second), next::ends);
  EXPECT_TRUE(turns.other_left());  // the second, brought out by the task with the first
  EXPECT_TRUE(waits_for(turns));
  EXPECT_FALSE(turns.brought_out()) << "the source is in use";
}

}  // namespace
}  // namespace nearfork::detail
