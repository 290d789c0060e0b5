#pragma once

#include <nearfork/detail/language.hpp>

#include <stdexcept>
#include <string>

namespace nearfork {

/// Thrown when nearfork cannot do what was asked: bad configuration, malformed input, or, in strict mode, rights that
/// the system denies. The message says what went wrong, where, and what to do about it.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nearfork
