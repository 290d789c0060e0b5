// How many bytes a dataflow task takes while it waits, with its closure of 8 bytes, and what it costs from its creation
// to its completion. One way of naming data at a time, so that the peak is that way's own. Prints text.
// usage: tasks_in_flight memory|buffers|held|streams [TASKS [TIMES]]
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace {

/// Of /proc/self/status; in bytes.
double status(const char* field) {
  std::FILE* const file = std::fopen("/proc/self/status", "r");
  if (file == nullptr) return 0;
  char line[256];
  double found = 0;
  while (std::fgets(line, sizeof line, file) != nullptr)
    if (std::strncmp(line, field, std::strlen(field)) == 0) found = std::strtod(line + std::strlen(field) + 1, nullptr);
  std::fclose(file);
  return found * 1024;
}

using counter = std::uint64_t;

/// Each task reads what the one before wrote, and the first one a gate, whose writer is created last: a frame that
/// creates so many tasks would run some of them meanwhile.
struct chain {
  std::uint64_t tasks;
  nearfork::buffer<counter> gate{};
  counter ran = 0;  // in order

  void begin_at(nearfork::dataflow& graph, const nearfork::access& first) {
    gate = graph.buffer<counter>(1);
    graph.task({nearfork::in(gate), first}, [](std::span<const counter>, std::span<counter> to) { to[0] = 0; });
  }
  void open(nearfork::dataflow& graph) {
    graph.task({nearfork::out(gate)}, [](std::span<counter> to) { to[0] = 0; });
  }

  /// The program's own two cells.
  void in_memory(nearfork::dataflow& graph) {
    static counter cells[2];
    begin_at(graph, nearfork::out(cells[0]));
    for (std::uint64_t n = 0; n < tasks; ++n)
      graph.task({nearfork::in(cells[n % 2]), nearfork::out(cells[1 - n % 2])}, [this] { ++ran; });
  }
  /// A buffer for each task. Its handle ends with the creation of its reader.
  void in_buffers(nearfork::dataflow& graph) {
    auto before = graph.buffer<counter>(1);
    begin_at(graph, nearfork::out(before));
    for (std::uint64_t n = 0; n < tasks; ++n) {
      auto own = graph.buffer<counter>(1);
      graph.task({nearfork::in(before), nearfork::out(own)},
                 [this](std::span<const counter> from, std::span<counter> to) { ran = to[0] = from[0] + 1; });
      before = std::move(own);
    }
  }
  /// The same with handles that live as long as the graph, in memory that is not counted.
  void in_held_buffers(nearfork::dataflow& graph, std::vector<nearfork::buffer<counter>>& held) {
    held.push_back(graph.buffer<counter>(1));
    begin_at(graph, nearfork::out(held.back()));
    for (std::uint64_t n = 0; n < tasks; ++n) {
      held.push_back(graph.buffer<counter>(1));
      graph.task({nearfork::in(held[n]), nearfork::out(held[n + 1])},
                 [this](std::span<const counter> from, std::span<counter> to) { ran = to[0] = from[0] + 1; });
    }
  }
  /// Elements of one stream.
  void in_stream(nearfork::dataflow& graph) {
    auto passed = graph.stream<counter>();
    begin_at(graph, nearfork::out(passed));
    for (std::uint64_t n = 0; n < tasks; ++n)
      graph.task({nearfork::in(passed), nearfork::out(passed)},
                 [this](std::span<const counter> from, std::span<counter> to) { ran = to[0] = from[0] + 1; });
  }
};

/// False: the tasks did not run one after the other.
bool measure(std::string_view how, std::uint64_t tasks, int times) {
  std::vector<double> ns;
  double bytes = 0;
  double peak = 0;
  for (int i = 0; i < times; ++i) {
    std::vector<nearfork::buffer<counter>> held;
    if (how == "held") {
      held.resize(tasks + 1);  // touches the pages of the handles
      held.clear();
    }
    const double before = status("VmRSS");
    const auto began = std::chrono::steady_clock::now();
    std::chrono::nanoseconds looking{};
    chain made{tasks};
    {
      nearfork::dataflow graph;
      if (how == "memory") made.in_memory(graph);
      else if (how == "buffers") made.in_buffers(graph);
      else if (how == "held") made.in_held_buffers(graph, held);
      else made.in_stream(graph);
      if (i == 0) {
        const auto looked = std::chrono::steady_clock::now();
        bytes = status("VmRSS") - before;
        looking = std::chrono::steady_clock::now() - looked;
      }
      made.open(graph);
      graph.sync();
    }
    const auto passed = std::chrono::duration<double, std::nano>(std::chrono::steady_clock::now() - began - looking);
    if (i == 0) peak = status("VmHWM") - before;
    ns.push_back(passed.count() / static_cast<double>(tasks));
    if (made.ran != tasks) return false;
  }
  std::ranges::sort(ns);
  const auto count = static_cast<double>(tasks);
  std::printf("%-8s %6.1f bytes a task in flight, %6.1f at the peak; median %6.1f  min %6.1f  max %6.1f ns a task\n",
              std::string(how).c_str(), bytes / count, peak / count, ns[ns.size() / 2], ns.front(), ns.back());
  return true;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view how = count > 1 ? words[1] : "memory";
  const std::uint64_t tasks = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1'000'000;
  const int times = count > 3 ? std::atoi(words[3]) : 5;
  nearfork::config settings;
  settings.workers = 1;
  nearfork::runtime runtime(settings);
  bool right = true;
  runtime.run([&] { right = measure(how, tasks, times); });
  if (right) return 0;
  std::puts("WRONG");
  return 1;
}
