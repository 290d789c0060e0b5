#include "runtime/lifetime/stay_loaded.hpp"

#include <dlfcn.h>

namespace nearfork {

namespace {

/// A program itself is not unmapped, and may not be found by its name.
bool asked_to_stay_loaded() noexcept {
  Dl_info ours{};
  if (::dladdr(reinterpret_cast<const void*>(&stay_loaded), &ours) != 0 && ours.dli_fname != nullptr)
    (void)::dlopen(ours.dli_fname, RTLD_LAZY | RTLD_NOLOAD | RTLD_NODELETE);
  (void)::dlerror();  // not to be found by the program, which asked nothing
  return true;
}

}  // namespace

void stay_loaded() noexcept {
  static const bool asked = asked_to_stay_loaded();  // once: programs start many runtimes
  (void)asked;
}

}  // namespace nearfork
