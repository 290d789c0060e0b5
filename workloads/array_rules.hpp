#pragma once

#include <cstdint>
#include <optional>

#include <nearfork/memory_options.hpp>

namespace nearfork::workloads {

/// Who writes the arrays of an instance first.
enum class array_setup : std::uint8_t {
  serial,    // the thread that makes the instance, once; later resets write the same pages
  parallel,  // the tasks of a region of its own, or the loop of another runtime, before each run, into new arrays
};

/// How an instance allocates its large arrays, and who writes them first.
struct array_rules {
  std::optional<memory_options> placed{};  // nullopt: plain memory, which lies beside the first writer
  array_setup setup = array_setup::serial;
};

}  // namespace nearfork::workloads
