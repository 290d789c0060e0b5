// Task groups, threads from outside, hand-over by locks and flags.
#include <nearfork/nearfork.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;

void nap() {
  std::this_thread::sleep_for(std::chrono::microseconds(300));
}

void nest(int depth, std::vector<long>& results, std::size_t at) {
  if (depth == 0) {
    nap();
    results[at] = 1;
    return;
  }
  nearfork::task_group group;
  const std::size_t width = results.size() >> (6 - depth + 1);
  group.spawn([&results, depth, at] { nest(depth - 1, results, at); });
  group.spawn([&results, depth, at, width, label = std::string("a closure that does not fit a cell")] {
    if (!label.empty()) nest(depth - 1, results, at + width);
  });
  group.sync();
}
const program nested("nested_groups", [] {
  std::vector<long> results(64);
  nearfork::run([&] { nest(6, results, 0); });
  for (const long one : results) expect_equal(one, 1, "a leaf");
});

const program many("many_small_tasks", [] {
  std::vector<int> seen(20000);
  nearfork::run([&] {
    for (int round = 0; round < 3; ++round) {
      nearfork::task_group group;
      for (std::size_t i = 0; i < seen.size(); ++i) group.spawn([&seen, i] { ++seen[i]; });
      group.sync();
    }
  });
  for (const int times : seen) expect_equal(times, 3, "each task once a round");
});

const program outside("spawned_from_threads", [] {
  std::vector<std::unique_ptr<std::string>> results(200);
  nearfork::task_group group;
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < 4; ++t)
    threads.emplace_back([&, t] {
      for (std::size_t i = 0; i < 50; ++i)
        group.spawn([&results, at = 50 * t + i] {
          results[at] = std::make_unique<std::string>("made by task " + std::to_string(at));
        });
    });
  for (std::thread& one : threads) one.join();
  group.sync();
  for (std::size_t i = 0; i < results.size(); ++i)
    expect_equal(*results[i], "made by task " + std::to_string(i), "a result");
});

const program group_failures("groups_that_fail", [] {
  nearfork::run([] {
    for (int round = 0; round < 30; ++round) {
      char frame[100] = "what stands in the frame";
      nearfork::task_group group;
      for (int i = 0; i < 40; ++i)
        group.spawn([&frame, i] {
          char own[64] = {};
          own[i] = frame[i];
          if (i % 7 == 3) throw std::runtime_error(std::string("task failed: ") + own[i]);
          if (i % 5 == 0) nap();
        });
      try {
        group.sync();
        expect(false, "an exception");
      } catch (const std::runtime_error& failed) {
        expect(std::string(failed.what()).starts_with("task failed"), "its text");
      }
    }
  });
});

/// Futures by hand: other tasks take, under a lock, what one task makes.
class promises {
 public:
  void keep(int key, std::shared_ptr<std::string> value) {
    const std::lock_guard lock(mutex_);
    kept_[key] = std::move(value);
  }
  std::shared_ptr<std::string> look(int key) {
    const std::lock_guard lock(mutex_);
    const auto found = kept_.find(key);
    return found == kept_.end() ? nullptr : found->second;
  }

 private:
  std::mutex mutex_;
  std::map<int, std::shared_ptr<std::string>> kept_;
};
const program futures("promises_by_mutex", [] {
  promises shared;
  std::atomic<int> taken{0};
  nearfork::run([&] {
    nearfork::task_group group;
    for (int i = 0; i < 200; ++i)
      group.spawn([&shared, &taken, i] {
        auto before = shared.look(i - 1);
        if (before) {
          ++taken;
          expect_equal(*before, "value " + std::to_string(i - 1), "what the other one made");
        }
        shared.keep(i, std::make_shared<std::string>("value " + std::to_string(i)));
      });
    group.sync();
  });
  for (int i = 0; i < 200; ++i) expect_equal(*shared.look(i), "value " + std::to_string(i), "all were made");
});

const program flags("hand_over_by_flag", [] {
  for (int round = 0; round < 50; ++round) {
    std::string message;
    std::atomic<bool> ready{false};
    nearfork::fork_join(
        [&] {
          message = "written before the flag, round " + std::to_string(round);
          ready.store(true, std::memory_order_release);
        },
        [&] {
          if (ready.load(std::memory_order_acquire)) expect(message.starts_with("written"), "the message");
        });
  }
});

/// More stacks wait at once than are kept for later, so some stacks lose their pages and get new ones.
const program bursts("bursts_of_stacks", [] {
  for (int round = 0; round < 2; ++round) {
    std::atomic<long> done{0};
    nearfork::task_group outer;
    for (int i = 0; i < 150; ++i)
      outer.spawn([&done, i] {
        char frame[3000] = {};
        nearfork::task_group inner;
        std::string text;
        std::thread([&] {
          inner.spawn([&text, i] { text = "from elsewhere, for task " + std::to_string(i); });
        }).join();
        inner.sync();
        frame[2000] = text.back();
        done += frame[2000] == static_cast<char>('0' + i % 10) ? 1 : 0;
      });
    outer.sync();
    expect_equal(done.load(), 150, "each task, with what its own one left");
  }
});

/// One lock and one condition variable between tasks and a thread that is no worker.
const program conversation("thread_and_tasks", [] {
  std::mutex mutex;
  std::condition_variable filled;
  std::vector<int> mailbox;
  std::thread reader([&] {
    int got = 0;
    std::unique_lock lock(mutex);
    while (got < 100) {
      filled.wait(lock, [&] { return !mailbox.empty(); });
      got += static_cast<int>(mailbox.size());
      mailbox.clear();
    }
  });
  nearfork::parallel_for(0, 100,
                         [&](int i) {
                           const std::lock_guard lock(mutex);
                           mailbox.push_back(i);
                           filled.notify_one();
                         },
                         {.grain = 1, .cancel = {}});
  reader.join();
});

}  // namespace
