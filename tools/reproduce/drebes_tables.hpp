// What the runs of Drebes et al.'s experiments tell: tables, verdicts and pictures, beside what the paper says.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/output/result_table.hpp"
#include "tools/reproduce/drebes_runs.hpp"
#include "tools/reproduce/reproduction.hpp"

namespace nearfork::tools {

class drebes_tables {
 public:
  /// Each benchmark has run under all configurations on each machine. `runs` outlives this.
  explicit drebes_tables(const flow_runs& runs);

  /// Figures 9 and 10.
  [[nodiscard]] result_table gains() const;
  /// Figures 7 and 8.
  [[nodiscard]] result_table locality() const;
  /// Figure 12.
  [[nodiscard]] result_table balancing() const;
  /// Memory of buffers, and what became of activated tasks. The paper does not report it.
  [[nodiscard]] result_table footprint() const;
  /// Whether dsa-opt gains what the paper says, and where another configuration is better.
  [[nodiscard]] std::vector<std::string> verdicts() const;
  [[nodiscard]] std::vector<named_picture> pictures() const;

 private:
  template <class Fill>
  void each_row(result_table& table, Fill&& fill) const;
  [[nodiscard]] double ms(std::string_view machine, std::string_view benchmark, std::string_view how) const;
  [[nodiscard]] double speedup(std::string_view machine, std::string_view benchmark, std::string_view how,
                               std::string_view base) const;
  [[nodiscard]] std::string best_verdict(const std::string& machine) const;
  [[nodiscard]] std::string input_verdict(const std::string& machine) const;
  [[nodiscard]] std::string balancing_verdict(const std::string& machine) const;

  const flow_runs& runs_;
  std::vector<std::string> machines_;
  std::vector<std::string> benchmarks_;
};

}  // namespace nearfork::tools
