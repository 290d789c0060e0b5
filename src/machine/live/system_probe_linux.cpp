#include <fcntl.h>
#include <linux/mempolicy.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "base/files/descriptor.hpp"
#include "base/files/system_files.hpp"
#include "base/privileged.hpp"
#include "machine/live/affinity.hpp"
#include "machine/live/mask_words.hpp"
#include "machine/live/system_probe.hpp"

namespace nearfork {
namespace {

constexpr std::size_t most_kernel_nodes = 1024;

using bit_set = std::vector<unsigned long>;

bit_set only(std::size_t number) {
  bit_set set(number / bits_per_word + 1, 0UL);
  set.back() = 1UL << number % bits_per_word;
  return set;
}

std::optional<std::size_t> first_of(const bit_set& set) {
  for (std::size_t number = 0; number < set.size() * bits_per_word; ++number)
    if ((set[number / bits_per_word] >> number % bits_per_word & 1UL) != 0) return number;
  return std::nullopt;
}

int write_affinity(const bit_set& set) {
  return ::syscall(SYS_sched_setaffinity, 0, set.size() * sizeof(unsigned long), set.data()) == 0 ? 0 : errno;
}

/// A node that this process may take memory from; the first one if the system does not say.
std::size_t allowed_node() {
  bit_set nodes(most_kernel_nodes / bits_per_word, 0UL);
  const long refused = ::syscall(SYS_get_mempolicy, nullptr, nodes.data(), nodes.size() * bits_per_word, nullptr,
                                 static_cast<unsigned long>(MPOL_F_MEMS_ALLOWED));
  return refused == 0 ? first_of(nodes).value_or(0) : 0;
}

/// Memory of its own to try calls on.
class scratch_memory {
 public:
  explicit scratch_memory(std::size_t bytes)
      : bytes_(bytes), memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~scratch_memory() {
    if (memory_ != MAP_FAILED) ::munmap(memory_, bytes_);
  }
  scratch_memory(const scratch_memory&) = delete;
  scratch_memory& operator=(const scratch_memory&) = delete;

  [[nodiscard]] bool is_there() const noexcept { return memory_ != MAP_FAILED; }
  [[nodiscard]] void* begin() const noexcept { return memory_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return bytes_; }
  void touch() const noexcept { *static_cast<volatile char*>(memory_) = 1; }

 private:
  std::size_t bytes_;
  void* memory_;
};

std::size_t page_bytes() {
  return static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
}

int open_counter() {
  perf_event_attr wanted{};
  wanted.size = sizeof wanted;
  wanted.type = PERF_TYPE_HARDWARE;
  wanted.config = PERF_COUNT_HW_CACHE_MISSES;
  wanted.exclude_kernel = 1;
  wanted.exclude_hv = 1;
  wanted.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
  return static_cast<int>(::syscall(SYS_perf_event_open, &wanted, 0, -1, -1, 0));
}

void work_for_a_moment() {
  volatile unsigned sum = 0;
  for (unsigned i = 0; i < 100'000; ++i) sum = sum + i;
}

class linux_system final : public system_probe {
 public:
  trial pin() const override {
    bit_set before;
    if (const int refused = read_affinity(before); refused != 0) return {refused};
    const bit_set one = only(first_of(before).value_or(0));
    if (const int refused = write_affinity(one); refused != 0) return {refused};
    bit_set after;
    const bool reads = read_affinity(after) == 0;
    const int restored = write_affinity(before);
    for (std::size_t word = 0; word < after.size(); ++word)
      if (after[word] != (word < one.size() ? one[word] : 0UL)) return {restored, false};
    return {restored, reads};
  }

  trial ask_affinity() const override {
    bit_set mask;
    return {read_affinity(mask)};
  }

  bool privileged() const override { return is_privileged(); }

  trial bind_page() const override {
    const scratch_memory page(page_bytes());
    if (!page.is_there()) return {errno};
    const bit_set nodes = only(allowed_node());
    // One bit more than there are: the kernel ignores the last one.
    if (::syscall(SYS_mbind, page.begin(), page.bytes(), MPOL_PREFERRED, nodes.data(), nodes.size() * bits_per_word + 1,
                  0) != 0)
      return {errno};
    int policy = MPOL_PREFERRED;
    const long asked =
        ::syscall(SYS_get_mempolicy, &policy, nullptr, 0UL, page.begin(), static_cast<unsigned long>(MPOL_F_ADDR));
    // If asking is refused, the answer to mbind must do.
    return {0, asked != 0 || policy == MPOL_PREFERRED};
  }

  trial move_page() const override {
    const scratch_memory page(page_bytes());
    if (!page.is_there()) return {errno};
    page.touch();
    void* address = page.begin();
    const auto node = static_cast<int>(allowed_node());
    int status = -ENODATA;
    if (::syscall(SYS_move_pages, 0, 1UL, &address, &node, &status, MPOL_MF_MOVE) < 0) return {errno};
    // The call as a whole succeeds also if it fails for the page.
    if (status < 0) return {-status};
    return {0, status == node};
  }

  trial count_cache_misses() const override {
    const descriptor counter(open_counter());
    if (counter.number() < 0) return {errno};
    work_for_a_moment();
    struct {
      std::uint64_t misses, enabled_ns, running_ns;
    } counted{};
    const ssize_t got = ::read(counter.number(), &counted, sizeof counted);
    if (got != sizeof counted) return {got < 0 ? errno : EIO};
    // A counter that another user holds, or that the hypervisor only pretends to have, never runs.
    return {0, counted.running_ns > 0};
  }

  trial advise_huge_pages() const override {
    const scratch_memory area(std::size_t{4} << 20);
    if (!area.is_there()) return {errno};
    if (::madvise(area.begin(), area.bytes(), MADV_HUGEPAGE) != 0) return {errno};
    return {0, ::prctl(PR_GET_THP_DISABLE, 0, 0, 0, 0) != 1};
  }

  file_trial read(const std::string& path) const override {
    const file_text got = files_->read(path);
    return {got.error_number, got.text.substr(0, got.text.find('\n'))};
  }

  int write_back(const std::string& path, const std::string& text) const override { return files_->write(path, text); }

 private:
  const std::shared_ptr<const system_files> files_ = live_system_files();
};

}  // namespace

std::unique_ptr<const system_probe> live_system() {
  return std::make_unique<linux_system>();
}

}  // namespace nearfork
