// Small programs of many styles in one executable: each is registered under its name and run in a process of its own.
#pragma once

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>

namespace programs {

using body = void (*)();

inline std::map<std::string, body>& correct() {
  static std::map<std::string, body> all;
  return all;
}
/// Programs with a fault that a sanitizer must report. Their names begin with the sanitizer: "address_" or "thread_".
inline std::map<std::string, body>& faulty() {
  static std::map<std::string, body> all;
  return all;
}

struct program {
  program(const char* name, body what) { correct()[name] = what; }
};
struct faulty_program {
  faulty_program(const char* name, body what) { faulty()[name] = what; }
};

template <class A, class B>
void expect_equal(const A& found, const B& expected, const char* what) {
  if (found == expected) return;
  std::fprintf(stderr, "wrong answer: %s\n", what);
  std::_Exit(3);
}
inline void expect(bool holds, const char* what) {
  expect_equal(holds, true, what);
}

}  // namespace programs
