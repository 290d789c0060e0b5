// The cases of tests/mpi: what they share.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include <nearfork/mpi.hpp>
#include <nearfork/nearfork.hpp>

#include "tests/message_of.hpp"

namespace cases {

using nearfork::test::message_of;

/// MPI for the time of a case.
class initialised {
 public:
  explicit initialised(int level = MPI_THREAD_MULTIPLE) {
    int provided = 0;
    MPI_Init_thread(nullptr, nullptr, level, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  }
  ~initialised() { MPI_Finalize(); }
  initialised(const initialised&) = delete;
  initialised& operator=(const initialised&) = delete;

  int rank = 0;
  int ranks = 1;
};

inline int faults = 0;

inline void expect(bool holds, const std::string& what, int line = __builtin_LINE()) {
  if (holds) return;
  std::fprintf(stderr, "FAILED line %d: %s\n", line, what.c_str());
  ++faults;
}

inline void expect_says(const std::string& message, const std::string& part, int line = __builtin_LINE()) {
  expect(message.find(part) != std::string::npos, "\"" + message + "\" has no \"" + part + "\"", line);
}

using arguments = std::vector<std::string>;
using table = std::map<std::string, std::function<void(const arguments&)>>;
[[nodiscard]] table message_cases();
[[nodiscard]] table fault_cases();
[[nodiscard]] table grid_cases();
[[nodiscard]] table place_cases();
[[nodiscard]] table style_cases();

}  // namespace cases
