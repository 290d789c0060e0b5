#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>

namespace nearfork::workloads {

/// Works on the elements [first, last) of something.
using range_body = std::function<void(std::size_t first, std::size_t last)>;
/// A runtime's loop: calls the body for parts of [0, count), each element in one part, perhaps in parallel.
using range_loop = std::function<void(std::size_t count, const range_body& body)>;

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
  /// As reset(). Where tasks set the instance up (array_setup::parallel), its arrays are made anew, and written by the
  /// tasks of a region "NAME setup" in the runtime of the calling worker.
  virtual void reset_nearfork() { reset(); }
  /// The same by the loop of another runtime.
  virtual void reset_by(const range_loop&) { reset(); }
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
