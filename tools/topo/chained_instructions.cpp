// Latencies: uops.info and Agner Fog's tables for x86; Arm's software optimisation guides for Cortex-A72 to Neoverse
// V2.
#include "tools/topo/chained_instructions.hpp"

namespace nearfork::tools {
namespace {

#if defined(__x86_64__)

// Both operands are registers with values unknown to the compiler, so it can compute nothing early.
#define NEARFORK_CHAIN(name, text)                                                                                    \
  std::uint64_t name(std::uint64_t start, int rounds) noexcept {                                                      \
    const std::uint64_t other = start | 1;                                                                            \
    for (int i = 0; i < rounds; ++i) asm volatile(".rept 32\n\t" text "\n\t.endr" : "+r"(start) : "r"(other) : "cc"); \
    return start;                                                                                                     \
  }
NEARFORK_CHAIN(multiplications, "imull %k1, %k0")
NEARFORK_CHAIN(exclusive_ors, "xorq %1, %0")
NEARFORK_CHAIN(rotations, "rolq $7, %0")
#undef NEARFORK_CHAIN

// The multiplication of Zhaoxin and Bulldozer cores takes 4 cycles; on all others since 2008 one of 32 bits takes 3.
constexpr instruction_chain chains[] = {
    {"multiplying", 3, multiplications}, {"exclusive or", 1, exclusive_ors}, {"rotating", 1, rotations}};

#elif defined(__aarch64__)

#define NEARFORK_CHAIN(name, text)                                                                             \
  std::uint64_t name(std::uint64_t start, int rounds) noexcept {                                               \
    const std::uint64_t other = start | 1;                                                                     \
    for (int i = 0; i < rounds; ++i) asm volatile(".rept 32\n\t" text "\n\t.endr" : "+r"(start) : "r"(other)); \
    return start;                                                                                              \
  }
NEARFORK_CHAIN(additions, "add %0, %0, %1")
NEARFORK_CHAIN(exclusive_ors, "eor %0, %0, %1")
NEARFORK_CHAIN(rotations, "ror %0, %0, #7")
#undef NEARFORK_CHAIN

// No multiplication: it takes 2 to 5 cycles, by core.
constexpr instruction_chain chains[] = {
    {"adding registers", 1, additions}, {"exclusive or", 1, exclusive_ors}, {"rotating", 1, rotations}};

#else

template <class Act>
std::uint64_t chained(std::uint64_t start, int rounds, const Act& act) noexcept {
  std::uint64_t other = start | 1;
  asm volatile("" : "+r"(other));  // its value is unknown from here on
  for (int i = 0; i < rounds * chained_at_once; ++i) {
    start = act(start, other);
    asm volatile("" : "+r"(start));
  }
  return start;
}
std::uint64_t additions(std::uint64_t start, int rounds) noexcept {
  return chained(start, rounds, [](std::uint64_t a, std::uint64_t b) { return a + b; });
}
std::uint64_t exclusive_ors(std::uint64_t start, int rounds) noexcept {
  return chained(start, rounds, [](std::uint64_t a, std::uint64_t b) { return a ^ b; });
}

constexpr instruction_chain chains[] = {{"adding registers", 1, additions}, {"exclusive or", 1, exclusive_ors}};

#endif

}  // namespace

std::span<const instruction_chain> instruction_chains() noexcept {
  return chains;
}

}  // namespace nearfork::tools
