#pragma once

#include <functional>
#include <string>

#include "tools/bench_rounds.hpp"

namespace nearfork::tools {

[[nodiscard]] bool stderr_is_terminal();

/// One line on stderr that is written over as a workload's rounds go on, and erased in the end. Does nothing where stderr
/// is no terminal.
class progress_line {
 public:
  explicit progress_line(std::string workload);
  ~progress_line();
  progress_line(const progress_line&) = delete;
  progress_line& operator=(const progress_line&) = delete;

  void show(const bench_progress& now);

 private:
  std::string workload_;
  bool visible_;
  std::function<double()> elapsed_s_;
};

/// "heat: run 12 of 50, nearfork random, about 6 s left".
[[nodiscard]] std::string progress_text(const std::string& workload, const bench_progress& now, double elapsed_s);

}  // namespace nearfork::tools
