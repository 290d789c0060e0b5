// Which data have names (nearfork::data_name), for the recordings of all runtimes of the process.
//
// A name counts for every recorded iteration during which it lived, also if it died before the iteration ended: so a
// task may name data of its own.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace nearfork {

struct named_data {
  std::uint64_t begin;
  std::uint64_t bytes;
  std::string name;
};

/// One iteration that is being recorded. While it lives, names that die are kept for it. Any thread.
class names_of_iteration {
 public:
  names_of_iteration();
  ~names_of_iteration();
  names_of_iteration(const names_of_iteration&) = delete;
  names_of_iteration& operator=(const names_of_iteration&) = delete;

  /// A number that all later names and deaths exceed.
  [[nodiscard]] std::uint64_t began() const noexcept { return began_; }

 private:
  std::uint64_t began_;
};

/// Tells all names that lived at some time since the iteration began which returned `began`: first those that are gone,
/// then the others, each in the order in which they were given. Linear in names.
void for_each_name_since(std::uint64_t began, const std::function<void(const named_data&)>& tell);

}  // namespace nearfork
