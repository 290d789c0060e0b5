// What a workload offers to those who list and run it: the bench command, the tests, a simulator.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork::workloads {

/// One set of inputs, room for the answer, and what the answer must be.
class problem {
 public:
  problem() = default;
  virtual ~problem() = default;
  problem(const problem&) = delete;
  problem& operator=(const problem&) = delete;

  /// Puts everything back as it was before the first run; an answer of an earlier run is gone afterwards.
  virtual void reset() = 0;
  /// What is wrong with the answer of the last run; nothing if it is right.
  [[nodiscard]] virtual std::optional<std::string> fault() const = 0;
  /// The memory that holds the answer. Tests damage it, and fault() must notice.
  [[nodiscard]] virtual std::span<std::byte> answer() = 0;
};

/// Whose threads a contender runs on.
enum class library : std::uint8_t { none, nearfork, tbb, openmp };

/// A way to solve a workload's problems.
struct contender {
  std::string name;  // "serial", "nearfork", "tbb", "omp-static", ...
  library threads = library::none;
  /// Called with a problem of the workload, on threads of `threads` (see team.hpp).
  std::function<void(problem&, unsigned workers)> run;
};

/// A set of parameters that has a name.
struct named_size {
  std::string name;        // every workload has "test" (milliseconds), "small" and "default" (tenths of a second)
  std::string parameters;  // "rows=4096,columns=1024"
};

/// One row of a workload's parameters.
struct parameter_row {
  std::string name;
  std::string default_value;
  std::string allowed;
  std::string meaning;
};

/// A workload whose parameters are chosen: what it takes, before it takes it.
struct sizing {
  std::string parameters;   // all of them, "rows=4096,columns=1024,..."
  std::uint64_t bytes = 0;  // of memory for prepare() and a run, about
  std::function<std::unique_ptr<problem>()> prepare;
};

struct workload {
  std::string name;
  std::string description;
  std::vector<named_size> sizes;
  std::vector<parameter_row> parameters;
  /// "small", "rows=64,columns=64" or "small,rows=64"; what is not said is as in "default".
  /// Throws: nearfork::error on unknown names and bad values; the message lists what is allowed.
  std::function<sizing(std::string_view size)> choose;
  std::vector<contender> contenders;  // serial comes first
};

}  // namespace nearfork::workloads
