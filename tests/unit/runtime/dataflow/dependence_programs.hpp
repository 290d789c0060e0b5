// Programs of tasks that access ranges and tiles, and their runs without threads: in random orders that the dependences
// allow.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include <nearfork/call_site.hpp>
#include <nearfork/dataflow/accesses.hpp>

#include "runtime/webs/task_web.hpp"

namespace nearfork::dependence_programs {

using detail::access_parts;

inline constexpr std::size_t element_bytes = 64;  // rows of two of them can be bands

struct use {
  access_kind kind;
  std::size_t first;
  std::size_t count;
  std::size_t pieces = 1;
  std::size_t stride = 0;  // from piece to piece
};

/// A task of a program: its place in the program's own order is that of `id`.
struct planned {
  std::size_t id = 0;
  std::vector<use> uses{};
  bool is_parent = false;  // names its uses weakly
  std::vector<planned> nested{};
};

class test_task final : public dataflow_task {
 public:
  test_task(const detail::dataflow_kind& of, const planned& what)
      : dataflow_task(of, call_site("dependence_programs.hpp", 1)), plan(&what) {}
  static nested_scope*& scope_of(dataflow_task& one) noexcept { return static_cast<test_task&>(one).scope; }

  const planned* plan;
  nested_scope* scope = nullptr;
};

inline constexpr detail::dataflow_kind kind_of_leaf{
    .call = nullptr, .drop = nullptr, .arguments = nullptr, .nested = nullptr, .bytes = sizeof(test_task)};
inline constexpr detail::dataflow_kind kind_of_parent{
    .call = nullptr, .drop = nullptr, .arguments = nullptr, .nested = &test_task::scope_of, .bytes = sizeof(test_task)};

inline bool meet(const use& a, const use& b) {
  for (std::size_t i = 0; i < a.pieces; ++i)
    for (std::size_t j = 0; j < b.pieces; ++j) {
      const std::size_t in_a = a.first + i * a.stride;
      const std::size_t in_b = b.first + j * b.stride;
      if (in_a < in_b + b.count && in_b < in_a + a.count) return true;
    }
  return false;
}
inline bool conflict(const use& a, const use& b) {
  return (a.kind != b.kind || a.kind == access_kind::write) && meet(a, b);
}
inline bool exclude_each_other(const use& a, const use& b) {
  return a.kind == access_kind::commutative && b.kind == a.kind && meet(a, b);
}
template <class Test>
bool any_pair(const planned& a, const planned& b, const Test& test) {
  return std::ranges::any_of(a.uses, [&](const use& one) {
    return std::ranges::any_of(b.uses, [&](const use& other) { return test(one, other); });
  });
}

inline std::string text_of(const planned& one) {
  std::string text = " task " + std::to_string(one.id);
  for (const use& each : one.uses)
    text += " (" + std::to_string(static_cast<int>(each.kind)) + ": " + std::to_string(each.first) + " + " +
            std::to_string(each.count) +
            (each.pieces > 1 ? " x " + std::to_string(each.pieces) + " / " + std::to_string(each.stride) : "") + ")";
  return text;
}

class web_under_test {
 public:
  static access access_of(const use& what, bool weak) {
    return access(access_parts{.data = reinterpret_cast<std::byte*>(base + what.first * element_bytes),
                               .bytes = what.count * element_bytes,
                               .pieces = what.pieces,
                               .stride_bytes = what.stride * element_bytes,
                               .kind = what.kind,
                               .weak = weak});
  }
  void add(const planned& what, dataflow_task* parent = nullptr) {
    std::vector<access> accesses;
    for (const use& each : what.uses) accesses.push_back(access_of(each, what.is_parent));
    const detail::dataflow_kind& kind = what.is_parent ? kind_of_parent : kind_of_leaf;
    auto& made = *::new (web.blocks().take(sizeof(test_task))) test_task(kind, what);
    if (parent == nullptr) ASSERT_EQ(web.misuse(made, accesses, {}), "");
    else ASSERT_EQ(web.misuse_of_parent(made, accesses, *parent), "");
    web.add(made, accesses, parent);
  }
  /// A nested task may name this.
  bool is_named(const use& what, dataflow_task& parent) const {
    const planned of_task{.uses = {what}};
    const test_task one(kind_of_leaf, of_task);
    return web.misuse_of_parent(one, std::vector{access_of(what, false)}, parent).empty();
  }
  /// Tasks that are ready begin; ends and folds are over at once.
  void begin_ready() {
    while (dataflow_task* const one = web.take_ready()) {
      const bool is_end = one->kind != &kind_of_leaf && one->kind != &kind_of_parent;
      if (!is_end && one->next_step == dataflow_task::step::body) running.push_back(static_cast<test_task*>(one));
      else web.end(*one, task_end::well);
    }
  }
  /// Of a running task.
  void end(std::size_t at) {
    test_task& one = *running[at];
    running.erase(running.begin() + static_cast<std::ptrdiff_t>(at));
    for (const planned& each : one.plan->nested) add(each, &one);
    web.end(one, task_end::well);
  }

  static constexpr std::uintptr_t base = 0x7000'0008;
  task_web web;
  std::vector<test_task*> running;
};

/// Runs a program in some order: each task must begin after all tasks before it that it conflicts with.
class program_run {
 public:
  /// `exact`: a task that does not run waits for one that it conflicts with; unless there are parents, or tasks that
  /// exclude each other. Programs with accesses of many cells are not exact.
  program_run(const std::vector<planned>& program, std::mt19937& random, bool exact = false)
      : program_(program), random_(random), exact_(exact && std::ranges::all_of(program, is_plain)) {
    for (const planned& each : program) note(each);
  }
  /// Of ten tasks so many run before the next is created.
  void run(unsigned tenths_at_once) {
    for (const planned& each : program_) {
      under_test_.add(each);
      ++added_;
      while (below(10) < tenths_at_once && step()) {
      }
    }
    while (step()) {
    }
    EXPECT_EQ(under_test_.web.unfinished(), 0U);
    EXPECT_TRUE(std::ranges::all_of(ended_, [](bool each) { return each; }));
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  void note(const planned& one) {
    leaves_.resize(std::max(leaves_.size(), one.id + 1));
    ended_.resize(leaves_.size(), true);
    if (!one.is_parent) {
      leaves_[one.id] = &one;
      ended_[one.id] = false;
    }
    for (const planned& each : one.nested) note(each);
  }
  /// False: none is ready.
  bool step() {
    const std::size_t before = under_test_.running.size();
    under_test_.begin_ready();
    for (std::size_t i = before; i < under_test_.running.size(); ++i) check(*under_test_.running[i]->plan, i);
    if (exact_) check_waiting();
    if (under_test_.running.empty() || testing::Test::HasFailure()) return false;
    const std::size_t at = below(under_test_.running.size());
    ended_[under_test_.running[at]->plan->id] = true;
    under_test_.end(at);
    return true;
  }
  void check(const planned& one, std::size_t at) const {
    if (one.is_parent) return;
    for (std::size_t id = 0; id < one.id; ++id)
      if (!ended_[id] && any_pair(one, *leaves_[id], conflict))
        ADD_FAILURE() << text_of(one) << " began before the end of" << text_of(*leaves_[id]);
    for (std::size_t i = 0; i < at; ++i) {
      const planned& other = *under_test_.running[i]->plan;
      if (!other.is_parent && any_pair(one, other, exclude_each_other))
        ADD_FAILURE() << one.id << " beside " << other.id;
    }
  }

  static bool is_plain(const planned& one) {
    return !one.is_parent && std::ranges::all_of(one.uses, [](const use& each) {
      return each.kind == access_kind::read || each.kind == access_kind::write;
    });
  }
  void check_waiting() {
    std::vector<bool> runs(added_);
    for (const test_task* each : under_test_.running) runs[each->plan->id] = true;
    for (std::size_t id = 0; id < added_; ++id) {
      if (ended_[id] || runs[id]) continue;
      bool waits = false;
      for (std::size_t before = 0; before < id && !waits; ++before)
        waits = !ended_[before] && any_pair(program_[id], program_[before], conflict);
      if (!waits) ADD_FAILURE() << text_of(program_[id]) << " waits for none that it conflicts with";
    }
  }

  const std::vector<planned>& program_;
  std::mt19937& random_;
  const bool exact_;
  std::size_t added_ = 0;  // of tasks that are not nested
  std::vector<const planned*> leaves_;
  std::vector<bool> ended_;
  web_under_test under_test_;
};

/// Accesses of single elements, of a few long ranges again and again, of windows and halves; and of tiles, if there are
/// rows: blocks with a border or without one, columns, parts of rows, anything.
class random_programs {
 public:
  /// `rows`: how many elements the rows of matrices have.
  random_programs(std::mt19937& random, std::size_t elements, std::vector<std::size_t> rows = {})
      : random_(random), elements_(elements), rows_(std::move(rows)) {
    for (use& each : favourites_) each = any_range();
    kinds_ = 1 + below(4);
    if (!rows_.empty()) tiles_ = 1 + below(4);
  }
  std::vector<planned> make(std::size_t tasks, bool with_parents) {
    std::vector<planned> made;
    for (std::size_t i = 0; i < tasks; ++i) made.push_back(with_parents && below(4) == 0 ? parent() : leaf({}));
    return made;
  }

 private:
  std::size_t below(std::size_t n) { return std::uniform_int_distribution<std::size_t>(0, n - 1)(random_); }
  access_kind any_kind() { return static_cast<access_kind>(below(kinds_)); }
  use any_range() {
    const std::size_t first = below(2) == 0 ? 0 : below(elements_ - 1);
    return {access_kind::read, first, below(2) == 0 ? elements_ - first : 1 + below(elements_ - first)};
  }
  use any_tile() {
    const std::size_t row = rows_[below(4) == 0 ? below(rows_.size()) : 0];
    const std::size_t height = 2 + below(3);
    use one{below(2) == 0 ? access_kind::read : access_kind::write, 0, 1 + below(row), height, row};
    if (below(4) != 0) {  // on a grid, perhaps with a border
      const std::size_t side = std::min<std::size_t>(4, row);
      const std::size_t border = below(2);
      one.first = below(elements_ / row / side + 1) * side * row + below(row / side) * side;
      one.first -= std::min(one.first, border * (row + 1));
      one.count = std::min(row, side + 2 * border);
      one.pieces = side + 2 * border;
    } else {
      one.first = below(elements_);
    }
    while (one.pieces > 0 && one.first + (one.pieces - 1) * row + one.count > elements_) --one.pieces;
    return one.pieces > 0 ? one : use{one.kind, 0, one.count, 1, 0};
  }
  use any_use() {
    if (below(5) < tiles_) return any_tile();
    switch (below(8)) {
      case 0: return any_range();
      case 1: return {any_kind(), favourites_[0].first, favourites_[0].count};
      case 2: return {access_kind::read, favourites_[1].first, favourites_[1].count};
      case 3: {
        const std::size_t first = moves_++ % (elements_ - 1);
        return {access_kind::read, first, std::min(elements_ - first, elements_ / 3)};
      }
      case 4:
        if (below(8) == 0) return {access_kind::write, favourites_[2].first, favourites_[2].count};
        [[fallthrough]];
      default: {
        const std::size_t first = below(elements_ - 3);
        return {below(3) == 0 ? any_kind() : access_kind::write, first, 1 + below(3)};
      }
    }
  }
  /// Within one of these uses, if there are some.
  planned leaf(const std::vector<use>& around) {
    planned made{.id = next_id_++};
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      use one = any_use();
      if (!around.empty()) {
        const use& of = around[below(around.size())];
        const std::size_t column = below(of.count);
        const std::size_t piece = below(of.pieces);
        one.first = of.first + piece * of.stride + column;
        one.count = below(3) == 0 ? of.count - column : 1;
        one.pieces = 1 + below(of.pieces - piece);
        one.stride = of.stride;
        if (of.kind == access_kind::read) one.kind = access_kind::read;
      }
      made.uses.push_back(one);
    }
    if (around.empty() || made.uses.size() > 1)  // a task never has two accesses of different kinds to one element
      for (use& each : made.uses)
        if (each.kind == access_kind::reduction || each.kind == access_kind::commutative) {
          made.uses = {use(each)};
          break;
        }
    return made;
  }
  planned parent() {
    planned made{.id = next_id_++, .is_parent = true};
    for (std::size_t n = 1 + below(2); n > 0; --n) {
      use one = any_use();
      if (one.kind != access_kind::read) one.kind = access_kind::write;
      made.uses.push_back(one);
    }
    for (std::size_t n = below(6); n > 0; --n) made.nested.push_back(leaf(made.uses));
    return made;
  }

  std::mt19937& random_;
  const std::size_t elements_;
  const std::vector<std::size_t> rows_;
  std::size_t kinds_;
  std::size_t tiles_ = 0;  // of five accesses
  std::size_t moves_ = 0;
  std::size_t next_id_ = 0;
  use favourites_[3];
};

inline std::size_t dependences_of(const std::vector<planned>& program) {
  task_notes notes;
  web_under_test tested;
  tested.web.note_in(notes);
  for (const planned& each : program) tested.add(each);
  for (tested.begin_ready(); !tested.running.empty(); tested.begin_ready()) tested.end(tested.running.size() - 1);
  tested.web.keep_no_more();
  return notes.dependences().size();
}

/// Programs of more or less elements than told, half of them with parents. `exact`: as for program_run.
inline void run_programs(unsigned first_seed, unsigned count, std::size_t elements, std::size_t tasks,
                         const std::vector<std::size_t>& rows = {}, bool exact = false) {
  for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
    std::mt19937 random(seed);
    const auto program = random_programs(random, elements + seed % 200, rows).make(tasks, seed % 2 == 0);
    program_run(program, random, exact).run(seed % 3 == 0 ? 0 : seed % 10);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

}  // namespace nearfork::dependence_programs
