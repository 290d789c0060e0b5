// Who waits for whom, without threads: random programs, whose tasks run in random orders that their dependences allow,
// and the number of dependences of patterns of ranges that overlap.
#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "tests/unit/runtime/dataflow/dependence_programs.hpp"

namespace nearfork {
namespace {

using namespace dependence_programs;

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
    [](const auto& one) { return std::string(one.param.name); });

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
