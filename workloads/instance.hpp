#pragma once

#include <cstdint>
#include <string>

namespace nearfork::workloads {

/// One prepared problem: its input, room for the answer, and the right answer. Call reset(), one run, and fault(); then
/// again.
class instance {
 public:
  instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  virtual ~instance() = default;

  /// Restores the input and clears the answer, so that fault() finds a run that does nothing.
  virtual void reset() = 0;
  /// Runs on the calling thread, without a runtime.
  virtual void run_serial() = 0;
  /// Runs inside the runtime of the calling worker, else inside the process-wide one.
  virtual void run_nearfork() = 0;
  /// What is wrong with the answer, as a sentence; empty if it is right.
  [[nodiscard]] virtual std::string fault() const = 0;
  /// For tests of fault(): changes the answer a little, in one place that `where` chooses.
  virtual void corrupt(std::uint64_t where) = 0;
};

}  // namespace nearfork::workloads
