// What is written when the process ends without restoring frequencies itself: exit(), quick_exit(), an uncaught
// exception, abort(), a signal that ends the process. Not _exit() and SIGKILL: after those `nearfork doctor
// --restore-frequencies` reads the state file.
//
// Signals that the program handles itself are left to it.
#pragma once

#include <memory>
#include <span>
#include <string>

#include "power/saved_frequencies.hpp"
#include "power/write_gate.hpp"

namespace nearfork {

/// `writes` have real paths. `state_path` is emptied once they are all done. `gate` is closed first.
/// Only one set at a time. A child made by fork() writes nothing.
void arm_last_writes(std::span<const restoring_write> writes, const std::string& state_path,
                     std::shared_ptr<write_gate> gate);
/// From now on there is nothing to write, and the signals have their default action again.
void disarm_last_writes() noexcept;
/// Does the writes if they are armed. May be called in a signal handler, and more than once. The process must be about
/// to end.
void do_last_writes() noexcept;

/// While it lives, the calling thread takes no signal, and threads that it starts never take one.
class no_signals_meanwhile {
 public:
  no_signals_meanwhile() noexcept;
  ~no_signals_meanwhile();
  no_signals_meanwhile(const no_signals_meanwhile&) = delete;
  no_signals_meanwhile& operator=(const no_signals_meanwhile&) = delete;

 private:
  alignas(16) unsigned char before_[128];  // a sigset_t
};

}  // namespace nearfork
