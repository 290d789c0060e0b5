#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <climits>
#include <cstddef>

#include "machine/live/affinity.hpp"

#include "machine/live/mask_words.hpp"

namespace nearfork {

/// The kernel writes as many bytes as its own set has.
int read_affinity_of(int thread, std::vector<unsigned long>& mask) noexcept {
  std::fill(mask.begin(), mask.end(), 0UL);
  const std::size_t bytes = mask.size() * sizeof(unsigned long);
  return ::syscall(SYS_sched_getaffinity, thread, bytes, mask.data()) >= 0 ? 0 : errno;
}

/// The kernel refuses a set that is smaller than its own with EINVAL; so the set grows until it is large enough.
int read_affinity(std::vector<unsigned long>& mask) {
  for (std::size_t words = 16; words <= most_pus / bits_per_word; words *= 2) {
    mask.resize(words);
    if (const int refused = read_affinity_of(0, mask); refused != EINVAL) return refused;
  }
  return EINVAL;
}

int set_affinity_of(int thread, const std::vector<unsigned long>& mask) noexcept {
  const std::size_t bytes = mask.size() * sizeof(unsigned long);
  return ::syscall(SYS_sched_setaffinity, thread, bytes, mask.data()) == 0 ? 0 : errno;
}

int restore_affinity(const std::vector<unsigned long>& mask) noexcept {
  return set_affinity_of(0, mask);
}

}  // namespace nearfork
