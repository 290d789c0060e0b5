#include <nearfork/error.hpp>
#include <nearfork/machine_shares.hpp>

#include "machine/live/live_machine.hpp"
#include "machine/model/machine.hpp"
#include "plan/crew/machine_parts.hpp"

namespace nearfork {

std::vector<std::vector<unsigned>> machine_shares(unsigned parts, const config& settings) {
  if (parts == 0) throw error("nearfork: machine_shares(0): a machine is split into one part or more");
  // Who asks binds itself by the answer, and then starts a runtime, which is to see that.
  const auto where =
      settings.machine.empty() ? live_machine_of_now() : load_machine(settings.machine, settings.machine_folder);
  return parts_of_machine(*where, parts);
}

}  // namespace nearfork
