#pragma once

namespace nearfork {

/// The calling process's number: a runtime that sees another one than at its start is in a fork()'s child.
[[nodiscard]] int process_number() noexcept;
/// The system's number of the calling thread. A system call.
[[nodiscard]] int thread_number() noexcept;

}  // namespace nearfork
