#include "runtime/malloc/malloc_library.hpp"

#include <dlfcn.h>

namespace nearfork {
namespace {

using take_function = decltype(detail::nearfork_malloc_take);

take_function* found_take() noexcept {
  auto* const found = reinterpret_cast<take_function*>(::dlsym(RTLD_DEFAULT, detail::malloc_take_name));
  if (found == nullptr) (void)::dlerror();  // not to be found by the program, which asked nothing
  return found;
}

}  // namespace

bool has_malloc_library() noexcept {
  return found_take() != nullptr;
}

bool give_to_malloc_library(const detail::malloc_offer& offer, std::size_t from_bytes) noexcept {
  take_function* const take = found_take();
  return take != nullptr && take(&offer, from_bytes);
}

}  // namespace nearfork
