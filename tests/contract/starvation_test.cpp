// A thief that comes while the owner's other jobs are private gets some of them at the owner's next join, even if the
// owner never forks again.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <thread>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::test::with_workers;

/// On the owner, a leaf lasts until the other worker has run `wanted` leaves, or gives up.
class leaves {
 public:
  explicit leaves(unsigned owner) : owner_(owner) {}

  void run(int wanted) {
    if (nearfork::this_worker::index() != owner_) {
      ran_elsewhere_.fetch_add(1);
      return;
    }
    const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (ran_elsewhere_.load() < wanted && std::chrono::steady_clock::now() < until) std::this_thread::yield();
  }
  [[nodiscard]] int ran_elsewhere() const { return ran_elsewhere_.load(); }

 private:
  const unsigned owner_;
  std::atomic<int> ran_elsewhere_{0};
};

TEST(starvation, ends_at_the_next_join_of_a_wide_fork) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    const auto leaf = [&] { all.run(1); };
    const auto second_leaf = [&] { all.run(2); };
    nearfork::fork_join(leaf, second_leaf, leaf, leaf, leaf, leaf, leaf, leaf);
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

TEST(starvation, ends_at_the_next_task_of_a_group) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    nearfork::task_group group;
    for (int i = 0; i < 8; ++i) group.spawn([&all, i] { all.run(i < 7 ? 2 : 1); });  // the owner starts with the last
    group.sync();
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

TEST(starvation, ends_at_the_next_join_on_the_way_up) {
  nearfork::runtime runtime(with_workers(2));
  runtime.run([] {
    leaves all(nearfork::this_worker::index());
    const auto leaf = [&] { all.run(2); };
    const auto nest = [&](const auto& self, int depth) -> void {
      if (depth == 0) return all.run(1);
      nearfork::fork_join([&] { self(self, depth - 1); }, leaf);
    };
    nest(nest, 8);
    EXPECT_GE(all.ran_elsewhere(), 2);
  });
}

}  // namespace
