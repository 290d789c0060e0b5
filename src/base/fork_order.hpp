// What fork() has to wait for, and in which order: its child has none of the process's other threads, and would wait for ever for a
// lock that one of them held.
//
// First comes the gate: while a thread is between a no_fork_meanwhile's construction and destruction, fork() waits in other
// threads. Then come the locks of fork_rank, in its order, whenever they were announced (pthread_atfork alone
// calls its handlers in the opposite order of their registration, which is that of first use).
// While fork() goes on, threads wait at the gate. So nobody may go through it who holds a lock of fork_rank.
#pragma once

#include <cstdint>

namespace nearfork {

/// For what a program does once: the start of a runtime, reading the machine, the first use of anything. It may nest. A thread inside may
/// fork() itself; its child must not use more than what that thread knows to be whole.
class no_fork_meanwhile {
 public:
  no_fork_meanwhile() noexcept;
  ~no_fork_meanwhile();
  no_fork_meanwhile(const no_fork_meanwhile&) = delete;
  no_fork_meanwhile& operator=(const no_fork_meanwhile&) = delete;
};

enum class fork_rank : std::uint8_t { placed_memory, node_pools };
inline constexpr std::size_t fork_ranks = 2;

struct fork_handlers {
  void (*before)() noexcept;
  void (*after)() noexcept;  // in the parent and in the child
};

/// From now on fork() calls them; they must live as long as the process. Again: changes nothing.
/// Throws nearfork::error where the system has no memory to remember them.
void call_around_fork(fork_rank rank, const fork_handlers& handlers);

}  // namespace nearfork
