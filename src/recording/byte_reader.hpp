// Reads what byte_writer wrote, and refuses everything else. Each refusal names the byte and the file.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nearfork::recordings {

class byte_reader {
 public:
  /// `where`: the source's name in messages. `offset`: where `bytes` begins in the source.
  byte_reader(std::string_view bytes, std::string_view where, std::uint64_t offset = 0) noexcept
      : bytes_(bytes), where_(where), offset_(offset) {}

  /// Throws: nearfork::error, as all functions below, if the number is truncated, longer than needed, or more than
  /// `most`.
  std::uint64_t number(const char* what, std::uint64_t most);
  std::uint32_t fixed32(const char* what) { return static_cast<std::uint32_t>(fixed(what, 4)); }
  std::uint64_t fixed64(const char* what) { return fixed(what, 8); }
  /// Without control characters, and at most most_text bytes.
  std::string text(const char* what);
  std::string_view raw(const char* what, std::uint64_t count);
  /// A count of things that each take at least `bytes_each` of the remaining bytes.
  std::uint64_t count(const char* what, std::uint64_t bytes_each);

  [[nodiscard]] std::uint64_t left() const noexcept { return bytes_.size() - at_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_ + at_; }
  [[nodiscard]] std::string_view where() const noexcept { return where_; }
  [[noreturn]] void refuse(const std::string& why) const { refuse_at(offset(), why); }
  [[noreturn]] void refuse_at(std::uint64_t offset, const std::string& why) const;

  static constexpr std::size_t most_text = 4096;

 private:
  std::uint64_t fixed(const char* what, unsigned count);
  [[noreturn]] void refuse_end(const char* what) const;

  std::string_view bytes_;
  std::string_view where_;
  std::uint64_t offset_;
  std::size_t at_ = 0;
};

}  // namespace nearfork::recordings
