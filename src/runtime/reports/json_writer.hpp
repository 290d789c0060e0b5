// JSON text, member by member. Handles commas, escapes and indentation, nothing else.
#pragma once

#include <concepts>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace nearfork {

template <class T>
concept json_number = std::unsigned_integral<T> && !std::same_as<T, bool>;

class json_writer {
 public:
  void begin_object(std::string_view name = {}) { open(name, '{', '}'); }
  void begin_array(std::string_view name = {}) { open(name, '[', ']'); }
  /// Ends the object or array that was begun last.
  void end();

  void member(std::string_view name, std::string_view value);
  void member(std::string_view name, const char* value) { member(name, std::string_view(value)); }
  void member(std::string_view name, json_number auto value) { number(name, std::to_string(value)); }
  void member(std::string_view name, std::same_as<bool> auto value) { number(name, value ? "true" : "false"); }
  /// With nine digits; null if it is not finite.
  void member(std::string_view name, double value);
  /// Adds an element to an array.
  void element(std::string_view value);
  void element(json_number auto value) { number({}, std::to_string(value)); }
  /// Null if it is empty.
  void member_or_null(std::string_view name, std::string_view value);
  template <std::unsigned_integral T>
  void member_or_null(std::string_view name, const std::optional<T>& value) {
    if (value) member(name, *value);
    else null_member(name);
  }
  void null_member(std::string_view name) { number(name, "null"); }

  [[nodiscard]] const std::string& text() const { return text_; }

 private:
  struct level {
    char closing;
    bool empty;
  };
  void open(std::string_view name, char opening, char closing);
  void number(std::string_view name, std::string_view digits);
  void start_value(std::string_view name);
  void write_quoted(std::string_view text);

  std::string text_;
  std::vector<level> open_;
};

}  // namespace nearfork
