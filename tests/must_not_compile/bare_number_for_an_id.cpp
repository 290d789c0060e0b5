// expect: no matching (member )?function for call to
#include "machine/model/machine.hpp"

const nearfork::core& wrong(const nearfork::machine& shown) {
  return shown.at(3U);
}
