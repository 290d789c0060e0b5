// How the cost of a dataflow graph grows with its tasks, for accesses of the program's memory that overlap in part:
// each pattern with n, 2n and 4n empty tasks on one worker. A growth of 2 from column to column is linear, one of 4 is
// the square. Prints text.
// usage: dependence_patterns [PATTERN [TASKS]]
#include <nearfork/nearfork.hpp>

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

namespace {

using nearfork::commutative;
using nearfork::dataflow;
using nearfork::in;
using nearfork::inout;
using nearfork::nested_tasks;
using nearfork::reduction;
using nearfork::weak_in;
using nearfork::weak_inout;
using row = std::span<float>;

void nothing() {}
void fold(std::span<float>) {}

/// `cells`: as many as there are tasks.
struct pattern {
  const char* name;
  void (*build)(dataflow& graph, row cells);
};

template <class Whole>
void in_turn(dataflow& graph, row cells, const Whole& whole) {
  for (std::size_t i = 0; i < cells.size() / 2; ++i) {
    whole();
    graph.task({inout(cells[i])}, nothing);
  }
}

/// Task i reads `Width` cells from i on and writes the first; four sweeps over a quarter of the cells.
template <std::size_t Width>
void windows(dataflow& graph, row cells) {
  const std::size_t places = std::max<std::size_t>(cells.size() / 4, 1);
  for (std::size_t i = 0; i < cells.size(); ++i) {
    const std::size_t at = i % places;
    const auto part = cells.subspan(at, std::min(Width, places - at));
    graph.task({in(part), inout(part[0])}, nothing);
  }
}

/// The whole, halves, quarters and so on, down to single cells.
void halves(dataflow& graph, row part, const std::function<void(row)>& use) {
  use(part);
  if (part.size() < 2) return;
  halves(graph, part.first(part.size() / 2), use);
  halves(graph, part.subspan(part.size() / 2), use);
}

void parents(dataflow& graph, row cells, std::size_t nested) {
  for (std::size_t i = 0; i < cells.size(); i += nested + 1)
    graph.task({weak_inout(cells)}, [cells, i, nested](nested_tasks& inner) {
      for (std::size_t j = i; j < i + nested; ++j) inner.task({inout(cells[j % cells.size()])}, nothing);
    });
}

constexpr pattern patterns[] = {
    {"exact",
     [](dataflow& graph, row cells) {
       for (float& each : cells) graph.task({inout(each)}, nothing);
     }},
    {"read-element", [](dataflow& g, row c) { in_turn(g, c, [&] { g.task({in(c)}, nothing); }); }},
    {"write-element", [](dataflow& g, row c) { in_turn(g, c, [&] { g.task({inout(c)}, nothing); }); }},
    {"commutative-element", [](dataflow& g, row c) { in_turn(g, c, [&] { g.task({commutative(c)}, nothing); }); }},
    {"reduction-element",
     [](dataflow& g, row c) { in_turn(g, c, [&] { g.task({reduction(c, std::plus<>())}, fold); }); }},
    {"commutative-commutative",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size() / 2; ++i) {
         g.task({commutative(c)}, nothing);
         g.task({commutative(c[i])}, nothing);
       }
     }},
    {"elements-then-commutative",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size() / 2; ++i) g.task({inout(c[i])}, nothing);
       for (std::size_t i = 0; i < c.size() / 2; ++i) g.task({commutative(c)}, nothing);
     }},
    {"commutative-elements-read-all",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size() / 2; ++i) {
         g.task({commutative(c[i])}, nothing);
         g.task({in(c)}, nothing);
       }
     }},
    {"weak-1", [](dataflow& g, row c) { parents(g, c, 1); }},
    {"weak-10", [](dataflow& g, row c) { parents(g, c, 10); }},
    {"weak-100", [](dataflow& g, row c) { parents(g, c, 100); }},
    {"weak-element",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size() / 3; ++i) {
         g.task({weak_inout(c)}, [c, i](nested_tasks& inner) { inner.task({inout(c[i])}, nothing); });
         g.task({inout(c[i])}, nothing);
       }
     }},
    {"weak-read-element",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size() / 3; ++i) {
         g.task({weak_in(c)}, [c, i](nested_tasks& inner) { inner.task({in(c[i])}, nothing); });
         g.task({inout(c[i])}, nothing);
       }
     }},
    {"windows-65", windows<65>},
    {"windows-250", windows<250>},
    {"windows-1000", windows<1000>},
    {"tiles-rows-columns",
     [](dataflow& g, row c) {  // each cell is a tile; rows and columns are read as wholes
       std::size_t side = 1;
       while (side * side * 2 < c.size()) ++side;
       for (std::size_t i = 0, made = 0; made < c.size(); ++i)
         for (std::size_t j = 0; j < side && made < c.size(); ++j, ++made) {
           if (i >= side) i = 0;
           const std::size_t at = i * side + j;
           if (made % 2 == 0) g.task({in(c.subspan(i * side, side)), inout(c[at])}, nothing);
           else g.task({in(c.subspan(j, 1), side, side), inout(c[at])}, nothing);
         }
     }},
    {"halves-read",
     [](dataflow& g, row c) {
       const row part = c.first(c.size() / 4);
       for (int i = 0; i < 2; ++i)
         halves(g, part, [&](row one) { g.task({in(one)}, nothing); }),
             halves(g, part, [&](row one) { g.task({inout(one)}, nothing); });
     }},
    {"halves-write",
     [](dataflow& g, row c) {
       for (int i = 0; i < 2; ++i) halves(g, c.first(c.size() / 4), [&](row one) { g.task({inout(one)}, nothing); });
     }},
    {"many-readers-one-writer",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size(); ++i) {
         if (i % 500 == 499) g.task({inout(c)}, nothing);
         else g.task({in(c)}, nothing);
       }
     }},
    {"triangle-before",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size(); ++i) g.task({in(c.first(i)), inout(c[i])}, nothing);
     }},
    {"triangle-behind",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size(); ++i) g.task({inout(c[i]), in(c.subspan(i + 1))}, nothing);
     }},
    {"triangle-written-behind",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size(); ++i) g.task({in(c[i]), inout(c.subspan(i + 1))}, nothing);
     }},
    {"all-and-own",
     [](dataflow& g, row c) {
       for (std::size_t i = 0; i < c.size(); ++i) g.task({in(c), inout(c[i])}, nothing);
     }},
    {"random-reads",
     [](dataflow& g, row c) {
       std::size_t x = 1;
       for (std::size_t i = 0; i < c.size(); ++i) {
         x = x * 6364136223846793005U + 1442695040888963407U;
         const std::size_t a = (x >> 33) % c.size();
         x = x * 6364136223846793005U + 1442695040888963407U;
         const std::size_t b = (x >> 33) % c.size();
         if (i % 2 == 0) g.task({inout(c[a])}, nothing);
         else g.task({in(c.subspan(std::min(a, b), std::max(a, b) - std::min(a, b)))}, nothing);
       }
     }},
};

double ms_of(const pattern& one, std::size_t tasks) {
  std::vector<float> cells(tasks);
  double least = 1e9;
  for (int i = 0; i < 3; ++i) {
    const auto before = std::chrono::steady_clock::now();
    nearfork::dataflow graph;
    one.build(graph, cells);
    graph.sync();
    least =
        std::min(least, std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - before).count());
    if (least > 200) break;
  }
  return least;
}

}  // namespace

int main(int count, char** words) {
  const std::string_view wanted = count > 1 ? words[1] : "";
  const std::size_t tasks = count > 2 ? std::strtoull(words[2], nullptr, 10) : 1'000;
  nearfork::config settings;
  settings.workers = 1;
  nearfork::runtime runtime(settings);
  runtime.run([&] {
    for (const pattern& each : patterns) {
      if (!wanted.empty() && wanted != each.name) continue;
      std::printf("%-30s", each.name);
      for (std::size_t n = tasks; n <= 4 * tasks; n *= 2) {
        std::printf(" %9.2f", ms_of(each, n));
        std::fflush(stdout);
      }
      std::puts(" ms");
    }
  });
}
