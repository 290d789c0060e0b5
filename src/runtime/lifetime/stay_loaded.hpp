#pragma once

namespace nearfork {

/// From now on dlclose() does not unmap the code that nearfork is in, such as a plugin: threads, handlers of signals,
/// of fork() and of exit(), and libnearfork-malloc.so may call it as long as the process lives.
void stay_loaded() noexcept;

}  // namespace nearfork
