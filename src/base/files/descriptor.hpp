// A file descriptor that is closed at its end.
#pragma once

#include <utility>

namespace nearfork {

class descriptor {
 public:
  explicit descriptor(int number) noexcept : number_(number) {}
  ~descriptor() { (void)close_checked(); }
  descriptor(descriptor&& from) noexcept : number_(std::exchange(from.number_, -1)) {}
  descriptor& operator=(descriptor&&) = delete;

  [[nodiscard]] int number() const noexcept { return number_; }
  [[nodiscard]] bool is_open() const noexcept { return number_ >= 0; }
  /// Returns an errno value or 0. A network file system may report only here that there was no room.
  [[nodiscard]] int close_checked() noexcept;

 private:
  int number_;
};

}  // namespace nearfork
