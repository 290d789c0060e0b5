#pragma once

#include <cstdint>
#include <string>

namespace nearfork::workloads {

/// One prepared problem: its input, room for the answer, and what the answer must be. reset(), one run, fault(); again.
class instance {
 public:
  instance() = default;
  instance(const instance&) = delete;
  instance& operator=(const instance&) = delete;
  virtual ~instance() = default;

  /// Input as when it was made, no answer: a run that does nothing is then found by fault().
  virtual void reset() = 0;
  /// On the calling thread, with no runtime.
  virtual void run_serial() = 0;
  /// Inside the runtime that calls it, else inside the process-wide one.
  virtual void run_nearfork() = 0;
  /// What is wrong with the answer, as a sentence; empty if it is right.
  [[nodiscard]] virtual std::string fault() const = 0;
  /// For tests of fault(): makes the answer wrong in one place, chosen by `where`, by little.
  virtual void corrupt(std::uint64_t where) = 0;
};

}  // namespace nearfork::workloads
