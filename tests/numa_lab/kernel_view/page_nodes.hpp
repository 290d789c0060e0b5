// Fresh pages, and on which node each lies: by move_pages, not by our own book-keeping.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace nearfork::lab {

/// Memory that nobody has touched yet. Throws std::system_error if there is none.
class fresh_pages {
 public:
  explicit fresh_pages(std::size_t pages);
  ~fresh_pages();
  fresh_pages(const fresh_pages&) = delete;
  fresh_pages& operator=(const fresh_pages&) = delete;

  void touch(std::size_t page) noexcept;
  /// The system's number of each page's node; nothing where a page is not there. Throws std::system_error if the kernel does
  /// not say.
  [[nodiscard]] std::vector<std::optional<unsigned>> nodes() const;

 private:
  std::size_t pages_;
  std::size_t page_bytes_;
  char* memory_;
};

}  // namespace nearfork::lab
