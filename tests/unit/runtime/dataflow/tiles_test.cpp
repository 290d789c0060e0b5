// Tiles of matrices: who waits for whom, and in how many cells it is known.
#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "tests/unit/runtime/dataflow/dependence_programs.hpp"

namespace nearfork {
namespace {

using namespace dependence_programs;

TEST(tiles, of_one_matrix_keep_their_order) {
  run_programs(0, 300, 150, 200, {13}, true);
  run_programs(1'000, 300, 150, 200, {16}, true);
}
TEST(tiles, keep_it_where_rows_of_several_lengths_are_seen) {
  run_programs(2'000, 300, 150, 200, {12, 5, 30}, true);
  run_programs(3'000, 300, 250, 200, {7, 14, 28, 3}, true);
}
TEST(tiles, keep_it_where_most_of_what_is_known_is_dropped_now_and_then) {
  run_programs(4'000, 10, 4'000, 4'000, {50, 20});
}

}  // namespace
}  // namespace nearfork
