// The message of a call that is refused.
#pragma once

#include <exception>
#include <string>

#include <nearfork/error.hpp>

namespace nearfork::test {

/// The message of the error that `act` throws.
template <class Act>
std::string message_of(Act act) {
  try {
    act();
  } catch (const error& wrong) {
    return wrong.what();
  }
  return "no error";
}

/// What any exception of `act` says.
template <class Act>
std::string said_by(Act act) {
  try {
    act();
  } catch (const std::exception& wrong) {
    return wrong.what();
  }
  return "no exception";
}

}  // namespace nearfork::test
