#include "machine/described/hwloc_library.hpp"

#include <dlfcn.h>

#include <memory>
#include <string>

#include <nearfork/error.hpp>

#include "base/privileged.hpp"

namespace nearfork {
namespace {

struct closer {
  void operator()(void* handle) const noexcept { ::dlclose(handle); }
};
using open_handle = std::unique_ptr<void, closer>;

/// The loader's message for its last error.
std::string loader_says() {
  const char* const words = ::dlerror();
  return words != nullptr ? words : "the loader does not say why";
}

/// Binds lazily: we reach only a part of some 200 functions inside.
open_handle open_or_throw(const char* file_name) {
  open_handle handle(::dlopen(file_name, RTLD_LAZY | RTLD_LOCAL));
  if (handle == nullptr)
    throw error("nearfork: cannot load hwloc, which reads machines for it: " + loader_says() +
                "; install it (on Debian: apt-get install libhwloc15), or put its folder into " +
                (is_privileged() ? "/etc/ld.so.conf (LD_LIBRARY_PATH is not obeyed by privileged programs)"
                                 : "LD_LIBRARY_PATH"));
  return handle;
}

void* find_or_throw(void* handle, const char* file_name, const char* function) {
  void* const found = ::dlsym(handle, function);
  if (found == nullptr)
    throw error("nearfork: " + std::string(file_name) + " is not the hwloc that it needs: " + loader_says() +
                "; install hwloc 2.9 or later (on Debian: apt-get install libhwloc15)");
  return found;
}

}  // namespace

hwloc_library::hwloc_library(const char* file_name) {
  open_handle opened = open_or_throw(file_name);
#define NEARFORK_HWLOC_LOOK_UP(name) \
  name = reinterpret_cast<decltype(name)>(find_or_throw(opened.get(), file_name, "hwloc_" #name));
  NEARFORK_HWLOC_FUNCTIONS(NEARFORK_HWLOC_LOOK_UP)
#undef NEARFORK_HWLOC_LOOK_UP
  handle_ = opened.release();
}

hwloc_library::~hwloc_library() {
  ::dlclose(handle_);
}

}  // namespace nearfork
