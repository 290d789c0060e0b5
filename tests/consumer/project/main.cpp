#include <nearfork/nearfork.hpp>

#include <cstdio>

namespace {

long fib(int n) {
  if (n < 2) return n;
  auto [a, b] = nearfork::fork_join([=] { return fib(n - 1); }, [=] { return fib(n - 2); });
  return a + b;
}

}  // namespace

/// usage: consumer [MACHINE]: the name of a machine that was installed with the library.
int main(int argc, char** argv) {
  nearfork::config settings = nearfork::config::from_environment();
  if (argc > 1) settings.machine = argv[1];
  nearfork::runtime runtime(settings);
  const long result = runtime.run([] { return fib(20); });
  if (result != 6765) {
    std::fprintf(stderr, "fib(20) is 6765, not %ld\n", result);
    return 1;
  }
  std::puts("fib(20) = 6765");
  std::printf("nearfork %d.%d.%d\n", NEARFORK_VERSION_MAJOR, NEARFORK_VERSION_MINOR, NEARFORK_VERSION_PATCH);
}
