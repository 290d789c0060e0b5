// The files and calls behind the sources of hotness, as an interface that tests can fake.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "base/files/system_files.hpp"
#include "sensors/hotness/heat_source.hpp"

namespace nearfork {

/// A file of 64-bit words, such as /proc/self/pagemap.
class word_file {
 public:
  word_file() = default;
  word_file(const word_file&) = delete;
  word_file& operator=(const word_file&) = delete;
  virtual ~word_file() = default;

  /// Both return 0 or an errno value; EIO if the file ends before the word.
  [[nodiscard]] virtual int read(std::uint64_t index, std::uint64_t& word) = 0;
  [[nodiscard]] virtual int write(std::uint64_t index, std::uint64_t word) = 0;
};

struct word_file_opening {
  std::unique_ptr<word_file> file;  // nullptr: see error_number
  int error_number = 0;
};

enum class file_use : std::uint8_t { read, read_and_write };

/// Errors are errno values; 0 is success.
class hotness_system {
 public:
  hotness_system() = default;
  hotness_system(const hotness_system&) = delete;
  hotness_system& operator=(const hotness_system&) = delete;
  virtual ~hotness_system() = default;

  [[nodiscard]] virtual const system_files& files() const noexcept = 0;
  [[nodiscard]] virtual word_file_opening open_words(const std::string& path, file_use use) = 0;

  /// Gives pages a name, so that the kernel keeps them apart from their neighbours (PR_SET_VMA_ANON_NAME). nullptr
  /// takes the name away.
  [[nodiscard]] virtual int name_pages(address_range pages, const char* name) noexcept = 0;
  /// Keeps pages out of core dumps, or lets them in again. It keeps them apart from their neighbours, too.
  [[nodiscard]] virtual int keep_from_dumps(address_range pages, bool out) noexcept = 0;
  /// Makes all processors forget where the pages of this process lie, so that the next access to a page is marked in
  /// the page table.
  [[nodiscard]] virtual int forget_translations() noexcept = 0;
  /// A page that was written, to try things with.
  [[nodiscard]] virtual address_range own_page() const noexcept = 0;

  [[nodiscard]] virtual std::size_t page_bytes() const noexcept = 0;
  [[nodiscard]] virtual int process() const noexcept = 0;
  [[nodiscard]] virtual bool is_running(int process) const noexcept = 0;
  /// How long the calling thread has run.
  [[nodiscard]] virtual std::uint64_t thread_time_ns() const noexcept = 0;
};

/// The system that runs this program.
[[nodiscard]] std::shared_ptr<hotness_system> live_hotness_system();

}  // namespace nearfork
