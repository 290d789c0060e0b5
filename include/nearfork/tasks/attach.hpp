#pragma once

#include <nearfork/detail/language.hpp>

namespace nearfork {

class runtime;

/// While it lives, the calling thread keeps a worker's place from one call of a runtime to the next.
///
///     const nearfork::attachment here = nearfork::attach();
///     for (int frame = 0; frame < 1000; ++frame) nearfork::parallel_for(0, 100, [](int) {});
///
/// A call from outside begins on the calling thread, in the place of a worker that sleeps. Without an attachment the
/// thread gives the place back after each call. With one, the worker sleeps on: between the calls of this thread the
/// runtime has a worker less. So attach a thread that does little else.
///
/// The first call takes a place if a worker sleeps. When another thread calls meanwhile and this thread's own call
/// waits, the place goes back to its worker; the next call takes one again. So it does when this thread waits for a
/// future or calls another runtime. A thread that waits in something that is not nearfork's, such as a join or a lock,
/// keeps the place: where attached threads have all places, what tasks have spawned waits for them, and further workers
/// run what other threads bring (docs/TASKS.md). Under a policy that may keep work for the workers of one domain (all
/// but `random`, `aaws` and `bats`) the place goes back after each call, too: such work would wait for it.
/// Destroy it on the thread that made it. The runtime's destructor waits for it.
/// Complexity: a call saves about 0.1 us. Thread-safety: any thread; each has an attachment of its own.
class [[nodiscard]] attachment {
 public:
  /// An attachment to `home`. On a worker, and on a thread that has an attachment already, it does nothing.
  /// Throws: nearfork::error while `home` is being destroyed, and in a child process made by fork().
  explicit attachment(runtime& home);
  ~attachment();
  attachment(const attachment&) = delete;
  attachment& operator=(const attachment&) = delete;

 private:
  bool attached_;
};

/// An attachment to process_runtime(), which this call starts if need be; then it throws what process_runtime() throws.
attachment attach();

}  // namespace nearfork
