#include "memory/refusal_text.hpp"

#include "base/message_text.hpp"

namespace nearfork {

memory_shortfall binding_refused(int error_number) {
  return {"memory is not bound to nodes: first touch places it", "mbind", with_number(error_number),
          "run the container with --cap-add SYS_NICE, or a seccomp profile that allows mbind (nearfork doctor)"};
}

memory_shortfall moving_refused(int error_number) {
  return {"memory is not moved to its tasks: it stays where it was touched", "move_pages", with_number(error_number),
          "run the container with --cap-add SYS_NICE, or a seccomp profile that allows move_pages (nearfork doctor)"};
}

}  // namespace nearfork
