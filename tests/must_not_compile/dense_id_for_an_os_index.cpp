// expect: (cannot convert|type 'os_index' with an lvalue)
#include "machine/live/pinning.hpp"

// Pinning speaks to the system, which knows only its own numbers.
int wrong(nearfork::pu_id place) {
  return nearfork::pin_this_thread(place);
}
