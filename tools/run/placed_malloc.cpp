#include "tools/run/placed_malloc.hpp"

#include <fmt/format.h>

#include "base/text/message_text.hpp"

namespace nearfork::tools {
namespace {

std::string processes(std::uint64_t count) {
  return fmt::format("{} process{}", count, count == 1 ? "" : "es");
}

}  // namespace

std::string text_of(const malloc_counts& counts, const std::string& program) {
  if (counts.processes == 0 && loads_address_sanitizer(program))
    return fmt::format(
        "nothing was placed: {} is linked with the address sanitizer, whose library ends a program in which another "
        "library is preloaded; build it without -fsanitize=address, or set ASAN_OPTIONS=verify_asan_link_order=0, and "
        "the sanitizer sees the blocks that are not placed",
        program);
  if (counts.processes == 0)
    return fmt::format(
        "nothing was placed: no process of {} loaded libnearfork-malloc.so; a statically linked program does not, and "
        "neither does a program of another architecture, or one that removes LD_PRELOAD from its environment",
        program);
  if (counts.offers == 0)
    return fmt::format(
        "nothing was placed: {} has no nearfork in it ({} with libnearfork-malloc.so); a program must link nearfork "
        "and call it, because blocks follow the plans of its regions; or nearfork is in it and refused its settings, "
        "and the program has said so",
        program, processes(counts.processes));
  if (counts.blocks == 0)
    return fmt::format(
        "nothing was placed: {} uses nearfork, and no block was both large enough (NEARFORK_MALLOC_FROM) and allocated "
        "before any region or by a task in a region's first iteration (NEARFORK_MALLOC_BLOCKS=all takes every one)",
        program);
  return fmt::format("placed {} of malloc and operator new, with {:.1f} MiB, in {}", counted(counts.blocks, "block"),
                     static_cast<double>(counts.bytes) / (1 << 20), processes(counts.offers));
}

}  // namespace nearfork::tools
