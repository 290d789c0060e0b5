// Loads two plugins that each have nearfork in them, and calls one in tasks of the other. Takes their paths.
#include <cstdio>
#include <thread>

#include <dlfcn.h>

using sum_function = long (*)(void (*)());
static sum_function first;
static sum_function second;

static sum_function loaded(void* plugin, const char* name) {
  void* const found = plugin == nullptr ? nullptr : dlsym(plugin, name);
  if (found == nullptr) std::printf("%s\n", dlerror());
  return reinterpret_cast<sum_function>(found);
}

int main(int, char** arguments) {
  for (int time = 0; time < 3; ++time) {
    void* const one = dlopen(arguments[1], RTLD_NOW);
    void* const other = dlopen(arguments[2], RTLD_NOW);
    first = loaded(one, "first_sum");
    second = loaded(other, "second_sum");
    if (first == nullptr || second == nullptr) return 1;
    const auto call_second = [] { second(nullptr); };
    long beside = 0;
    std::thread thread([&] { beside = second(nullptr); });
    const long sum = first(call_second);
    thread.join();
    if (sum != 20'086 || beside != sum) {
      std::printf("wrong: %ld and %ld\n", sum, beside);
      return 1;
    }
    dlclose(one);
    dlclose(other);
  }
  std::puts("both plugins have run");
}
