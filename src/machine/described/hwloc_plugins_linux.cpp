#include "machine/described/hwloc_plugins.hpp"

#include <cstdlib>

#if __has_include(<sys/single_threaded.h>)
#include <sys/single_threaded.h>
#endif

namespace nearfork {
namespace {

constexpr const char* variable = "HWLOC_PLUGINS_PATH";

bool has_one_thread() noexcept {
#if __has_include(<sys/single_threaded.h>)
  return __libc_single_threaded != 0;
#else
  return false;
#endif
}

}  // namespace

hwloc_plugins_hidden::hwloc_plugins_hidden() noexcept
    : hidden_(has_one_thread() && std::getenv(variable) == nullptr && ::setenv(variable, "", 0) == 0) {}

hwloc_plugins_hidden::~hwloc_plugins_hidden() {
  if (hidden_) ::unsetenv(variable);
}

}  // namespace nearfork
