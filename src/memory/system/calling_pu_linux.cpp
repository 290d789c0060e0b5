#include <sched.h>

#include "memory/system/calling_pu.hpp"

namespace nearfork {

os_index calling_pu() noexcept {
  const int pu = ::sched_getcpu();
  return os_index{pu < 0 ? 0U : static_cast<std::uint32_t>(pu)};
}

}  // namespace nearfork
