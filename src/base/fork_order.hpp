// What fork() waits for, and in which order. The child of fork() has none of the process's other threads, and would
// wait forever for a lock that one of them held.
//
// The gate comes first: while a thread is between the construction and destruction of a no_fork_meanwhile, fork() waits
// in other threads. Then come the locks of fork_rank, in its order, in any order of their announcement. (pthread_atfork
// alone calls its handlers in the opposite order of their registration, which is the order of first use.) While fork()
// runs, threads wait at the gate. So a thread that holds a lock of fork_rank must not go through the gate.
#pragma once

#include <cstddef>
#include <cstdint>

namespace nearfork {

/// For what a program does once: starting a runtime, reading the machine, the first use of something. It may nest. A
/// thread inside may call fork() itself; its child must use only what that thread knows to be whole.
class no_fork_meanwhile {
 public:
  no_fork_meanwhile() noexcept;
  ~no_fork_meanwhile();
  no_fork_meanwhile(const no_fork_meanwhile&) = delete;
  no_fork_meanwhile& operator=(const no_fork_meanwhile&) = delete;
};

enum class fork_rank : std::uint8_t { placed_memory, node_pools, buffer_pools };
inline constexpr std::size_t fork_ranks = 3;

struct fork_handlers {
  void (*before)() noexcept;
  void (*after)() noexcept;  // in the parent and in the child
};

/// From now on fork() calls these handlers; they must live as long as the process. A second call changes nothing.
/// Throws: nearfork::error if the system has no memory for them.
void call_around_fork(fork_rank rank, const fork_handlers& handlers);

}  // namespace nearfork
