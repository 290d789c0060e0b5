#pragma once

#include <cstddef>

#include <nearfork/cancellation.hpp>

namespace nearfork {

/// How a parallel loop is cut.
struct loop_options {
  /// Indices per leaf; 0 lets the loop choose: parallel_for splits when somebody asks for work, parallel_reduce and
  /// parallel_scan cut into about 1024 leaves, a number that depends on nothing but the range.
  std::size_t grain = 0;
  /// Asked before each leaf; once cancelled, the leaves that have not started are skipped.
  cancellation_token cancel = {};
};

}  // namespace nearfork
