// The real count of a replayed task's dependences.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "runtime/protocols/dependence_count.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

struct replayed {
  dependence_count count;
  detail::seam::atomic<int> data[2]{0, 0};
  detail::seam::atomic<int> ready{0};
  detail::seam::atomic<int> skipped{0};

  void end(int which, bool lost) {
    data[which].store(1, detail::seam::memory_order_relaxed);
    const auto now = count.end_one(lost);
    if (now == dependence_count::task::waits) return;
    model::require(data[1 - which].load(detail::seam::memory_order_relaxed) == 1, "it sees what the other one wrote");
    ready.fetch_add(1, detail::seam::memory_order_relaxed);
    if (now == dependence_count::task::ready_to_be_skipped) skipped.fetch_add(1, detail::seam::memory_order_relaxed);
  }
};

// [DC1]
TEST(dependence_count_model, one_of_the_last_two_finds_the_task_ready_and_sees_all) {
  for (const bool lost : {false, true}) {
    const model::outcome result = model::explore(
        [lost](model::program& made) {
          auto one = std::make_shared<replayed>();
          one->count.begin(2);
          made.thread([=] { one->end(0, lost); });
          made.thread([=] { one->end(1, false); });
          made.finally([=] {
            model::require(one->ready.load(detail::seam::memory_order_relaxed) == 1, "ready once");
            model::require(one->skipped.load(detail::seam::memory_order_relaxed) == (lost ? 1 : 0), "told of the loss");
            one->data[0].store(1, detail::seam::memory_order_relaxed);
            one->data[1].store(1, detail::seam::memory_order_relaxed);
            model::require(one->count.end_one(false) == dependence_count::task::waits, "it has begun again");
            model::require(one->count.end_one(false) == dependence_count::task::ready, "what was lost is forgotten");
          });
        },
        {.preemptions = 4});
    expect_holds(result);
  }
}

}  // namespace
