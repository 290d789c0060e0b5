#pragma once
#include <stdexcept>
#include <string>

namespace nearfork {

/// What nearfork throws when it cannot do what was asked: bad configuration, malformed input,
/// denied rights in strict mode. The message says what, where, and what to do about it.
class error : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace nearfork
