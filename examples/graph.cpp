#include <atomic>
#include <cstddef>
#include <cstdio>
#include <vector>

#include <nearfork/nearfork.hpp>

struct task {
  std::vector<std::size_t> then;  // what depends on this task
  std::atomic<int> waits_for{0};  // how many tasks must be done before this one
  std::atomic<bool> done{false};
};

int main() {
  std::vector<task> graph(1000);
  for (std::size_t i = 0; i + 7 < graph.size(); ++i)
    for (const std::size_t later : {i + 3, i + 7}) {
      graph[i].then.push_back(later);
      ++graph[later].waits_for;
    }

  std::atomic<int> done = 0, too_early = 0;
  nearfork::task_group all;
  const auto start = [&](auto& self, std::size_t at) -> void {
    all.spawn([&, at] {
      // The work of the task: here it looks whether a task that it waited for is done.
      if (at >= 7 && !graph[at - 7].done) ++too_early;
      graph[at].done = true;
      ++done;
      for (const std::size_t later : graph[at].then)
        if (--graph[later].waits_for == 0) self(self, later);
    });
  };
  for (const std::size_t first : {0U, 1U, 2U}) start(start, first);
  all.sync();

  const bool right = done == 1000 && too_early == 0;
  std::printf("graph: %d tasks, %s\n", done.load(), right ? "in the right order" : "WRONG");
  return right ? 0 : 1;
}
