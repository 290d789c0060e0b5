// Shared by tests of the runtime: settings that suit any machine, and whether a sanitizer slows the tests down.
#pragma once

#include <nearfork/config.hpp>

namespace nearfork::test {

#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

/// Unpinned, because tests run side by side and request more workers than there are cores.
inline config with_workers(unsigned workers, std::uint64_t seed = 1) {
  config settings;
  settings.workers = workers;
  settings.pin = pinning::off;
  settings.seed = seed;
  return settings;
}

}  // namespace nearfork::test
