#include "memory/system/page_nodes.hpp"

#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>

namespace nearfork {

int nodes_of_pages(std::span<std::byte* const> pages, std::span<int> nodes) noexcept {
  return ::syscall(SYS_move_pages, 0, pages.size(), pages.data(), nullptr, nodes.data(), 0) >= 0 ? 0 : errno;
}

std::size_t system_page_bytes() noexcept {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

}  // namespace nearfork
