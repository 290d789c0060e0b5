#include <nearfork/error.hpp>
#include <nearfork/machine_shares.hpp>

#include "plan/crew/machine_parts.hpp"
#include "runtime/lifetime/configured_machine.hpp"

namespace nearfork {

std::vector<std::vector<unsigned>> machine_shares(unsigned parts, const config& settings) {
  if (parts == 0) throw error("nearfork: machine_shares(0): a machine is split into one part or more");
  return parts_of_machine(*configured_machine(settings), parts);
}

}  // namespace nearfork
