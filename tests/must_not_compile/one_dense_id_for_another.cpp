// expect: (cannot convert|type 'pu_id' with an lvalue)
#include "machine/model/machine.hpp"

nearfork::steal_distance wrong(const nearfork::machine& shown, nearfork::core_id one, nearfork::core_id other) {
  return shown.distance(one, other);
}
