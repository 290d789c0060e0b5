// Whether the system has all workers of a crew blocked: in std::thread::join(), in a lock, in a read. Such a worker
// keeps its place and comes to no other work.
#pragma once

#include <cstdint>
#include <vector>

namespace nearfork {

class crew;

/// What one look at a crew's workers saw. Two looks, some time apart, tell more than one: a worker that runs may be
/// about to wait for a moment, and one that waits may be about to go on.
class blocked_crew {
 public:
  explicit blocked_crew(const crew& of) noexcept : crew_(of) {}

  /// True: no worker sleeps for want of work or searches, none has run since the last look, and now all are blocked.
  /// Takes a system call for each worker, and if none has run, a read of /proc for each.
  [[nodiscard]] bool look();
  /// The same without the last condition: for a crew that was blocked at the last look.
  [[nodiscard]] bool still();
  /// The same for the workers of one domain, of which none sleeps for want of work or searches, as of the last look.
  [[nodiscard]] bool was_blocked(std::uint32_t domain) const;

 private:
  /// A worker's thread, and how long it has run. A deputy's thread takes the place of the worker's.
  struct seen_worker {
    int thread = 0;
    std::uint64_t ran_ns = 0;
    bool is_as_before = false;
  };

  /// Notes what it sees. True: each worker is as it was seen before.
  [[nodiscard]] bool see_all();

  const crew& crew_;
  std::vector<seen_worker> seen_;  // by worker; empty: there was no look
};

}  // namespace nearfork
