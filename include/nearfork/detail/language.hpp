// What nearfork needs of the compiler's language. Every public header includes this one first, so that a wrong flag
// gives one message, in place of pages about code that the compiler misreads. The #include of no file ends the
// compilation after it.
#pragma once

#if __cplusplus < 202002L
#error \
    "nearfork needs C++20: compile with -std=c++20 or later (CMake: target_compile_features(your_target PRIVATE cxx_std_20))"
#include <nearfork/see_the_error_above>
#elif !defined(__cpp_exceptions)
#error "nearfork needs exceptions, which carry failures from tasks to the join: compile without -fno-exceptions"
#include <nearfork/see_the_error_above>
#endif

/// Of a constant that points to functions: each program and each shared library has its own. Else gcc has the process
/// share one, also between plugins that each have the static library in them, and one plugin's workers would call the
/// functions of another.
#define NEARFORK_OWN_COPY __attribute__((__visibility__("hidden")))

/// 1: this code is instrumented for a thread or address sanitizer.
#if defined(__SANITIZE_THREAD__) || defined(__SANITIZE_ADDRESS__)
#define NEARFORK_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(thread_sanitizer) || __has_feature(address_sanitizer)
#define NEARFORK_SANITIZED 1
#endif
#endif
#if !defined(NEARFORK_SANITIZED)
#define NEARFORK_SANITIZED 0
#endif

#include <version>

/// Of types with containers of the standard library, and functions that return some, in compiled code. A program may be
/// compiled in a mode in which these have another layout than in the library, and would crash. The tag gets into the
/// names that the linker looks for, so that it says instead: undefined reference to
/// nearfork::config[abi:needs_a_library_with_GLIBCXX_DEBUG]. A program that hands over none of these types links.
#if defined(_LIBCPP_VERSION)
#define NEARFORK_STANDARD_LAYOUT [[gnu::__abi_tag__("needs_a_library_with_libcxx")]]
#elif defined(_GLIBCXX_DEBUG)
#define NEARFORK_STANDARD_LAYOUT [[gnu::__abi_tag__("needs_a_library_with_GLIBCXX_DEBUG")]]
#elif defined(_GLIBCXX_USE_CXX11_ABI) && !_GLIBCXX_USE_CXX11_ABI
#define NEARFORK_STANDARD_LAYOUT [[gnu::__abi_tag__("needs_a_library_without_GLIBCXX_USE_CXX11_ABI")]]
#else
#define NEARFORK_STANDARD_LAYOUT
#endif
