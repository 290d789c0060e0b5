// Graphs on machines with several memory nodes: described ones, with fakes for memory. Threads are real.
#include <gtest/gtest.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <memory>
#include <optional>
#include <random>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include <nearfork/dataflow.hpp>
#include <nearfork/detail/fiber.hpp>
#include <nearfork/error.hpp>
#include <nearfork/nearfork.hpp>

#include "runtime_on_nodes.hpp"

namespace {

using namespace nearfork;
using test::chunk_books;

constexpr std::size_t kibibyte = 1024;
constexpr std::size_t block_bytes = 64 * kibibyte;

class placed_tasks : public test::runtime_on_nodes {};

TEST_F(placed_tasks, with_less_data_than_the_threshold_stay_where_they_are) {
  start(3);
  std::vector<std::byte> data(block_bytes);
  run->run([&] {
    books->say_lies(data.data(), data.size(), node_id{(node_here() + 1) % 3});
    dataflow graph;
    graph.task({in(std::span(data).first(block_bytes - 1))}, [] {});
    graph.sync();
  });
  EXPECT_EQ(report().pushed + report().stayed, 0U);
  EXPECT_EQ(books->asked, 1U) << "the page of the trial alone";
}

TEST_F(placed_tasks, with_data_elsewhere_are_pushed_there) {
  start(3);
  std::vector<std::byte> data(block_bytes);
  std::uint32_t wanted = 9;
  std::atomic<std::uint32_t> ran_on{9};
  run->run([&] {
    wanted = (node_here() + 1) % 3;
    books->say_lies(data.data(), data.size(), node_id{wanted});
    dataflow graph;
    graph.task({in(data)}, [&] { ran_on = node_here(); });
    graph.sync();
  });
  EXPECT_EQ(report().pushed, 1U);
  EXPECT_EQ(report().stayed, 0U);
  EXPECT_TRUE(ran_on == wanted || report().robbed_far == 1) << ran_on;
  EXPECT_EQ(report().local_bytes + report().remote_bytes, block_bytes);
}

/// The first piece lies near the creator, and the others do not.
TEST_F(placed_tasks, with_a_tile_go_where_most_of_its_pieces_lie) {
  start(3);
  std::vector<std::byte> data(4 * block_bytes);
  std::uint32_t wanted = 9;
  run->run([&] {
    wanted = (node_here() + 1) % 3;
    books->say_lies(data.data(), block_bytes, node_id{node_here()});
    books->say_lies(data.data() + block_bytes, 3 * block_bytes, node_id{wanted});
    dataflow graph;
    graph.task({in(std::span(data).first(block_bytes / 4), 4, block_bytes)}, [] {});
    graph.sync();
  });
  EXPECT_EQ(report().pushed, 1U);
  EXPECT_EQ(report().local_bytes + report().remote_bytes, block_bytes);
}

TEST_F(placed_tasks, are_chosen_a_node_in_each_replay) {
  start(3);
  std::vector<std::byte> data(block_bytes);
  int sum = 0;
  run->run([&] {
    books->say_lies(data.data(), data.size(), node_id{(node_here() + 1) % 3});
    dataflow graph;
    graph.keep();
    const auto made = graph.buffer<std::byte>(block_bytes);
    graph.task({in(data), out(made)},
               [](std::span<const std::byte>, std::span<std::byte> to) { std::ranges::fill(to, std::byte{3}); });
    for (int i = 0; i < 5; ++i)
      graph.task({in(made), inout(sum)},
                 [](std::span<const std::byte> from, std::span<int> to) { to[0] += static_cast<int>(from.back()); });
    graph.sync();
    for (int n = 0; n < 10; ++n) graph.replay();
  });
  EXPECT_EQ(sum, 11 * 15);
  EXPECT_GE(report().pushed, 1U);
  EXPECT_GE(report().pushed + report().stayed, 11U) << "chosen in each replay, whose caller may have moved to the data";
}

TEST_F(placed_tasks, with_lists_of_data_go_where_most_of_them_lie) {
  start(3);
  constexpr std::size_t parts = 20;
  std::vector<std::byte> far(parts * block_bytes);
  std::uint32_t wanted = 9;
  std::atomic<int> wrong{0};
  run->run([&] {
    wanted = (node_here() + 1) % 3;
    books->say_lies(far.data(), far.size(), node_id{wanted});
    dataflow graph;
    for (std::size_t count = 0; count <= parts; ++count) {
      const auto made = graph.buffer<std::byte>(block_bytes);
      std::vector<nearfork::access> listed{out(made)};
      for (std::size_t i = 0; i < count; ++i)
        listed.push_back(in(std::span(far).subspan(i * block_bytes, block_bytes)));
      graph.task(listed, [](task_data data) { data.out<std::byte>(0)[0] = std::byte(data.size()); });
      graph.task(std::vector<nearfork::access>{in(made)}, [&wrong, count](task_data data) {
        if (data.in<std::byte>(0)[0] != std::byte(count + 1)) ++wrong;
      });
    }
    graph.sync();
  });
  EXPECT_EQ(wrong, 0);
  EXPECT_GE(report().pushed, 1U);
  EXPECT_EQ(report().pushed + report().stayed, 2 * (parts + 1));
}

TEST_F(placed_tasks, whose_data_lie_nowhere_yet_stay) {
  start(3);
  std::vector<std::byte> data(4 * block_bytes);
  run->run([&] {
    dataflow graph;
    graph.task({inout(data)}, [] {});
    graph.sync();
  });
  EXPECT_EQ(report().pushed, 0U);
  EXPECT_EQ(report().stayed, 1U);
  EXPECT_EQ(report().unknown_bytes, 4 * block_bytes);
}

TEST_F(placed_tasks, are_not_pushed_if_push_is_none) {
  settings.push = push_by::none;
  start(2);
  std::vector<std::byte> data(block_bytes);
  run->run([&] {
    books->say_lies(data.data(), data.size(), node_id{1 - node_here()});
    dataflow graph;
    graph.task({in(data)}, [] {});
    graph.sync();
  });
  EXPECT_EQ(report().pushed, 0U);
}

/// The only worker of the other node is in a task, and the creator's worker is, too: nobody can rob.
TEST_F(placed_tasks, that_find_a_full_mailbox_stay_near_and_run_once) {
  settings.mailbox_tasks = 128;
  start(2);
  std::vector<std::byte> data(block_bytes);
  constexpr std::size_t tasks = 131;
  std::vector<std::atomic<int>> runs(tasks);
  std::atomic<bool> blocked{false};
  std::atomic<bool> go_on{false};
  run->run([&] {
    books->say_lies(data.data(), data.size(), node_id{1 - node_here()});
    dataflow graph;
    graph.task({in(data)}, [&] {
      blocked = true;
      while (!go_on) std::this_thread::yield();
    });
    while (!blocked) std::this_thread::yield();
    for (auto& one : runs) graph.task({in(data)}, [&one] { ++one; });
    go_on = true;
    graph.sync();
  });
  for (const auto& one : runs) EXPECT_EQ(one, 1);
  EXPECT_EQ(report().pushed, tasks + 1);
  EXPECT_EQ(report().mailbox_full, tasks - 128);
}

/// Creators on all nodes, mailboxes of two tasks: all ways of a task are gone.
TEST_F(placed_tasks, run_once_however_they_get_to_a_worker) {
  settings.mailbox_tasks = 2;
  start(4);
  std::vector<std::vector<std::byte>> data(4, std::vector<std::byte>(block_bytes));
  for (std::uint32_t i = 0; i < 4; ++i) books->say_lies(data[i].data(), block_bytes, node_id{i});
  constexpr std::size_t tasks = 4000;
  std::vector<std::atomic<int>> runs(tasks);
  std::atomic<std::uint64_t> elsewhere{0};
  run->run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < tasks; ++i)
      graph.task({in(data[i % 4])}, [&, i] {
        ++runs[i];
        if (node_here() != i % 4) ++elsewhere;
      });
    graph.sync();
  });
  for (std::size_t i = 0; i < tasks; ++i) ASSERT_EQ(runs[i], 1) << i;
  const dataflow_report seen = report();
  EXPECT_EQ(seen.pushed + seen.stayed, tasks);
  EXPECT_LE(seen.robbed_far, seen.robbed);
  EXPECT_LE(seen.robbed, seen.pushed - seen.mailbox_full);
}

// --- allocation ---

/// A chain of `tasks`, created before the first one may run.
std::uint64_t most_buffers_of_chain(runtime& on, std::size_t tasks) {
  std::atomic<bool> go_on{false};
  std::size_t last = 0;
  on.run([&] {
    dataflow graph;
    buffer<std::size_t> before = graph.buffer<std::size_t>(block_bytes / sizeof(std::size_t));
    graph.task({out(before)}, [&](std::span<std::size_t> to) {
      while (!go_on) std::this_thread::yield();
      to[0] = 0;
    });
    for (std::size_t i = 1; i < tasks; ++i) {
      buffer<std::size_t> next = graph.buffer<std::size_t>(block_bytes / sizeof(std::size_t));
      graph.task({in(before), out(next)},
                 [](std::span<const std::size_t> from, std::span<std::size_t> to) { to[0] = from[0] + 1; });
      before = std::move(next);
    }
    graph.task({in(before)}, [&](std::span<const std::size_t> from) { last = from[0]; });
    before = {};
    go_on = true;
    graph.sync();
  });
  EXPECT_EQ(last, tasks - 1);
  return on.report().dataflow.buffers_at_most;
}

TEST_F(placed_tasks, of_a_chain_hold_two_deferred_buffers) {
  start(2);
  EXPECT_EQ(most_buffers_of_chain(*run, 50), 2U);
  EXPECT_EQ(pools->blocks(), 0U);
}

TEST_F(placed_tasks, of_a_chain_hold_all_immediate_buffers) {
  settings.alloc = buffer_memory::immediate;
  start(2);
  EXPECT_EQ(most_buffers_of_chain(*run, 50), 50U);
  EXPECT_EQ(pools->blocks(), 0U);
}

/// A random graph in layers: the first reads data of two nodes, so tasks are pushed. Each other task reads two buffers
/// of the layer before, of random sizes. Returns how many tasks ran on a node that does not hold their output.
std::uint64_t run_random_graph(runtime& on, chunk_books& books, std::uint32_t seed) {
  constexpr std::size_t layers = 12;
  constexpr std::size_t width = 9;
  using words = std::span<const std::uint64_t>;
  std::atomic<std::uint64_t> remote{0};
  std::vector<std::atomic<int>> runs(layers * width);
  std::vector<std::vector<std::uint64_t>> given(2, std::vector<std::uint64_t>(block_bytes));
  for (std::uint32_t node = 0; node < 2; ++node)
    books.say_lies(given[node].data(), given[node].size() * sizeof(std::uint64_t), node_id{node});
  on.run([&] {
    std::mt19937 random(seed);
    dataflow graph;
    std::vector<buffer<std::uint64_t>> before;
    for (std::size_t layer = 0; layer < layers; ++layer) {
      std::vector<buffer<std::uint64_t>> made;
      for (std::size_t i = 0; i < width; ++i) {
        made.push_back(graph.buffer<std::uint64_t>((1 + random() % 4) * block_bytes / sizeof(std::uint64_t)));
        const auto write = [&, id = layer * width + i, layer](std::span<std::uint64_t> to) {
          ++runs[id];
          const auto& crew = on.implementation_crew();
          const auto here = static_cast<std::uint32_t>(crew.flow()->node_of(detail::this_fiber().runner->index));
          if (books.node_holding(to.data()) != here) ++remote;
          to.front() = to.back() = layer + 1;
        };
        if (layer == 0) {
          graph.task({in(given[i % 2]), out(made.back())}, [=](words, std::span<std::uint64_t> to) { write(to); });
          continue;
        }
        const std::size_t one = random() % width;
        const std::size_t other = (one + 1 + random() % (width - 1)) % width;
        graph.task({in(before[one]), in(before[other]), out(made.back())},
                   [=](words from, words also, std::span<std::uint64_t> to) {
                     EXPECT_TRUE(from.back() == layer && also.back() == layer) << "its inputs are written";
                     write(to);
                   });
      }
      before = std::move(made);
    }
    before.clear();
    graph.sync();
  });
  for (const auto& one : runs) EXPECT_EQ(one, 1);
  return remote;
}

TEST_F(placed_tasks, of_random_graphs_run_once_after_their_inputs_and_write_local_memory) {
  start(4);
  for (std::uint32_t seed = 1; seed <= 30; ++seed) EXPECT_EQ(run_random_graph(*run, *books, seed), 0U) << seed;
  EXPECT_EQ(pools->blocks(), 0U);
  EXPECT_GT(report().pushed, 0U);
}

TEST_F(placed_tasks, write_remote_memory_only_where_a_node_is_full) {
  constexpr std::size_t one_chunk = std::size_t{2} << 20;
  start_with({one_chunk, one_chunk, one_chunk, 32 * one_chunk});
  std::uint64_t remote = 0;
  for (std::uint32_t seed = 1; seed <= 5; ++seed) remote += run_random_graph(*run, *books, seed);
  std::uint64_t elsewhere = 0;
  for (const buffer_pool_facts& one : pools->facts()) elsewhere += one.elsewhere;
  EXPECT_EQ(remote, elsewhere);
  EXPECT_EQ(pools->blocks(), 0U);
}

// --- what the system refuses ---

TEST_F(placed_tasks, are_right_without_mbind_and_the_report_says_so) {
  books->binds = false;
  settings.set("alloc", "deferred");
  start(2);
  (void)run_random_graph(*run, *books, 3);
  const auto told = run->report().degradations;
  EXPECT_TRUE(std::ranges::any_of(told, [](const degradation& one) {
    return one.what == "pages of buffers are not bound, but left to first touch";
  }));
}

TEST_F(placed_tasks, fail_without_mbind_in_strict_mode) {
  books->binds = false;
  settings.set("alloc", "deferred");
  settings.strict = true;
  start(2);
  EXPECT_THROW(run->run([&] {
    dataflow graph;
    const auto wanted = graph.buffer<std::byte>(block_bytes);
    graph.task({out(wanted)}, [](std::span<std::byte> to) { to[0] = {}; });
    graph.sync();
  }),
               error);
}

TEST_F(placed_tasks, are_right_if_the_system_does_not_tell_where_pages_lie) {
  books->refuse_query = EPERM;
  settings.set("push", "input");
  start(2);
  std::vector<std::byte> data(block_bytes);
  int runs = 0;
  run->run([&] {
    dataflow graph;
    graph.task({inout(data)}, [&] { ++runs; });
    graph.sync();
  });
  EXPECT_EQ(runs, 1);
  const run_report told = run->report();
  ASSERT_EQ(told.degradations.size(), 1U);
  EXPECT_EQ(told.degradations[0].why.substr(0, 11), "move_pages:");
  EXPECT_THROW(throw_if_degraded(told), error);
}

TEST_F(placed_tasks, are_pushed_by_usual_distances_if_the_machine_tells_none) {
  distances = distances_told::no;
  settings.set("push", "input");
  start(3);
  std::vector<std::byte> data(block_bytes);
  run->run([&] {
    books->say_lies(data.data(), data.size(), node_id{(node_here() + 1) % 3});
    dataflow graph;
    graph.task({in(data)}, [] {});
    graph.sync();
  });
  EXPECT_EQ(report().pushed, 1U);
  (void)run_random_graph(*run, *books, 7);
  const run_report told = run->report();
  ASSERT_EQ(told.degradations.size(), 1U);
  EXPECT_EQ(told.degradations[0].what, "distances of memory nodes are taken as 10, 15 in the package and 20 beyond");
  EXPECT_THROW(throw_if_degraded(told), error);
}

TEST_F(placed_tasks, by_default_are_content_with_what_the_system_tells) {
  books->refuse_query = EPERM;
  books->binds = false;
  settings.strict = true;
  start(2);
  EXPECT_NO_THROW((void)run_random_graph(*run, *books, 5));
  EXPECT_NE(report().note.find("move_pages"), std::string::npos);
}

TEST_F(placed_tasks, created_by_outside_threads_find_their_node) {
  start(3);
  std::vector<std::byte> data(block_bytes);
  books->say_lies(data.data(), data.size(), node_id{2});
  std::atomic<int> runs{0};
  dataflow graph(*run);
  for (int i = 0; i < 100; ++i) graph.task({in(data)}, [&] { ++runs; });
  graph.sync();
  EXPECT_EQ(runs, 100);
  EXPECT_EQ(report().pushed, 100U);
}

}  // namespace
