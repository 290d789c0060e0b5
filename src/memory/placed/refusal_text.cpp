#include "memory/placed/refusal_text.hpp"

#include <cerrno>

#include "base/text/message_text.hpp"

namespace nearfork {

std::string named(const placed_block& block) {
  return "a placed block of " + std::to_string(block.extent.bytes) + " bytes";
}

memory_shortfall binding_refused(int error_number) {
  const char* remedy =
      "run the container with --cap-add SYS_NICE, or a seccomp profile that allows mbind (nearfork doctor)";
  if (error_number == EINVAL) remedy = "is the node's memory offline, or not in the cgroup's cpuset.mems?";
  if (error_number == ENOMEM)
    remedy = "the process has too many mappings: raise vm.max_map_count, or spread fewer blocks";
  return {"memory is not bound to nodes: first touch places it", "mbind", with_number(error_number), remedy};
}

memory_shortfall moving_refused(int error_number) {
  return {"memory is not moved to its tasks: it stays where it was touched", "move_pages", with_number(error_number),
          "run the container with --cap-add SYS_NICE, or a seccomp profile that allows move_pages (nearfork doctor)"};
}

memory_shortfall node_withdrawn(int os_node, int error_number) {
  return {"pages were not moved to their tasks", "node " + std::to_string(os_node), with_number(error_number),
          "is the node's memory offline, or not in the cgroup's cpuset.mems?"};
}

}  // namespace nearfork
