// What the system did not let us do with clocks: one line of a report.
#pragma once

#include <string>

namespace nearfork {

struct power_shortfall {
  std::string what;    // "frequencies are not set"
  std::string where;   // the file
  std::string why;     // "Permission denied (errno 13)"
  std::string remedy;  // what to do about it
};

}  // namespace nearfork
