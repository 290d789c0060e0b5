// Results in a file as they come, so that a long command that was stopped goes on where it was.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/output/output_file.hpp"
#include "base/value_bytes.hpp"

namespace nearfork::tools {

/// A command asks for the same results in the same order each time that it is called with the same arguments, so a
/// result is known by its number. One thread at a time.
class result_store {
 public:
  /// `option` names the path in messages; `run` says what the results are of. Throws: nearfork::error if the file
  /// cannot be read or written, is damaged, or has results of another run or of another build of this program.
  result_store(const std::string& path, std::string option, std::string run);

  /// How many results an earlier call has left.
  [[nodiscard]] std::size_t found() const noexcept { return found_; }
  /// The first of so many numbers for results that the command asks for now.
  [[nodiscard]] std::size_t numbers(std::size_t count) noexcept { return std::exchange(next_, next_ + count); }

  /// nullopt: there is none yet. Throws: nearfork::error if that number is another result's.
  template <class T>
  [[nodiscard]] std::optional<T> find(std::size_t number, std::string_view title) const {
    const std::string* const bytes = bytes_of(number, title);
    if (bytes == nullptr) return std::nullopt;
    return value_of_bytes<T>(*bytes);
  }
  /// The file has all results or, if this throws nearfork::error, those before.
  template <class T>
  void keep(std::size_t number, std::string_view title, const T& result) {
    write(number, {std::string(title), bytes_of_value(result)});
  }

 private:
  struct entry {
    std::string title;
    std::string bytes;
  };
  struct content {
    std::uint32_t build = 0;  // a checksum of this program
    std::string run;
    std::vector<std::size_t> numbers;
    std::vector<entry> entries;  // by position in `numbers`
  };
  void read(const std::string& path);
  [[nodiscard]] const std::string* bytes_of(std::size_t number, std::string_view title) const;
  void write(std::size_t number, entry made);

  output_file file_;
  std::string option_;
  std::string run_;
  std::uint32_t build_;
  std::map<std::size_t, entry> entries_;
  std::size_t found_ = 0;
  std::size_t next_ = 0;
};

}  // namespace nearfork::tools
