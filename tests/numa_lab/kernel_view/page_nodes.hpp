// Fresh pages, and the node of each, from move_pages and not from our own book-keeping.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace nearfork::lab {

/// The system's number of a page's node; nullopt if the page is not there.
using page_node = std::optional<unsigned>;

/// The node of each page that [begin, begin + bytes) touches, by move_pages. Throws std::system_error if the kernel
/// does not say.
[[nodiscard]] std::vector<page_node> nodes_of_pages(const void* begin, std::size_t bytes);
[[nodiscard]] std::size_t page_bytes();

/// Memory that no thread has touched yet. Throws std::system_error if there is none.
class fresh_pages {
 public:
  explicit fresh_pages(std::size_t pages);
  ~fresh_pages();
  fresh_pages(const fresh_pages&) = delete;
  fresh_pages& operator=(const fresh_pages&) = delete;

  void touch(std::size_t page) noexcept;
  [[nodiscard]] std::vector<page_node> nodes() const;

 private:
  std::size_t bytes_;
  char* memory_;
};

}  // namespace nearfork::lab
