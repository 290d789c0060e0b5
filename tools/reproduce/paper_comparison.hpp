// Simulated results beside what a paper reports: tables, charts and verdicts that the reproductions of several papers
// share. Only for the papers' files beside it.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/reproduce/paper_figures.hpp"
#include "tools/reproduce/reproduction.hpp"

namespace nearfork::tools {

/// L1 is 0.
inline constexpr std::size_t l3 = 2;

struct benchmark_list {
  std::vector<std::string> names;
  std::vector<std::string> policies;  // the first is random, the papers' Cilk
};

/// True for the three-dimensional programs, which have ten times as many lines as the others.
[[nodiscard]] bool is_cuboid(std::string_view workload);

[[nodiscard]] std::vector<std::string> conditions_of(const simulated_machine& where,
                                                     const reproduction_settings& settings,
                                                     const std::vector<experiment>& what);

/// Times, and gains over random.
[[nodiscard]] result_table gain_table(std::string id, std::string title, const benchmark_list& of,
                                      const experiment_runs& runs);
[[nodiscard]] bar_chart gain_chart(std::string title, const benchmark_list& of, const experiment_runs& runs);

/// Misses at one cache level (0 is L1) in millions and relative to random's; and the paper's numbers.
[[nodiscard]] result_table miss_table(std::string id, std::string title, const benchmark_list& of,
                                      const experiment_runs& runs, std::size_t level, paper_metric metric,
                                      std::span<const paper_figure> paper);

/// "laws gains 20.1% to 60.2% over random; the paper has 23.5% to 54.2% (...): within 10 points".
[[nodiscard]] std::string range_verdict(const benchmark_list& of, const experiment_runs& runs,
                                        const paper_range& paper);
/// How far the ratios of misses to random's are from the paper's.
[[nodiscard]] std::string miss_verdict(const benchmark_list& of, const experiment_runs& runs, std::size_t level,
                                       paper_metric metric, std::span<const paper_figure> paper);

struct scaling_result {
  result_table table;
  std::vector<named_picture> pictures;
};
/// Programs at several sizes. Each slab count has the name of its field ("rows", "planes").
struct scaling_study {
  std::string id;
  std::string workload;
  std::string field;
  std::string other_fields;  // ",columns=512"
  std::vector<std::uint64_t> slabs;
  std::size_t steady_iterations = 0;  // as in an experiment
};
[[nodiscard]] scaling_result scaling_of(const simulated_machine& where, const scaling_study& study,
                                        const std::vector<std::string>& policies, const reproduction_settings& settings,
                                        std::span<const paper_scaling> paper);

/// Programs without data: the cost of a policy that cannot help.
[[nodiscard]] result_table overhead_table(std::string id, std::string title, const simulated_machine& where,
                                          const std::vector<std::string>& policies,
                                          const reproduction_settings& settings);

}  // namespace nearfork::tools
