// A text line by line, in bounded memory, with messages that say where.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "tools/graph_files/text_source.hpp"

namespace nearfork::tools {

class line_reader {
 public:
  /// No line of a graph is longer: the Matrix Market format allows 1024 characters.
  static constexpr std::size_t most_line_bytes = 64 << 10;

  line_reader(text_source from, std::string name);

  /// Goes to the next line. False at the end. Throws: nearfork::error if the line is too long or no text.
  bool next();
  /// Without its end, which may be "\n" or "\r\n". Until next().
  [[nodiscard]] std::string_view line() const noexcept { return line_; }

  /// The words of the line, which stand between spaces and tabs. More than `most` are not looked at: then `most` + 1
  /// are returned. Until next() or words() is called again.
  [[nodiscard]] const std::vector<std::string_view>& words(std::size_t most);

  /// Throws: nearfork::error with the file and the line. `why` also says what to do.
  [[noreturn]] void refuse(const std::string& why) const;
  /// The same about the file as a whole.
  [[noreturn]] void refuse_file(const std::string& why) const;

 private:
  bool fill();
  void check() const;

  text_source from_;
  std::string name_;
  std::vector<char> buffer_;
  std::size_t begin_ = 0;  // of what has not been read yet, in buffer_
  std::size_t end_ = 0;
  std::uint64_t number_ = 0;
  std::string_view line_{};
  std::vector<std::string_view> words_{};
};

}  // namespace nearfork::tools
