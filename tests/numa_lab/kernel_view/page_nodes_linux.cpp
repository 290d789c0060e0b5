#include "numa_lab/kernel_view/page_nodes.hpp"

#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

namespace nearfork::lab {
namespace {

[[noreturn]] void refuse(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

}  // namespace

fresh_pages::fresh_pages(std::size_t pages)
    : pages_(pages), page_bytes_(static_cast<std::size_t>(::sysconf(_SC_PAGESIZE))) {
  void* const got =
      ::mmap(nullptr, pages_ * page_bytes_, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (got == MAP_FAILED) refuse("mmap");
  memory_ = static_cast<char*>(got);
  // A huge page would be placed by whoever touches any part of it.
  if (::madvise(got, pages_ * page_bytes_, MADV_NOHUGEPAGE) != 0 && errno != EINVAL) refuse("madvise");
}

fresh_pages::~fresh_pages() {
  ::munmap(memory_, pages_ * page_bytes_);
}

void fresh_pages::touch(std::size_t page) noexcept {
  *static_cast<volatile char*>(memory_ + page * page_bytes_) = 1;
}

std::vector<std::optional<unsigned>> fresh_pages::nodes() const {
  std::vector<void*> addresses;
  for (std::size_t page = 0; page < pages_; ++page) addresses.push_back(memory_ + page * page_bytes_);
  std::vector<int> status(pages_, -ENODATA);
  // Without target nodes it moves nothing, and says where each page lies.
  if (::syscall(SYS_move_pages, 0, addresses.size(), addresses.data(), nullptr, status.data(), 0) != 0)
    refuse("move_pages");
  std::vector<std::optional<unsigned>> found;
  for (const int node : status) found.push_back(node >= 0 ? std::optional(static_cast<unsigned>(node)) : std::nullopt);
  return found;
}

}  // namespace nearfork::lab
