#include "numa_lab/kernel_view/page_nodes.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

namespace nearfork::lab {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

std::vector<page_node> nodes_of_pages(const void* begin, std::size_t bytes) {
  const std::size_t page = page_bytes();
  const auto first = reinterpret_cast<std::uintptr_t>(begin) / page * page;
  std::vector<void*> addresses;
  for (std::uintptr_t at = first; at < reinterpret_cast<std::uintptr_t>(begin) + bytes; at += page)
    addresses.push_back(reinterpret_cast<void*>(at));
  std::vector<int> status(addresses.size(), -ENODATA);
  // Without target nodes the call moves nothing, and says where each page lies.
  if (::syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, status.data(), 0) != 0)
    refuse("move_pages");
  std::vector<page_node> found;
  for (const int node : status) found.push_back(node >= 0 ? page_node(static_cast<unsigned>(node)) : std::nullopt);
  return found;
}

fresh_pages::fresh_pages(std::size_t pages) : bytes_(pages * page_bytes()) {
  void* const got = ::mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) refuse("mmap");
  memory_ = static_cast<char*>(got);
  // A huge page would be placed by the first thread that touches any part of the page.
  if (::madvise(got, bytes_, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) refuse("madvise");
}

fresh_pages::~fresh_pages() {
  ::munmap(memory_, bytes_);
}

void fresh_pages::touch(std::size_t page) noexcept {
  *static_cast<volatile char*>(memory_ + page * page_bytes()) = 1;
}

std::vector<page_node> fresh_pages::nodes() const {
  return nodes_of_pages(memory_, bytes_);
}

}  // namespace nearfork::lab
