#include "bench/compare/circumstances.hpp"

#include <fmt/format.h>
#include <sys/utsname.h>

#include "machine/model/machine.hpp"
#include "tools/bench/conditions.hpp"

namespace bench {

circumstances here_and_now() {
  utsname system{};
  ::uname(&system);
  circumstances now;
  now.machine = nearfork::live_machine()->summary();
  now.kernel = fmt::format("{} {}", system.sysname, system.release);
  now.when = nearfork::tools::now_text();
  return now;
}

std::string list_of(const circumstances& around) {
  std::string text = fmt::format(
      "- Machine: {}\n- System: {}\n- When: {}\n- Repetitions: {}; each runs all programs in a new order, and every "
      "answer is checked\n- Other processes kept {:.1f} cores busy during the run\n\n",
      around.machine, around.kernel, around.when, around.repetitions, around.others_cores);
  if (around.quick) text += "**A quick run at small sizes: its figures are not for conclusions.**\n\n";
  return text;
}

}  // namespace bench
