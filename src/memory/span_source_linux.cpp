#include "memory/span_source.hpp"

#include <linux/mempolicy.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <vector>

#include "machine/machine.hpp"

namespace nearfork {
namespace {

constexpr std::size_t bits_per_word = sizeof(unsigned long) * CHAR_BIT;

/// The kernel reads one bit less than it is told.
constexpr std::size_t kernel_bits(const std::vector<unsigned long>& mask) {
  return mask.size() * bits_per_word + 1;
}

/// nullptr and errno if there is no address space.
std::byte* map_aligned() noexcept {
  constexpr std::size_t mapped_bytes = 2 * span_bytes;
  void* const got = ::mmap(nullptr, mapped_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (got == MAP_FAILED) return nullptr;
  auto* const from = static_cast<std::byte*>(got);
  const std::size_t before = -reinterpret_cast<std::uintptr_t>(got) & (span_bytes - 1);
  if (before > 0) ::munmap(from, before);
  ::munmap(from + before + span_bytes, mapped_bytes - before - span_bytes);
  return from + before;
}

class system_span_source final : public span_source {
 public:
  explicit system_span_source(const machine& of) {
    for (const memory_node& node : of.nodes()) {
      const std::size_t bit = number_of(node.os);
      std::vector<unsigned long> mask(bit / bits_per_word + 1);
      mask.back() = 1UL << (bit % bits_per_word);
      nodes_.push_back({static_cast<int>(bit), std::move(mask)});
    }
  }

  taken_span take(node_id node) noexcept override {
    std::byte* const start = map_aligned();
    if (start == nullptr) return {.errno_value = errno};
    const target& wanted = nodes_[index_of_id(node)];
    taken_span made{.start = start};
    if (nodes_.size() < 2) return made;  // there is nowhere else
    if (!prefer(start, wanted)) made = {start, span_binding::first_touch, errno};
    *start = std::byte{};  // the first page comes from where the others will
    if (made.binding == span_binding::first_touch || lies_on(start, wanted)) return made;
    give_back(start);
    return {.errno_value = ENOMEM};
  }

  void give_back(void* start) noexcept override {
    // With all mappings used up a span amid others cannot be cut out; its pages go back all the same.
    if (::munmap(start, span_bytes) != 0) ::madvise(start, span_bytes, MADV_DONTNEED);
  }

 private:
  struct target {
    int os;
    std::vector<unsigned long> mask;
  };

  /// Not MPOL_BIND: there a page fault on a full node ends in the OOM killer, not in an error that we could act on.
  static bool prefer(void* start, const target& wanted) noexcept {
    return ::syscall(SYS_mbind, start, span_bytes, MPOL_PREFERRED, wanted.mask.data(), kernel_bits(wanted.mask), 0) ==
           0;
  }
  /// Preferring falls back to another node silently. Where asking is denied the answer to mbind has to do.
  static bool lies_on(void* start, const target& wanted) noexcept {
    int node = -1;
    if (::syscall(SYS_get_mempolicy, &node, nullptr, 0, start, MPOL_F_NODE | MPOL_F_ADDR) != 0) return true;
    return node == wanted.os;
  }

  std::vector<target> nodes_;
};

}  // namespace

std::unique_ptr<span_source> system_spans(const machine& of) {
  return std::make_unique<system_span_source>(of);
}

}  // namespace nearfork
