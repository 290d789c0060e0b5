// The papers' results as data: each number with its table, figure or section.
#pragma once

#include <optional>
#include <span>
#include <string_view>

namespace nearfork::tools {

enum class paper_metric : unsigned char { l1_misses, l2_misses, l3_misses, local_accesses };

struct paper_figure {
  std::string_view source;     // "Table 2"
  std::string_view benchmark;  // our name: A-CAB's Heat-ub is heat-ir
  std::string_view policy;     // our name: Cilk and Cilk-a are random
  paper_metric what;
  double value;  // in millions
};

/// What a paper says about all benchmarks together.
struct paper_range {
  std::string_view source;
  std::string_view policy;
  double least_gain;  // in percent
  double most_gain;
};

/// At one size of the input: how much less time than Cilk.
struct paper_scaling {
  std::string_view source;
  std::string_view benchmark;
  std::string_view policy;
  double slabs;      // rows of the matrix, planes of the cuboid
  double less_time;  // in percent
  std::optional<double> less_l3_misses;
};

[[nodiscard]] std::span<const paper_scaling> acab_scaling();
[[nodiscard]] std::span<const paper_scaling> laws_scaling();
[[nodiscard]] std::span<const paper_figure> acab_figures();
[[nodiscard]] std::span<const paper_figure> laws_figures();
[[nodiscard]] std::span<const paper_figure> saws_figures();
[[nodiscard]] std::span<const paper_range> saws_ranges();
[[nodiscard]] paper_range acab_iterative_range();
[[nodiscard]] paper_range acab_single_iteration_range();
[[nodiscard]] paper_range laws_range();
[[nodiscard]] paper_range cats_range();

[[nodiscard]] std::optional<double> figure_of(std::span<const paper_figure> figures, std::string_view benchmark,
                                              std::string_view policy, paper_metric what);

}  // namespace nearfork::tools
