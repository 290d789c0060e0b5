// Dataflow graphs: the order that declared accesses give is seen by sanitizers, and faults in tasks are still found.
#include <nearfork/dataflow.hpp>
#include <nearfork/nearfork.hpp>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <numeric>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "program.hpp"

namespace {

using namespace programs;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::out;

const program wavefront("dataflow_wavefront", [] {
  constexpr std::size_t side = 24;
  std::vector<std::string> cells((side + 1) * (side + 1), "x");
  std::vector<std::string> kept = cells;
  const auto at = [&](std::size_t row, std::size_t column) -> std::string& { return cells[row * (side + 1) + column]; };
  // The strings themselves, not their characters, which tasks replace while others are made.
  const auto cell = [&](std::size_t row, std::size_t column) { return std::span(&at(row, column), 1); };
  nearfork::run([&] {
    dataflow graph;
    for (std::size_t row = 1; row <= side; ++row)
      for (std::size_t column = 1; column <= side; ++column)
        graph.task({in(cell(row - 1, column)), in(cell(row, column - 1)), out(cell(row, column))},
                   [&one = at(row, column), &above = at(row - 1, column), &left = at(row, column - 1)] {
                     one =
                         std::to_string((above.size() * 7 + left.size() * 3) % 50) + std::string(above.size() % 9, '.');
                   });
    graph.sync();
  });
  for (std::size_t i = side + 2; i < kept.size(); ++i) {
    if (i % (side + 1) == 0) continue;
    const std::size_t above = kept[i - side - 1].size();
    kept[i] = std::to_string((above * 7 + kept[i - 1].size() * 3) % 50) + std::string(above % 9, '.');
  }
  expect(cells == kept, "each cell after the cells above and left of it");
});

const program by_threads("dataflow_tasks_from_threads_and_tasks", [] {
  std::array<long, 8> sums{};
  dataflow graph;
  std::vector<std::thread> creators;
  for (std::size_t t = 0; t < sums.size(); ++t)
    creators.emplace_back([&graph, &own = sums[t]] {
      for (long i = 0; i < 100; ++i)
        graph.task({inout(own)}, [&graph, &own, text = std::make_shared<std::string>("a closure")] {
          own += static_cast<long>(text->size());
          graph.task({inout(own)}, [&own] { ++own; });
        });
    });
  for (auto& each : creators) each.join();
  graph.sync();
  for (const long one : sums) expect_equal(one, 1000, "a sum of a thread's tasks");
});

/// The handles end while the tasks run: now the frame frees the memory that a worker took, now a worker does.
const program handles("dataflow_handles_that_end_early", [] {
  constexpr std::size_t times = 300;
  std::atomic<int> sum{0};
  std::array<std::atomic<bool>, times> was_read{};  // all of them from the start: telling of a read orders nothing
  dataflow graph;
  for (std::size_t i = 0; i < times; ++i) {
    std::atomic<bool>& read = was_read[i];
    {
      const auto ten = graph.buffer<int>(10);
      graph.task({out(ten)}, [](std::span<int> to) { std::iota(to.begin(), to.end(), 0); });
      graph.task({in(ten)}, [&](std::span<const int> from) {
        sum += from[9];
        read.store(true, std::memory_order_relaxed);
      });
      while (i % 2 == 0 && !read.load(std::memory_order_relaxed)) std::this_thread::yield();
      for (std::size_t spin = 0; spin < 100 * (i % 50); ++spin) (void)read.load(std::memory_order_relaxed);
    }
    if (i % 2 != 0) graph.wait();
    while (!read.load()) std::this_thread::yield();
  }
  graph.sync();
  expect_equal(sum.load(), 2700, "the sum of what was read from buffers");
});

const program reused("dataflow_many_small_tasks", [] {
  std::vector<long> row(65, 1);
  std::vector<long> expected = row;
  nearfork::run([&] {
    dataflow graph;
    for (int part = 0; part < 4; ++part) {
      for (std::size_t i = 0; i < 2000; ++i) {
        long* const own = &row[1 + i % 64];
        graph.task({in(own[-1]), inout(*own)}, [own] { *own = (*own * 3 + own[-1]) % 10007; });
      }
      graph.wait();
    }
  });
  for (std::size_t i = 0; i < 8000; ++i) {
    const std::size_t own = 1 + i % 2000 % 64;
    expected[own] = (expected[own] * 3 + expected[own - 1]) % 10007;
  }
  expect(row == expected, "sweeps over a row");
});

const program buffers("dataflow_buffers", [] {
  nearfork::run([] {
    dataflow graph;
    auto sum = graph.buffer<long>(1);
    std::vector<nearfork::buffer<long>> parts;
    for (int i = 0; i < 16; ++i) parts.push_back(graph.buffer<long>(500));
    auto last = graph.buffer<long>(1);
    graph.task({out(last)}, [](std::span<long> to) { to[0] = 0; });
    for (auto& part : parts) {
      auto next = graph.buffer<long>(1);
      graph.task({in(part), in(last), out(next)},
                 [](std::span<const long> from, std::span<const long> before, std::span<long> to) {
                   to[0] = before[0] + std::accumulate(from.begin(), from.end(), 0L);
                 });
      last = next;
    }
    graph.task({in(last), out(sum)}, [](std::span<const long> from, std::span<long> to) { to[0] = from[0]; });
    for (auto& part : parts)
      graph.task({}, [&graph, part] {
        graph.task({out(part)}, [](std::span<long> to) { std::iota(to.begin(), to.end(), 0L); });
      });
    graph.sync();
    expect_equal(sum.view()[0], 16L * 500 * 499 / 2, "the sum of all buffers");
  });
});

const program streams("dataflow_streams", [] {
  long seen = 0;
  long all = 0;
  nearfork::run([&] {
    dataflow graph;
    const auto numbers = graph.stream<long>();
    const auto doubled = graph.stream<long>();
    for (long i = 0; i < 300; ++i) {
      graph.task({in(numbers), out(doubled)},
                 [](std::span<const long> one, std::span<long> to) { to[0] = 2 * one[0]; });
      graph.task({out(numbers)}, [i](std::span<long> to) { to[0] = i; });
    }
    for (int i = 0; i < 100; ++i)
      graph.task({in(doubled, 3), nearfork::reduction(all, std::plus<>()), nearfork::commutative(seen)},
                 [](std::span<const long> three, std::span<long> sum, std::span<long> count) {
                   sum[0] += three[0] + three[1] + three[2];
                   ++count[0];
                 });
    graph.sync();
  });
  expect_equal(seen, 100L, "tasks that read");
  expect_equal(all, 2L * 300 * 299 / 2, "the sum of a stream");
});

const program nested("dataflow_nested_and_commutative", [] {
  std::vector<int> values(1600);
  std::vector<std::string> log;
  nearfork::run([&] {
    dataflow graph;
    for (int round = 0; round < 3; ++round)
      for (std::size_t part = 0; part < 4; ++part) {
        const auto own = std::span(values).subspan(part * 400, 400);
        graph.task({nearfork::weak_inout(own)}, [own, round](nearfork::nested_tasks& inner) {
          for (std::size_t i = 0; i < 8; ++i)
            inner.task({inout(own.subspan(i * 50, 50))}, [round](std::span<int> some) {
              for (int& each : some) each = each * 3 + round;
            });
        });
        // The vector itself, not its elements, which move.
        graph.task({nearfork::commutative(std::span(&log, 1))},
                   [&log] { log.emplace_back("a line that is too long for a short one"); });
      }
    graph.task({in(values)}, [&values] { expect_equal(values[1599], (0 * 3 + 1) * 3 + 2, "rounds in their order"); });
    graph.sync();
  });
  expect_equal(log.size(), std::size_t{12}, "a line of each task");
});

const program kept("dataflow_replay", [] {
  std::array<std::string, 33> row;
  row.fill("a");
  nearfork::run([&] {
    dataflow graph;
    graph.keep();
    for (std::size_t i = 1; i < row.size(); ++i)
      graph.task({in(std::span(&row[i - 1], 1)), inout(std::span(&row[i], 1))}, [&own = row[i], &before = row[i - 1]] {
        own = std::string((own.size() * 5 + before.size()) % 40 + 1, 'b');
      });
    graph.wait();
    for (int n = 1; n < 50; ++n) graph.replay();
  });
  std::array<std::size_t, 33> expected{};
  expected.fill(1);
  for (int n = 0; n < 50; ++n)
    for (std::size_t i = 1; i < expected.size(); ++i) expected[i] = (expected[i] * 5 + expected[i - 1]) % 40 + 1;
  for (std::size_t i = 0; i < row.size(); ++i) expect_equal(row[i].size(), expected[i], "a cell of replays");
});

// --- faults ---

long written_by_both = 0;
const faulty_program race("thread_race_of_dataflow_tasks", [] {
  std::array<int, 2> keys{};
  std::atomic<bool> runs[2] = {};
  nearfork::run([&] {
    dataflow graph;
    for (std::size_t i = 0; i < 2; ++i)
      graph.task({out(keys[i])}, [&, i] {  // does not name written_by_both
        runs[i].store(true, std::memory_order_relaxed);
        for (int n = 0; n < 600000 && !runs[1 - i].load(std::memory_order_relaxed); ++n)
          std::this_thread::sleep_for(std::chrono::microseconds(100));
        ++written_by_both;
      });
    graph.sync();
  });
});

const faulty_program dies("address_dataflow_data_die_early", [] {
  nearfork::run([] {
    dataflow graph;
    {
      std::vector<int> gone(100);
      graph.task({out(gone)}, [](std::span<int> to) {
        std::this_thread::sleep_for(std::chrono::milliseconds(20));
        to[50] = 1;
      });
    }
    graph.sync();
  });
});

const faulty_program freed("address_dataflow_buffer_after_its_end", [] {
  std::span<const int> view;
  {
    dataflow graph;
    auto one = graph.buffer<int>(100);
    graph.task({out(one)}, [](std::span<int> to) { to[0] = 1; });
    graph.sync();
    view = one.view();
  }
  volatile int last = view[0];
  (void)last;
});

}  // namespace
