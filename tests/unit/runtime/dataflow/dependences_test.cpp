// Who waits for whom, without threads: random programs, whose tasks run in random orders that their dependences allow,
// and the number of dependences of patterns of ranges that overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <random>
#include <string>
#include <vector>

#include <nearfork/call_site.hpp>
#include <nearfork/dataflow/accesses.hpp>

#include "runtime/dataflow/task_web.hpp"

namespace nearfork {
namespace {

using detail::access_parts;

constexpr std::size_t element_bytes = 8;

struct use {
  access_kind kind;
  std::size_t first;
  std::size_t count;
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
      : dataflow_task(of, call_site("dependences_test.cpp", 1)), plan(&what) {}
  static nested_scope*& scope_of(dataflow_task& one) noexcept { return static_cast<test_task&>(one).scope; }

  const planned* plan;
  nested_scope* scope = nullptr;
};

constexpr detail::dataflow_kind kind_of_leaf{
    .call = nullptr, .drop = nullptr, .arguments = nullptr, .nested = nullptr, .bytes = sizeof(test_task)};
constexpr detail::dataflow_kind kind_of_parent{
    .call = nullptr, .drop = nullptr, .arguments = nullptr, .nested = &test_task::scope_of, .bytes = sizeof(test_task)};

bool conflict(const use& a, const use& b) {
  if (a.first >= b.first + b.count || b.first >= a.first + a.count) return false;
  return a.kind != b.kind || a.kind == access_kind::write;
}
bool exclude_each_other(const use& a, const use& b) {
  return a.kind == access_kind::commutative && b.kind == a.kind && a.first < b.first + b.count &&
         b.first < a.first + a.count;
}
template <class Test>
bool any_pair(const planned& a, const planned& b, const Test& test) {
  return std::ranges::any_of(a.uses, [&](const use& one) {
    return std::ranges::any_of(b.uses, [&](const use& other) { return test(one, other); });
  });
}

std::string text_of(const planned& one) {
  std::string text = " task " + std::to_string(one.id);
  for (const use& each : one.uses)
    text += " (" + std::to_string(static_cast<int>(each.kind)) + ": " + std::to_string(each.first) + " + " +
            std::to_string(each.count) + ")";
  return text;
}

class web_under_test {
 public:
  void add(const planned& what, dataflow_task* parent = nullptr) {
    std::vector<access> accesses;
    for (const use& each : what.uses)
      accesses.emplace_back(access_parts{.data = reinterpret_cast<std::byte*>(base + each.first * element_bytes),
                                         .bytes = each.count * element_bytes,
                                         .kind = each.kind,
                                         .weak = what.is_parent});
    const detail::dataflow_kind& kind = what.is_parent ? kind_of_parent : kind_of_leaf;
    auto& made = *::new (web.blocks().take(sizeof(test_task))) test_task(kind, what);
    if (parent == nullptr) ASSERT_EQ(web.misuse(made, accesses, {}), "");
    else ASSERT_EQ(task_web::misuse_of_parent(made, accesses, *parent), "");
    web.add(made, accesses, parent);
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
  program_run(const std::vector<planned>& program, std::mt19937& random) : program_(program), random_(random) {
    for (const planned& each : program) note(each);
  }
  /// Of ten tasks so many run before the next is created.
  void run(unsigned tenths_at_once) {
    for (const planned& each : program_) {
      under_test_.add(each);
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

  const std::vector<planned>& program_;
  std::mt19937& random_;
  std::vector<const planned*> leaves_;
  std::vector<bool> ended_;
  web_under_test under_test_;
};

/// Accesses of single elements, of a few long ranges again and again, of windows and halves.
class random_programs {
 public:
  random_programs(std::mt19937& random, std::size_t elements) : random_(random), elements_(elements) {
    for (use& each : favourites_) each = any_range();
    kinds_ = 1 + below(4);
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
  use any_use() {
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
        one.first = of.first + below(of.count);
        one.count = below(3) == 0 ? of.first + of.count - one.first : 1;
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
  std::size_t kinds_;
  std::size_t moves_ = 0;
  std::size_t next_id_ = 0;
  use favourites_[3];
};

void run_programs(unsigned first_seed, unsigned count, std::size_t elements, std::size_t tasks) {
  for (unsigned seed = first_seed; seed < first_seed + count; ++seed) {
    std::mt19937 random(seed);
    const auto program = random_programs(random, elements + seed % 200).make(tasks, seed % 2 == 0);
    program_run(program, random).run(seed % 3 == 0 ? 0 : seed % 10);
    ASSERT_FALSE(testing::Test::HasFailure()) << "seed " << seed;
  }
}

TEST(dependences, of_random_programs_keep_their_order) {
  run_programs(0, 600, 80, 400);
  run_programs(10'000, 600, 70, 150);
}

/// With so many cells that those without tasks are dropped now and then.
TEST(dependences, do_so_if_many_elements_are_touched) {
  run_programs(20'000, 20, 3'000, 4'000);
}

// --- the number of dependences ---

/// About `tasks` tasks over as many elements, of which the even ones do one thing and the odd ones another.
using pattern = std::vector<planned> (*)(std::size_t tasks);

template <class Uses>
std::vector<planned> program_of(std::size_t tasks, const Uses& uses_of) {
  std::vector<planned> made;
  for (std::size_t i = 0; i < tasks; ++i) made.push_back({.id = i, .uses = uses_of(i)});
  return made;
}

/// The whole by `kind` in turn with changes of its elements.
template <access_kind Kind, access_kind OfElements>
std::vector<planned> in_turn(std::size_t tasks) {
  return program_of(tasks, [&](std::size_t i) {
    return std::vector<use>{i % 2 == 0 ? use{Kind, 0, tasks} : use{OfElements, i / 2, 1}};
  });
}

/// Twice over half of the elements.
template <std::size_t Width>
std::vector<planned> windows(std::size_t tasks) {
  return program_of(tasks, [&](std::size_t i) {
    const std::size_t first = i % (tasks / 2);
    const std::size_t count = std::min(Width, tasks / 2 - first);
    return std::vector<use>{{access_kind::read, first, count}, {access_kind::write, first, 1}};
  });
}

std::vector<planned> triangle_before(std::size_t tasks) {
  return program_of(
      tasks, [](std::size_t i) { return std::vector<use>{{access_kind::read, 0, i + 1}, {access_kind::write, i, 1}}; });
}
std::vector<planned> triangles_behind(std::size_t tasks) {
  return program_of(tasks, [&](std::size_t i) {
    const std::size_t at = i % (tasks / 2);
    return std::vector<use>{{access_kind::write, at, 1}, {access_kind::read, at, tasks / 2 - at}};
  });
}
std::vector<planned> all_and_own(std::size_t tasks) {
  return program_of(tasks, [&](std::size_t i) {
    return std::vector<use>{{access_kind::read, 0, tasks}, {access_kind::write, i, 1}};
  });
}
/// A parent of one task that reads an element, and a writer of it.
std::vector<planned> weak_reads(std::size_t tasks) {
  auto made = program_of(tasks, [&](std::size_t i) { return std::vector<use>{{access_kind::write, i, 1}}; });
  for (std::size_t i = 0; i < tasks; i += 2) {
    made[i].is_parent = true;
    made[i].uses = {{access_kind::read, 0, tasks}};
    made[i].nested.push_back({.id = tasks + i, .uses = {{access_kind::read, i + 1, 1}}});
  }
  return made;
}
std::vector<planned> commutative_after_elements(std::size_t tasks) {
  return program_of(tasks, [&](std::size_t i) {
    return std::vector<use>{i < tasks / 2 ? use{access_kind::write, i, 1} : use{access_kind::commutative, 0, tasks}};
  });
}

std::size_t dependences_of(const std::vector<planned>& program) {
  task_notes notes;
  web_under_test tested;
  tested.web.note_in(notes);
  for (const planned& each : program) tested.add(each);
  for (tested.begin_ready(); !tested.running.empty(); tested.begin_ready()) tested.end(tested.running.size() - 1);
  tested.web.keep_no_more();
  return notes.dependences().size();
}

struct named_pattern {
  const char* name;
  pattern of;
};
class dependences_of_patterns : public testing::TestWithParam<named_pattern> {};
INSTANTIATE_TEST_SUITE_P(
    all, dependences_of_patterns,
    testing::Values(named_pattern{"reads", in_turn<access_kind::read, access_kind::write>},
                    named_pattern{"commutative", in_turn<access_kind::commutative, access_kind::write>},
                    named_pattern{"reductions", in_turn<access_kind::reduction, access_kind::write>},
                    named_pattern{"commutative_of_elements",
                                  in_turn<access_kind::commutative, access_kind::commutative>},
                    named_pattern{"reads_of_commutative", in_turn<access_kind::read, access_kind::commutative>},
                    named_pattern{"commutative_after_elements", commutative_after_elements},
                    named_pattern{"windows_of_65", windows<65>}, named_pattern{"windows_of_250", windows<250>},
                    named_pattern{"windows_of_1000", windows<1000>}, named_pattern{"triangle_before", triangle_before},
                    named_pattern{"triangles_behind", triangles_behind}, named_pattern{"all_and_own", all_and_own},
                    named_pattern{"weak_reads", weak_reads}),
    [](const auto& info) { return std::string(info.param.name); });

TEST_P(dependences_of_patterns, grow_as_the_tasks) {
  const std::size_t few = dependences_of(GetParam().of(1'000));
  const std::size_t many = dependences_of(GetParam().of(4'000));
  EXPECT_LE(many, 80 * 4'000U) << "counted: 8 to 63 a task";
  EXPECT_LE(many, 5 * few) << "a square would be 16 times as many";
}

TEST(task_web, keeps_pieces_of_memory_only_while_tasks_of_theirs_are_to_come) {
  web_under_test tested;
  constexpr std::size_t many = 5000;
  std::vector<planned> program;
  for (std::size_t i = 0; i < 2 * many; ++i)
    program.push_back({.id = i, .uses = {{access_kind::write, i, 1}}, .is_parent = false, .nested = {}});
  for (std::size_t i = 0; i < many; ++i) tested.add(program[i]);
  EXPECT_EQ(tested.web.cells(), many) << "no task has ended";
  tested.begin_ready();
  ASSERT_EQ(tested.running.size(), many);
  while (!tested.running.empty()) tested.end(tested.running.size() - 1);
  for (std::size_t i = many; i < 2 * many; ++i) {
    tested.add(program[i]);
    tested.begin_ready();
    tested.end(0);
    ASSERT_LE(tested.web.cells(), many + 4096);
  }
  EXPECT_LT(tested.web.cells(), many) << "the first ones are over";
  tested.web.forget_all();
  EXPECT_EQ(tested.web.cells(), 0U);
}

}  // namespace
}  // namespace nearfork
