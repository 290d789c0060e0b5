// Sanitizers must still find the faults that they are for: each program has one fault in a task.
#include <nearfork/nearfork.hpp>

#include <atomic>
#include <chrono>
#include <cstring>
#include <functional>
#include <memory>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;

// The flags are relaxed: they order nothing that a thread sanitizer sees. A task acts after its last call of nearfork,
// while another task waits for its flag. Nothing orders these acts with the other task's acts, so the sanitizer sees
// these races each time.

// A thread sanitizer keeps four accesses of each eight bytes and drops any of them for a fifth. So what a race is about
// fills a word of its own: beside the flags, as an int, it was forgotten in 4 of 10 runs.

/// Gives up if no worker takes the other task.
void wait_for(const std::atomic<bool>& flag) {
  for (int i = 0; i < 600000 && !flag.load(std::memory_order_relaxed); ++i)
    std::this_thread::sleep_for(std::chrono::microseconds(100));
}

long shared_by_children = 0;
const faulty_program race("thread_race_of_children", [] {
  std::atomic<bool> other_runs{false};
  std::atomic<bool> written{false};
  nearfork::fork_join(
      [&] {
        // Forks show a thief the jobs of the deque.
        while (!other_runs.load(std::memory_order_relaxed)) nearfork::fork_join([] {}, [] {});
        ++shared_by_children;
        written.store(true, std::memory_order_relaxed);
      },
      [&] {
        other_runs.store(true, std::memory_order_relaxed);
        wait_for(written);
        ++shared_by_children;
      });
});

const faulty_program race_in_group("thread_race_in_group", [] {
  std::vector<int> grown;
  std::atomic<bool> runs[2] = {};
  nearfork::run([&] {
    nearfork::task_group group;
    for (int i = 0; i < 2; ++i)
      group.spawn([&, i] {
        runs[i].store(true, std::memory_order_relaxed);
        while (!runs[1 - i].load(std::memory_order_relaxed)) std::this_thread::yield();
        grown.push_back(i);
      });
    // Waits until both tasks were taken: this frame must not run either of them itself.
    while (!runs[0].load(std::memory_order_relaxed) || !runs[1].load(std::memory_order_relaxed))
      nearfork::fork_join([] {}, [] {});
    group.sync();
  });
});

const faulty_program race_with_parent("thread_race_with_spawner", [] {
  nearfork::run([] {
    long result = 0;
    std::atomic<bool> runs{false};
    std::atomic<bool> read{false};
    nearfork::task_group group;
    group.spawn([&] {
      runs.store(true, std::memory_order_relaxed);
      wait_for(read);
      result = 1;
    });
    while (!runs.load(std::memory_order_relaxed)) nearfork::fork_join([] {}, [] {});
    if (result == 2) std::puts("read before sync()");
    read.store(true, std::memory_order_relaxed);
    group.sync();
  });
});

volatile std::size_t too_many = 11;
const faulty_program overflow("address_stack_overflow", [] {
  nearfork::fork_join([] { std::this_thread::sleep_for(std::chrono::milliseconds(2)); },
                      [] {
                        char frame[10] = {};
                        std::memset(frame, 1, too_many);
                        expect_equal(frame[9], 1, "what was written");
                      });
});

const faulty_program scope("address_use_after_scope", [] {
  nearfork::task_group group;
  nearfork::run([&] {
    std::atomic<bool> out{false};
    std::atomic<bool> ended{false};
    nearfork::task_group inner;
    {
      volatile int gone[16] = {};
      volatile int* const pointer = &gone[8];
      inner.spawn([&out, &ended, pointer] {
        wait_for(out);
        *pointer = 1;
        ended = true;
      });
      for (int i = 0; i < 1000 && !ended; ++i) nearfork::fork_join([] {}, [] {});
    }
    out = true;
    inner.sync();
  });
});

const faulty_program heap("address_use_after_free", [] {
  auto numbers = std::make_unique<std::vector<int>>(100, 1);
  volatile int* const pointer = numbers->data();
  nearfork::fork_join([&] { numbers.reset(); }, [] {});
  nearfork::fork_join([] {}, [=] { *pointer = 2; });
});

const faulty_program placed("address_use_after_deallocate", [] {
  nearfork::allocator<int> allocator;
  int* const block = allocator.allocate(64);
  volatile int* const pointer = block + 32;
  nearfork::run([&] {
    allocator.deallocate(block, 64);
    *pointer = 1;
  });
});

}  // namespace
