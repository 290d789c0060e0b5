// Threads that write, and exit() that waits for them: the real count.
#include "runtime/protocols/process_writers.hpp"

#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

constexpr std::uint32_t parent = 7;
constexpr std::uint32_t child = 8;

struct files {
  process_writers writers;
  detail::seam::plain<int> first{0};
  detail::seam::plain<int> second{0};
};

/// The first two writers of a child: what the parent counted is no longer valid.
TEST(process_writers_model, exit_waits_for_both_first_writers) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<files>();
        s->writers.begin(parent);  // by a thread that the child does not have
        auto begun = std::make_shared<detail::seam::atomic<std::uint32_t>>(0);
        const auto write = [=](detail::seam::plain<int> files::* into) {
          s->writers.begin(child);
          begun->fetch_add(1, detail::seam::memory_order_acq_rel);
          (*s).*into = 1;
          s->writers.end();
        };
        made.thread([=] { write(&files::first); });
        made.thread([=] { write(&files::second); });
        made.thread([=] {
          if (begun->load(detail::seam::memory_order_acquire) < 2) return;
          s->writers.wait(child);
          model::require(s->first == 1 && s->second == 1, "both have written");
        });
        made.finally([=] { s->writers.wait(child); });
      },
      {.preemptions = 3}));
}

TEST(process_writers_model, nobody_waits_for_writers_of_the_parent) {
  expect_holds(model::explore(
      [](model::program& made) {
        auto s = std::make_shared<files>();
        made.thread([=] { s->writers.begin(parent); });
        made.thread([=] { s->writers.wait(child); });
      },
      {.preemptions = 3}));
}

}  // namespace
