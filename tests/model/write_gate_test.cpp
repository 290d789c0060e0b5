// The real gate before the files of clocks: nothing is written after the writes that restore.
#include <gtest/gtest.h>

#include <memory>

#include "model/expect_holds.hpp"
#include "power/write_gate.hpp"

namespace {

using namespace nearfork;
using model::expect_holds;

/// A file that the writer and the restoring thread write; only the gate keeps them apart.
struct gated_file {
  write_gate gate;
  detail::seam::plain<int> content{0};
};

// [F1], [F2]: what is restored stays.
TEST(write_gate_model, nothing_is_written_after_it_is_closed) {
  const model::outcome result = model::explore(
      [](model::program& made) {
        auto file = std::make_shared<gated_file>();
        made.thread([=] {
          for (int clock = 1; clock <= 2; ++clock) {
            if (!file->gate.try_enter()) return;
            file->content = clock;
            file->gate.leave();
          }
        });
        made.thread([=] {
          model::require(file->gate.close(), "the writer leaves");
          file->content = 7;
          model::require(!file->gate.try_enter(), "nobody enters any more");
        });
      },
      {.preemptions = 4});
  expect_holds(result);
}

}  // namespace
