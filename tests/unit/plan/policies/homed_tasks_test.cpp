#include "plan/policies/homed_tasks.hpp"

#include <gtest/gtest.h>

#include "heat_profile.hpp"
#include "machine/model/cores_as_domains.hpp"
#include "unit/plan/crew/machines_for_tests.hpp"
#include "unit/plan/mebibyte.hpp"

namespace nearfork {
namespace {

using test::MiB;

TEST(used_domains, are_as_few_as_have_a_core_for_each_task_at_once) {
  const machine where = machine_of(24, 8, 20 * MiB);
  EXPECT_EQ(used_domains(where, heat_profile(3, 4 * MiB)), 1U);
  EXPECT_EQ(used_domains(where, heat_profile(4, 4 * MiB)), 2U);
  EXPECT_EQ(used_domains(where, heat_profile(6, 4 * MiB)), 8U);
}

TEST(used_domains, are_all_where_there_is_work_for_all_cores) {
  EXPECT_EQ(used_domains(machine_of(24, 8, 20 * MiB), heat_profile(8, 4 * MiB)), 24U);
  EXPECT_EQ(used_domains(opteron_8380(), heat_profile(4, 4 * MiB)), 4U);
}

TEST(used_domains, have_cache_for_all_data) {
  const machine where = machine_of(4, 8, 6 * MiB);
  EXPECT_EQ(used_domains(where, heat_profile(3, 4 * MiB)), 1U);
  EXPECT_EQ(used_domains(where, heat_profile(3, 10 * MiB)), 2U);
  EXPECT_EQ(used_domains(where, heat_profile(3, 64 * MiB)), 4U);
}

// Borders by thirds cut a tree of halves into many subtrees, of which a domain runs one at a time.
TEST(used_domains, suit_the_tree) {
  EXPECT_EQ(used_domains(machine_of(6, 6, 20 * MiB), heat_profile(4, 4 * MiB)), 4U);
}

TEST(used_domains, are_all_where_cores_share_a_cache_or_sizes_are_not_known) {
  const machine cores = cores_as_domains(machine_of(1, 16, 20 * MiB));
  EXPECT_EQ(used_domains(cores, heat_profile(3, 4 * MiB)), 16U);
  EXPECT_EQ(used_domains(machine_of(4, 8), heat_profile(3, 4 * MiB)), 4U);
  EXPECT_EQ(used_domains(machine_of(4, 8, 20 * MiB), heat_profile(3, 4 * MiB, cost_source::time)), 4U);
}

}  // namespace
}  // namespace nearfork
