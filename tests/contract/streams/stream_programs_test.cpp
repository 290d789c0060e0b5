// Random programs over streams, beside the same programs with plain queues.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <random>
#include <span>
#include <thread>
#include <vector>

#include <nearfork/nearfork.hpp>

#include "tests/runtime_settings.hpp"

namespace {

using nearfork::access;
using nearfork::dataflow;
using nearfork::in;
using nearfork::out;

class stream_programs : public testing::TestWithParam<unsigned> {
 protected:
  nearfork::runtime runtime_{nearfork::test::with_workers(GetParam())};
};
INSTANTIATE_TEST_SUITE_P(workers, stream_programs, testing::Values(1U, 2U, 3U, 4U));

using element = std::uint64_t;
constexpr std::size_t most_accesses = 3;

struct step {
  std::size_t stream;
  std::size_t burst;
  std::size_t window;  // 0: the task writes
};
struct task {
  std::array<step, most_accesses> steps;
  element seen = 0;  // by the plain program
};
struct program {
  std::size_t streams = 0;
  std::vector<task> tasks;
  std::vector<std::size_t> order;  // in which the tasks are created
};

element folded(element seen, element one) {
  return (seen ^ one) * 0x9E3779B97F4A7C15U + 1;
}
element written(std::size_t id, element seen, std::size_t at) {
  return seen * 31 + id * 7 + at;
}

class maker {
 public:
  explicit maker(std::uint64_t seed) : random_(seed) {}

  /// Each task reads only what is there by then, so the program can run.
  program make() {
    program made{.streams = 1 + below(4), .tasks = {}, .order = {}};
    std::vector<std::deque<element>> queues(made.streams);
    const std::size_t largest = std::array<std::size_t, 4>{1, 3, 8, 700}[below(4)];  // 700 elements: 5600 bytes
    const std::size_t tasks = 20 + below(largest > 100 ? 40 : 150);
    for (std::size_t id = 0; id < tasks; ++id) {
      task& one = made.tasks.emplace_back();
      std::vector<bool> written_here(made.streams, false);
      std::vector<std::pair<std::size_t, std::size_t>> outputs;
      for (step& each : one.steps) {
        each = {below(made.streams), 1 + below(largest), 0};
        std::deque<element>& queue = queues[each.stream];
        if (below(5) < 3 && !queue.empty() && !written_here[each.stream]) read(one, each, queue);
        else {
          written_here[each.stream] = true;
          outputs.emplace_back(each.stream, each.burst);
        }
      }
      std::size_t at = 0;
      for (const auto& [stream, burst] : outputs)
        for (std::size_t i = 0; i < burst; ++i) queues[stream].push_back(written(id, one.seen, at++));
    }
    choose_order(made);
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }

  void read(task& one, step& how, std::deque<element>& from) {
    how.window = 1 + below(std::min(from.size(), 2 * how.burst));
    how.burst = below(3) == 0 ? 0 : std::min(how.burst, how.window);
    for (std::size_t i = 0; i < how.window; ++i) one.seen = folded(one.seen, from[i]);
    from.erase(from.begin(), from.begin() + static_cast<std::ptrdiff_t>(how.burst));
  }

  /// A random order in which each stream has its readers in their own order, and its writers, too.
  void choose_order(program& made) {
    const std::size_t n = made.tasks.size();
    std::vector<std::vector<std::size_t>> after(n);
    std::vector<std::size_t> before(n, 0);
    std::vector<std::array<std::size_t, 2>> last(made.streams, {n, n});
    for (std::size_t id = 0; id < n; ++id)
      for (const step& each : made.tasks[id].steps) {
        std::size_t& previous = last[each.stream][each.window == 0 ? 1 : 0];
        if (previous < n && previous != id) {
          after[previous].push_back(id);
          ++before[id];
        }
        previous = id;
      }
    std::vector<std::size_t> free;
    for (std::size_t id = 0; id < n; ++id)
      if (before[id] == 0) free.push_back(id);
    while (!free.empty()) {
      std::swap(free[below(free.size())], free.back());
      const std::size_t id = free.back();
      free.pop_back();
      made.order.push_back(id);
      for (const std::size_t next : after[id])
        if (--before[next] == 0) free.push_back(next);
    }
  }

  std::mt19937_64 random_;
};

struct outcome {
  std::atomic<int> runs{0};
  std::atomic<bool> right{false};
};

/// The spans of a task that reads and writes in any pattern.
template <class... Span>
void run_task(std::size_t id, const task& of, outcome& result, Span... spans) {
  const std::array<std::span<element>, most_accesses> all{spans...};
  if (id % 5 == 0) std::this_thread::yield();
  element seen = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (of.steps[i].window != 0)
      for (const element each : all[i]) seen = folded(seen, each);
  std::size_t at = 0;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (of.steps[i].window == 0)
      for (element& each : all[i]) each = written(id, seen, at++);
  result.right = seen == of.seen;
  ++result.runs;
}

std::span<element> plain(std::span<element> of) {
  return of;
}
std::span<element> plain(std::span<const element> of) {
  return {const_cast<element*>(of.data()), of.size()};
}

template <class A, class B, class C>
void add_as(dataflow& graph, std::span<const access> accesses, std::size_t id, const task& of, outcome& result) {
  graph.task(accesses, [id, &of, &result](std::span<A> a, std::span<B> b, std::span<C> c) {
    run_task(id, of, result, plain(a), plain(b), plain(c));
  });
}

void add(dataflow& graph, const std::vector<nearfork::stream<element>>& streams, std::size_t id, const task& of,
         outcome& result) {
  std::vector<access> accesses;
  unsigned pattern = 0;
  for (const step& each : of.steps) {
    const auto& stream = streams[each.stream];
    accesses.push_back(each.window == 0 ? out(stream, each.burst) : in(stream, each.burst, each.window));
    pattern = 2 * pattern + (each.window == 0 ? 1 : 0);
  }
  using w = element;
  using r = const element;
  constexpr std::array adders{&add_as<r, r, r>, &add_as<r, r, w>, &add_as<r, w, r>, &add_as<r, w, w>,
                              &add_as<w, r, r>, &add_as<w, r, w>, &add_as<w, w, r>, &add_as<w, w, w>};
  adders[pattern](graph, accesses, id, of, result);
}

/// Tasks are created by the frame, or in parts by tasks that follow each other.
void run(const program& what, bool by_tasks, std::vector<outcome>& results) {
  dataflow graph;
  std::vector<nearfork::stream<element>> streams;
  for (std::size_t i = 0; i < what.streams; ++i) streams.push_back(graph.stream<element>());
  constexpr std::size_t part = 7;
  int key = 0;
  for (std::size_t first = 0; first < what.order.size(); first += part) {
    const auto make = [&, first] {
      for (std::size_t i = first; i < std::min(first + part, what.order.size()); ++i)
        add(graph, streams, what.order[i], what.tasks[what.order[i]], results[what.order[i]]);
    };
    if (by_tasks) graph.task({nearfork::inout(key)}, make);
    else make();
  }
  graph.sync();
}

TEST_P(stream_programs, random_ones_do_what_queues_do) {
  for (std::uint64_t seed = 0; seed < 150; ++seed) {
    const program what = maker(seed).make();
    ASSERT_EQ(what.order.size(), what.tasks.size());
    std::vector<outcome> results(what.tasks.size());
    runtime_.run([&] { run(what, seed % 3 == 0, results); });
    for (std::size_t id = 0; id < results.size(); ++id) {
      ASSERT_EQ(results[id].runs.load(), 1) << "seed " << seed << ", task " << id;
      ASSERT_TRUE(results[id].right.load()) << "seed " << seed << ", task " << id;
    }
  }
}

}  // namespace
