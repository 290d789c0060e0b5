#include "malloc/next_malloc.hpp"

#include <dlfcn.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "malloc/early_blocks.hpp"
#include "malloc/own_names.hpp"

namespace nearfork::preloaded {
namespace {

// --- what callers meet first ---

void* early_malloc(std::size_t bytes) {
  return look_up_next() ? next.malloc.get()(bytes) : early_block(bytes);
}
void early_free(void* begin) {
  // Early blocks do not come here: they begin where free() looks for them.
  if (look_up_next()) next.free.get()(begin);
}
void* early_calloc(std::size_t count, std::size_t each) {
  if (look_up_next()) return next.calloc.get()(count, each);
  std::size_t bytes = 0;
  return early_block(__builtin_mul_overflow(count, each, &bytes) ? SIZE_MAX : bytes);
}
void* early_realloc(void* begin, std::size_t bytes) {
  return look_up_next() ? next.realloc.get()(begin, bytes) : early_block(bytes);
}
void* early_memalign(std::size_t alignment, std::size_t bytes) {
  return look_up_next() ? next.memalign.get()(alignment, bytes) : early_block(bytes);
}
void* early_aligned_alloc(std::size_t alignment, std::size_t bytes) {
  return look_up_next() ? next.aligned_alloc.get()(alignment, bytes) : early_block(bytes);
}
int early_posix_memalign(void** into, std::size_t alignment, std::size_t bytes) {
  if (look_up_next()) return next.posix_memalign.get()(into, alignment, bytes);
  *into = early_block(bytes);
  return *into != nullptr ? 0 : ENOMEM;
}
std::size_t early_usable(void* begin) {
  return look_up_next() ? next.usable.get()(begin) : 0;
}

// --- looking up ---

enum class progress : std::uint8_t { none, under_way, done };
constinit std::atomic<progress> looked_up{progress::none};

[[noreturn]] void give_up(const char* missing) noexcept {
  constexpr char words[] = "nearfork: libnearfork-malloc.so finds no next ";
  (void)!::write(STDERR_FILENO, words, sizeof words - 1);
  (void)!::write(STDERR_FILENO, missing, std::strlen(missing));
  (void)!::write(STDERR_FILENO, "\n", 1);
  std::abort();
}

template <class Function>
bool find(next_function<Function>& into, const char* name) noexcept {
  void* const found = ::dlsym(RTLD_NEXT, name);
  if (found != nullptr) into.know(reinterpret_cast<Function*>(found));
  return found != nullptr;
}

template <class Function>
void find_or_give_up(next_function<Function>& into, const char* name) noexcept {
  if (!find(into, name)) give_up(name);
}

bool is_of_libstdcxx(const void* function) noexcept {
  Dl_info from{};
  if (::dladdr(function, &from) == 0 || from.dli_fname == nullptr) return false;
  const char* const slash = std::strrchr(from.dli_fname, '/');
  return std::strncmp(slash != nullptr ? slash + 1 : from.dli_fname, "libstdc++.so", 12) == 0;
}

/// True if the operators that come next allocate by malloc and free, and these are ours.
bool operators_are_malloc() noexcept {
  void* const one = ::dlsym(RTLD_NEXT, "_Znwm");
  if (one == nullptr) return true;  // no C++ library for all: plugins that bring one find our operators first
  return is_of_libstdcxx(one) && ::dlsym(RTLD_DEFAULT, "malloc") == reinterpret_cast<void*>(&nearfork_own_malloc) &&
         ::dlsym(RTLD_DEFAULT, "free") == reinterpret_cast<void*>(&nearfork_own_free);
}

void find_operators() noexcept {
  find(next_cxx.nothrow, "_ZnwmRKSt9nothrow_t");
  find(next_cxx.aligned, "_ZnwmSt11align_val_t");
  find(next_cxx.aligned_nothrow, "_ZnwmSt11align_val_tRKSt9nothrow_t");
  find(next_cxx.delete_aligned, "_ZdlPvSt11align_val_t");
  if (operators_are_malloc()) {
    next_cxx.one.know(next.malloc.get());
    next_cxx.delete_one.know(next.free.get());
  } else {
    find_or_give_up(next_cxx.one, "_Znwm");
    find_or_give_up(next_cxx.delete_one, "_ZdlPv");
  }
}

void find_all() noexcept {
  // free first: from now on what dlsym() frees meanwhile goes where it belongs.
  find_or_give_up(next.free, "free");
  find_or_give_up(next.malloc, "malloc");
  find_or_give_up(next.calloc, "calloc");
  find_or_give_up(next.realloc, "realloc");
  find_or_give_up(next.memalign, "memalign");
  find_or_give_up(next.aligned_alloc, "aligned_alloc");
  find_or_give_up(next.posix_memalign, "posix_memalign");
  find_or_give_up(next.usable, "malloc_usable_size");
  find_operators();
}

/// Not at the first call of another thread: looking up is not made for two at once.
[[gnu::constructor(101)]] void look_up_at_start() {
  (void)look_up_next();
}

/// Also where the library was loaded for one plugin alone.
template <class Function>
Function* of_cxx_library(const char* name) noexcept {
  for (const char* const file : {"libstdc++.so.6", "libc++abi.so.1", "libc++.so.1"})
    if (void* const library = ::dlopen(file, RTLD_LAZY | RTLD_NOLOAD))
      if (void* const found = ::dlsym(library, name)) return reinterpret_cast<Function*>(found);
  give_up("operator new, which is to say that there is no memory");
}

}  // namespace

constinit next_malloc next{
    .malloc = next_function(early_malloc),
    .free = next_function(early_free),
    .calloc = next_function(early_calloc),
    .realloc = next_function(early_realloc),
    .memalign = next_function(early_memalign),
    .aligned_alloc = next_function(early_aligned_alloc),
    .posix_memalign = next_function(early_posix_memalign),
    .usable = next_function(early_usable),
};

constinit next_operators next_cxx{
    .one = next_function(early_malloc),
    .nothrow = next_function(operators_by_malloc::nothrow),
    .aligned = next_function(operators_by_malloc::aligned),
    .aligned_nothrow = next_function(operators_by_malloc::aligned_nothrow),
    .delete_one = next_function(early_free),
    .delete_aligned = next_function(operators_by_malloc::delete_aligned),
};

void* operators_by_malloc::nothrow(std::size_t bytes, const std::nothrow_t&) {
  return next.malloc.get()(bytes);
}
void* operators_by_malloc::aligned(std::size_t bytes, std::align_val_t alignment) {
  void* const begin = next.memalign.get()(static_cast<std::size_t>(alignment), bytes);
  return begin != nullptr ? begin : new_without_memory(bytes, alignment);
}
void* operators_by_malloc::aligned_nothrow(std::size_t bytes, std::align_val_t alignment, const std::nothrow_t&) {
  return next.memalign.get()(static_cast<std::size_t>(alignment), bytes);
}
void operators_by_malloc::delete_aligned(void* begin, std::align_val_t) {
  next.free.get()(begin);
}

bool look_up_next() noexcept {
  progress before = progress::none;
  // Acquire and release: who finds it done finds the pointers that were stored.
  if (looked_up.compare_exchange_strong(before, progress::under_way, std::memory_order_acquire)) {
    const int errno_before = errno;
    find_all();
    errno = errno_before;
    looked_up.store(progress::done, std::memory_order_release);
    return true;
  }
  return before == progress::done;
}

void* new_without_memory(std::size_t bytes) {
  return of_cxx_library<void*(std::size_t)>("_Znwm")(bytes);
}
void* new_without_memory(std::size_t bytes, std::align_val_t alignment) {
  return of_cxx_library<void*(std::size_t, std::align_val_t)>("_ZnwmSt11align_val_t")(bytes, alignment);
}

}  // namespace nearfork::preloaded
