// What the styles cost, from the times of their programs. Pure functions.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <string>
#include <vector>

#include "bench/compare/circumstances.hpp"
#include "bench/compare/styles/programs.hpp"

namespace bench {

/// The times of one style.
struct style_times {
  style whose;
  std::vector<std::vector<double>> seconds;  // by start, then by repetition
  double forks = 0;
  std::string failure;  // empty: every answer was right
};

/// Median and worst over the starts. Each start counts with its least time: what disturbs a run only adds to its time.
struct style_cost {
  double median = 0;
  double worst = 0;
};

/// The least times by start.
[[nodiscard]] style_cost seconds_of(const style_times& one);

struct style_row {
  style_times of;
  style_cost seconds;
  std::optional<style_cost> to_serial;         // nothing for the serial program, and without a serial program
  std::optional<style_cost> fork_nanoseconds;  // above the serial program
};
/// The serial program of a style is that of its family, build and flags; its own starts count with their median.
[[nodiscard]] std::vector<style_row> style_rows(const std::vector<style_times>& all);

[[nodiscard]] std::string text_of_styles(const std::vector<style_row>& rows);
/// The text of docs/STYLES.md: the dearest styles first. `programs` says what ran.
[[nodiscard]] std::string page_of_styles(const std::vector<style_row>& rows, const circumstances& around,
                                         const std::string& programs);
[[nodiscard]] nlohmann::json data_of_styles(const std::vector<style_row>& rows);

}  // namespace bench
