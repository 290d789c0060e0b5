// What Ctrl-C does while a command works that can print what it has so far.
#pragma once

namespace nearfork::tools {

/// While it lives, the first interrupt (SIGINT) is only noted; a second one ends the process, as usual. Where
/// interrupts are ignored, as under nohup, they still are. At most one lives at a time.
class interrupt_watch {
 public:
  interrupt_watch();
  ~interrupt_watch();
  interrupt_watch(const interrupt_watch&) = delete;
  interrupt_watch& operator=(const interrupt_watch&) = delete;

  /// True from the first interrupt on. Any thread may ask.
  [[nodiscard]] bool interrupted() const noexcept;
};

}  // namespace nearfork::tools
