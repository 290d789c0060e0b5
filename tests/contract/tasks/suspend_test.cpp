// suspend() and its resumers: from anywhere, once, and never in vain.
#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <exception>
#include <mutex>
#include <optional>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"
#include "tests/runtime_settings.hpp"

namespace {

using namespace std::chrono_literals;
using nearfork::resumer;
using nearfork::suspend;
using nearfork::test::message_of;
using nearfork::test::with_workers;

TEST(suspend, goes_on_when_another_thread_resumes) {
  nearfork::runtime own(with_workers(1));
  int answer = 0;
  std::thread server;
  own.run([&] {
    suspend([&](resumer done) {
      server = std::thread([&answer, done] {
        std::this_thread::sleep_for(1ms);
        answer = 42;
        done.resume();
      });
    });
    EXPECT_EQ(answer, 42);
  });
  server.join();
}

TEST(suspend, may_be_resumed_inside_its_callable) {
  nearfork::runtime own(with_workers(1));
  int reached = 0;
  const auto twice = [&] {
    for (int i = 0; i < 2; ++i) {
      suspend([](const resumer& done) { done.resume(); });
      ++reached;
    }
  };
  own.run(twice);
  twice();
  EXPECT_EQ(reached, 4);
}

TEST(suspend, puts_an_outside_thread_to_sleep) {
  std::thread server;
  suspend([&](resumer done) { server = std::thread([done] { done.resume(); }); });
  server.join();
}

TEST(suspend, is_resumed_by_tasks_of_this_and_of_another_runtime) {
  nearfork::runtime own(with_workers(1)), other(with_workers(1));
  int reached = 0;
  own.run([&] {
    suspend([&](const resumer& done) { nearfork::submit(own, [done] { done.resume(); }); });
    ++reached;
    suspend([&](const resumer& done) { nearfork::submit(other, [done] { done.resume(); }); });
    ++reached;
  });
  EXPECT_EQ(reached, 2);
}

/// On one worker. The first task's sibling lies in the deque of the task that waits.
TEST(suspend, waits_for_a_job_of_its_own_deque) {
  nearfork::runtime own(with_workers(1));
  std::optional<resumer> waiting;
  bool went_on = false;
  own.run([&] {
    nearfork::fork_join(
        [&] {
          suspend([&](resumer done) { waiting = std::move(done); });
          went_on = true;
        },
        [&] { waiting.value().resume(); });
  });
  EXPECT_TRUE(went_on);
}

TEST(suspend, lets_many_tasks_wait_at_once) {
  nearfork::runtime own(with_workers(2));
  constexpr int tasks = 300;
  std::atomic<int> waiting{0}, resumed{0};
  std::vector<std::optional<resumer>> all(tasks);
  std::thread server([&] {
    while (waiting.load() < tasks) std::this_thread::yield();
    for (auto& one : all) one->resume();
  });
  own.run([&] {
    nearfork::parallel_for(0, tasks,
                           [&](int i) {
                             suspend([&](const resumer& done) {
                               all[static_cast<std::size_t>(i)] = done;
                               ++waiting;
                             });
                             ++resumed;
                           },
                           {.grain = 1});
  });
  server.join();
  EXPECT_EQ(resumed, tasks);
}

/// More children than a deque holds, each waiting for what their parent does after it has spawned them all.
TEST(suspend, lets_more_children_wait_than_a_deque_holds) {
  constexpr int many = 9'000;
  for (const unsigned workers : {1U, 2U}) {
    if (nearfork::test::sanitized && workers == 1) continue;  // takes 20 s more
    nearfork::runtime own(with_workers(workers));
    std::mutex guard;
    std::vector<resumer> waiting;
    std::atomic<int> done{0};
    own.run([&] {
      suspend([](const resumer& at_once) { at_once.resume(); });  // from here on tasks are known to wait
      nearfork::task_group children;
      for (int i = 0; i < many; ++i)
        children.spawn([&] {
          suspend([&](resumer mine) {
            const std::lock_guard held(guard);
            waiting.push_back(std::move(mine));
          });
          done.fetch_add(1);
        });
      children.spawn([&] {
        for (int resumed = 0; resumed < many;) {
          std::vector<resumer> some;
          {
            const std::lock_guard held(guard);
            some.swap(waiting);
          }
          for (const resumer& one : some) one.resume();
          resumed += static_cast<int>(some.size());
          if (!some.empty()) continue;
          std::thread other;  // so that the worker starts the children that have not begun
          suspend([&](const resumer& later) { other = std::thread([later] { later.resume(); }); });
          other.join();
        }
      });
      children.sync();
    });
    EXPECT_EQ(done.load(), many);
  }
}

TEST(suspend, throws_what_the_resumer_failed_with) {
  nearfork::runtime own(with_workers(1));
  const auto fails = [] {
    suspend([](const resumer& done) { done.fail(std::make_exception_ptr(nearfork::error("no line"))); });
  };
  EXPECT_EQ(message_of(fails), "no line");
  EXPECT_EQ(message_of([&] { own.run(fails); }), "no line");
}

TEST(suspend, does_not_hang_if_all_resumers_are_gone) {
  nearfork::runtime own(with_workers(1));
  const auto forgets = [] { suspend([](const resumer&) {}); };
  EXPECT_NE(message_of(forgets).find("all its resumers were destroyed"), std::string::npos);
  EXPECT_NE(message_of([&] { own.run(forgets); }).find("all its resumers were destroyed"), std::string::npos);
  std::thread server;
  EXPECT_NE(message_of([&] {
              own.run([&] {
                suspend([&](resumer done) {
                  server = std::thread([gone = std::move(done)]() mutable {
                    std::this_thread::sleep_for(1ms);
                    const resumer last = std::move(gone);
                  });
                });
              });
            }).find("all its resumers were destroyed"),
            std::string::npos);
  server.join();
}

TEST(suspend, is_resumed_once) {
  std::optional<resumer> kept;
  suspend([&](const resumer& done) {
    kept = done;
    done.resume();
    EXPECT_NE(message_of([&] { done.resume(); }).find("resumed twice"), std::string::npos);
    EXPECT_FALSE(done.try_resume());
  });
  EXPECT_FALSE(kept->try_fail(std::make_exception_ptr(1))) << "also after the wait";
  const resumer moved = std::move(*kept);
  EXPECT_NE(message_of([&] { kept->resume(); }).find("moved from"), std::string::npos);  // NOLINT: on purpose
}

TEST(suspend, is_not_failed_without_an_exception) {
  suspend([&](const resumer& done) {
    EXPECT_NE(message_of([&] { done.fail(nullptr); }).find("no exception"), std::string::npos);
    done.resume();
  });
  EXPECT_NE(message_of([&] {
              suspend([&](const resumer& done) { EXPECT_TRUE(done.try_fail(nullptr)); });
            }).find("without an exception"),
            std::string::npos);
}

TEST(suspend, passes_on_what_its_callable_throws) {
  nearfork::runtime own(with_workers(1));
  std::optional<resumer> kept;
  EXPECT_EQ(message_of([&] {
              own.run([&] {
                suspend([&](const resumer& done) {
                  kept = done;
                  throw nearfork::error("no server");
                });
              });
            }),
            "no server");
  EXPECT_FALSE(kept->try_resume()) << "there was no wait";
}

TEST(suspend, does_not_begin_in_a_cancelled_task_and_ends_when_it_is_resumed) {
  nearfork::runtime own(with_workers(2));
  bool called = false, returned = false, refused = false;
  own.run([&] {
    nearfork::task_group group;
    group.spawn([&] {
      suspend([&](const resumer& done) {
        group.cancel();
        done.resume();
      });
      returned = true;
      try {
        suspend([&](const resumer&) { called = true; });
      } catch (const nearfork::cancelled&) {
        refused = true;
      }
    });
    group.sync();
  });
  EXPECT_TRUE(returned);
  EXPECT_TRUE(refused);
  EXPECT_FALSE(called);
}

TEST(suspend, keeps_its_runtime) {
  std::thread server;
  std::atomic<bool> done{false};
  {
    nearfork::runtime own(with_workers(1));
    nearfork::submit(own, [&] {
      suspend([&](resumer later) {
        server = std::thread([later] {
          std::this_thread::sleep_for(5ms);
          later.resume();
        });
      });
      done = true;
    });
  }
  EXPECT_TRUE(done);
  server.join();
}

TEST(suspend, works_with_pinned_waits) {
  nearfork::config settings = with_workers(2);
  settings.pin_waits = true;
  nearfork::runtime own(settings);
  std::thread server;
  bool same_thread = false;
  own.run([&] {
    const auto before = std::this_thread::get_id();
    suspend([&](resumer done) { server = std::thread([done] { done.resume(); }); });
    same_thread = before == std::this_thread::get_id();
  });
  server.join();
  EXPECT_TRUE(same_thread);
}

}  // namespace
