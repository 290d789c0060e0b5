#include <cstring>

#include "program.hpp"

/// usage: programs --list correct|faulty | NAME
int main(int argc, char** argv) {
  if (argc == 3 && std::strcmp(argv[1], "--list") == 0) {
    const auto& listed = std::strcmp(argv[2], "faulty") == 0 ? programs::faulty() : programs::correct();
    for (const auto& [name, body] : listed) std::puts(name.c_str());
    return 0;
  }
  for (const auto* all : {&programs::correct(), &programs::faulty()})
    if (argc == 2 && all->contains(argv[1])) {
      all->at(argv[1])();
      return 0;
    }
  std::fprintf(stderr, "usage: %s --list correct|faulty | NAME\n", argv[0]);
  return 2;
}
