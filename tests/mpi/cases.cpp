// usage: mpi_cases CASE [ARGUMENTS]
#include "mpi/cases.hpp"

int main(int argc, char** argv) {
  cases::table all = cases::message_cases();
  all.merge(cases::fault_cases());
  all.merge(cases::grid_cases());
  all.merge(cases::place_cases());
  all.merge(cases::style_cases());
  const auto found = argc > 1 ? all.find(argv[1]) : all.end();
  if (found == all.end()) {
    std::fprintf(stderr, "usage: %s CASE; cases:", argv[0]);
    for (const auto& [name, run] : all) std::fprintf(stderr, " %s", name.c_str());
    std::fputs("\n", stderr);
    return 2;
  }
  try {
    found->second(cases::arguments(argv + 2, argv + argc));
  } catch (const std::exception& wrong) {
    std::fprintf(stderr, "FAILED: %s\n", wrong.what());
    return 1;
  }
  return cases::faults == 0 ? 0 : 1;
}
