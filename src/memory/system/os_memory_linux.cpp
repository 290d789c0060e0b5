#include "memory/system/os_memory.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <climits>
#include <string>
#include <string_view>
#include <vector>

#include "machine/live/small_file.hpp"
#include "machine/live/system_probe.hpp"
#include "memory/system/low_watermark.hpp"
#include "memory/system/page_nodes.hpp"
#include "memory/system/poison.hpp"
#include "memory/system/rounding.hpp"

namespace nearfork {
namespace {

// Not in the kernel headers of Debian 12; values of include/uapi/linux/mempolicy.h since 6.9.
constexpr int mpol_weighted_interleave = 6;
constexpr const char* weights_folder = "/sys/kernel/mm/mempolicy/weighted_interleave";
constexpr const char* nodes_folder = "/sys/devices/system/node";
constexpr std::size_t bits_per_word = sizeof(unsigned long) * CHAR_BIT;

int mode_of(page_policy how) {
  switch (how) {
    case page_policy::first_touch: return MPOL_DEFAULT;
    case page_policy::prefer: return MPOL_PREFERRED;
    case page_policy::bind: return MPOL_BIND;
    case page_policy::interleave: return MPOL_INTERLEAVE;
    case page_policy::weighted_interleave: return mpol_weighted_interleave;
  }
  return MPOL_DEFAULT;
}

std::vector<unsigned long> mask_of(std::span<const os_index> nodes) {
  std::vector<unsigned long> mask;
  for (const os_index node : nodes) {
    const std::size_t word = number_of(node) / bits_per_word;
    if (mask.size() <= word) mask.resize(word + 1, 0UL);
    mask[word] |= 1UL << number_of(node) % bits_per_word;
  }
  return mask;
}

std::string text_of_file(const std::string& path) {
  return read_small_file(path).value_or("");
}

/// The number after `name`, in bytes, from a line like "Node 0 MemFree: 123456 kB".
std::optional<std::uint64_t> kib_entry(std::string_view text, std::string_view name) {
  auto at = text.find(name);
  if (at == text.npos) return std::nullopt;
  at = text.find_first_of("0123456789", at + name.size());
  std::uint64_t kib = 0;
  if (at == text.npos || std::from_chars(text.data() + at, text.data() + text.size(), kib).ec != std::errc{})
    return std::nullopt;
  return kib << 10;
}

std::size_t read_huge_page_bytes() {
  constexpr std::size_t usual = std::size_t{2} << 20;
  const std::string text = text_of_file("/sys/kernel/mm/transparent_hugepage/hpage_pmd_size");
  std::size_t bytes = 0;
  const auto read = std::from_chars(text.data(), text.data() + text.size(), bytes);
  return read.ec == std::errc{} && bytes > 0 ? bytes : usual;
}

class linux_memory final : public os_memory {
 public:
  std::size_t page_bytes() const noexcept override { return page_bytes_; }
  std::size_t huge_page_bytes() const noexcept override { return huge_page_bytes_; }

  mapped_memory map(std::size_t bytes, std::size_t reserved_bytes, std::size_t alignment) override {
    const std::size_t all = reserved_bytes + (alignment > page_bytes_ ? alignment : 0);
    // Reserve the addresses alone first: on a system without overcommit the reserved rest shall not count.
    void* const got = ::mmap(nullptr, all, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) return {nullptr, errno};
    auto* const low = static_cast<std::byte*>(got);
    const std::size_t before =
        round_up(reinterpret_cast<std::uintptr_t>(low), alignment) - reinterpret_cast<std::uintptr_t>(low);
    std::byte* const begin = low + before;
    if (before > 0) ::munmap(low, before);
    if (const std::size_t after = all - before - reserved_bytes; after > 0) ::munmap(begin + reserved_bytes, after);
    // mmap again and not mprotect: a mapping that was made without reservation would never be accounted for.
    if (::mmap(begin, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED, -1, 0) == MAP_FAILED) {
      const int refused = errno;
      ::munmap(begin, reserved_bytes);
      return {nullptr, refused};
    }
    sanitizers::holds_pointers(begin, reserved_bytes);
    return {begin, 0};
  }

  int set_aside(std::byte* begin, std::size_t bytes) noexcept override {
    if (::madvise(begin, bytes, MADV_FREE) != 0) return errno;
    poison::close(begin, bytes);
    return 0;
  }
  void lay_down(std::byte* begin, std::size_t bytes) noexcept override { poison::close(begin, bytes); }
  void take_up(std::byte* begin, std::size_t bytes) noexcept override { poison::open(begin, bytes); }

  void unmap(std::byte* begin, std::size_t reserved_bytes) noexcept override {
    poison::span_given_back(begin, reserved_bytes);
    // If all mappings of the process are used up, the kernel cannot cut this one out of another. Its pages are released
    // anyway.
    if (::munmap(begin, reserved_bytes) != 0) ::madvise(begin, reserved_bytes, MADV_DONTNEED);
  }

  int set_policy(std::byte* begin, std::size_t bytes, page_policy how, std::span<const os_index> nodes) override {
    const std::vector<unsigned long> mask = mask_of(nodes);
    // One bit more than there are: the kernel ignores the last one.
    const std::size_t bits = mask.empty() ? 0 : mask.size() * bits_per_word + 1;
    return ::syscall(SYS_mbind, begin, bytes, mode_of(how), mask.empty() ? nullptr : mask.data(), bits, 0) == 0 ? 0
                                                                                                                : errno;
  }

  int locate(std::span<std::byte* const> pages, std::span<int> nodes) const override {
    return nodes_of_pages(pages, nodes);
  }

  /// The kernel may return the number of pages that it did not get to. Their outcomes stay as they were written here.
  int move(std::span<std::byte* const> pages, std::span<const int> to, std::span<int> outcomes) override {
    std::ranges::fill(outcomes, -EAGAIN);
    const long moved =
        ::syscall(SYS_move_pages, 0, pages.size(), pages.data(), to.data(), outcomes.data(), MPOL_MF_MOVE);
    return moved >= 0 ? 0 : errno;
  }

  int advise(std::byte* begin, std::size_t bytes, huge_pages how) override {
    if (how == huge_pages::by_system) return 0;
    return ::madvise(begin, bytes, how == huge_pages::wanted ? MADV_HUGEPAGE : MADV_NOHUGEPAGE) == 0 ? 0 : errno;
  }

  std::optional<std::uint64_t> free_bytes(os_index node) const override {
    const std::string text = text_of_file(nodes_folder + ("/node" + std::to_string(number_of(node))) + "/meminfo");
    std::optional<std::uint64_t> sum = kib_entry(text, "MemFree:");
    const bool lists_nodes = !sum && ::access(nodes_folder, F_OK) == 0;
    if (!sum) return lists_nodes ? std::optional<std::uint64_t>(0) : std::nullopt;
    *sum -= std::min(*sum, below_low_watermark(node));
    for (const char* const name : {"Active(file):", "Inactive(file):", "SReclaimable:"})
      *sum += kib_entry(text, name).value_or(0);
    return sum;
  }

  bool has_weighted_interleave() const override { return ::access(weights_folder, F_OK) == 0; }
  std::optional<unsigned> interleave_weight(os_index node) const override {
    const std::string text = text_of_file(weights_folder + ("/node" + std::to_string(number_of(node))));
    unsigned weight = 0;
    if (std::from_chars(text.data(), text.data() + text.size(), weight).ec != std::errc{}) return std::nullopt;
    return weight;
  }
  grant balancing() const override { return numa_balancing_of(*probe_); }
  grant huge_pages_granted() const override { return huge_pages_of(*probe_); }

 private:
  /// Bytes that Linux keeps back of a node. Read once: reading takes a millisecond on a large machine, and the value
  /// changes only when vm.min_free_kbytes is set. Never destroyed, because programs may still allocate at exit. Not a
  /// made_once, because callers hold the lock of placed memory, which fork() waits for.
  std::uint64_t below_low_watermark(os_index node) const {
    static const low_watermarks& marks = *new low_watermarks(read_small_file("/proc/zoneinfo").value_or(""));
    return marks.pages_of(number_of(node)) * page_bytes_;
  }

  std::size_t page_bytes_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::size_t huge_page_bytes_ = read_huge_page_bytes();
  std::unique_ptr<const system_probe> probe_ = live_system();
};

}  // namespace

std::unique_ptr<os_memory> live_os_memory() {
  return std::make_unique<linux_memory>();
}

}  // namespace nearfork
