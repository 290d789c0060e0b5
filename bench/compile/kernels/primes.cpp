// A sieve: the primes up to the root by recursion, a loop of loops over their multiples, and a pack.
#include <atomic>
#include <cmath>
#include <sequence.hpp>

namespace {

std::vector<std::size_t> primes_below(std::size_t n) {
  if (n < 3) return {};
  const auto small = primes_below(static_cast<std::size_t>(std::sqrt(static_cast<double>(n))) + 2 < n
                                      ? static_cast<std::size_t>(std::sqrt(static_cast<double>(n))) + 2
                                      : n - 1);
  const std::size_t block = 1'000;
  std::vector<unsigned char> composite(n);
  layer::loop((n + block - 1) / block, [&](auto b) {
    layer::loop(small.size(), [&](auto p) {
      const auto prime = small[p], begin = b * block, end = begin + block < n ? begin + block : n;
      for (auto m = (begin + prime - 1) / prime * prime; m < end; m += prime)
        if (m != prime) std::atomic_ref(composite[m]).store(1, std::memory_order_relaxed);
    });
  });
  return sequence::pack(n, [&](auto i) { return i > 1 && composite[i] == 0; }, [](auto i) { return i; });
}

}  // namespace

int main() {
  const auto primes = primes_below(10'000);
  return primes.size() == 1'229 && primes.back() == 9'973 ? 0 : 1;
}
