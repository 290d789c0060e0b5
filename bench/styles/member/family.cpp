#include "bench/styles/member/member.hpp"
#include "bench/styles/styles.hpp"

const unsigned styles::children = 2;

std::uint64_t styles::answer(unsigned n) {
  const calculation one{1};
  return one.solve(n);
}
