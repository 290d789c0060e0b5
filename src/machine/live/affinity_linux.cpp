#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstddef>

#include "machine/live/affinity.hpp"

#include "machine/live/mask_words.hpp"

namespace nearfork {
/// The kernel refuses a set that is smaller than its own with EINVAL; so the set grows until it is large enough.
int read_affinity(std::vector<unsigned long>& mask) {
  for (std::size_t words = 16; words <= most_pus / bits_per_word; words *= 2) {
    mask.assign(words, 0UL);
    const long bytes = ::syscall(SYS_sched_getaffinity, 0, words * sizeof(unsigned long), mask.data());
    if (bytes >= 0) return 0;
    if (errno != EINVAL) return errno;
  }
  return EINVAL;
}

int restore_affinity(const std::vector<unsigned long>& mask) noexcept {
  return ::syscall(SYS_sched_setaffinity, 0, mask.size() * sizeof(unsigned long), mask.data()) == 0 ? 0 : errno;
}

}  // namespace nearfork
