// The calls behind sampled memory accesses, as an interface that tests can fake.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "sensors/counting_system.hpp"
#include "sensors/hotness/sample_records.hpp"

namespace nearfork {

/// An event that samples memory accesses.
struct sampling_event {
  event_code sampled{};
  std::optional<event_code> beside{};  // must lead the group, on processors that sample it alone no more
  std::uint64_t period = 0;            // each so many events are sampled
  bool only_user = true;               // false: the processor cannot leave out the kernel
};

/// The ring of one thread.
class sample_ring {
 public:
  sample_ring() = default;
  sample_ring(const sample_ring&) = delete;
  sample_ring& operator=(const sample_ring&) = delete;
  virtual ~sample_ring() = default;

  virtual void enable(bool on) noexcept = 0;
  /// What was sampled since the last call.
  [[nodiscard]] virtual sampled_accesses take() = 0;
};

struct ring_opening {
  std::unique_ptr<sample_ring> ring;  // nullptr: refused
  int error_number = 0;
};

class sample_system {
 public:
  sample_system() = default;
  sample_system(const sample_system&) = delete;
  sample_system& operator=(const sample_system&) = delete;
  virtual ~sample_system() = default;

  /// A ring for one thread of this process, disabled.
  [[nodiscard]] virtual ring_opening open(int thread, const sampling_event& event) = 0;
};

[[nodiscard]] std::unique_ptr<sample_system> live_sample_system();

}  // namespace nearfork
