// expect: no matching (member )?function for call to
#include "machine/model/machine.hpp"

// The system's number of a PU is not its place in this machine's list.
const nearfork::pu& wrong(const nearfork::machine& shown, nearfork::os_index number) {
  return shown.at(number);
}
