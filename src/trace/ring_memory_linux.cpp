#include "trace/ring_memory.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

#include <cerrno>
#include <new>
#include <utility>

#include "base/files/descriptor.hpp"
#include "base/process_number.hpp"
#include "base/text/message_text.hpp"

namespace nearfork::traces {
namespace {

class mapped_memory final : public ring_memory {
 public:
  mapped_memory(void* where, std::size_t bytes, std::string file)
      : where_(where), bytes_(bytes), file_(std::move(file)), process_(process_number()) {}
  ~mapped_memory() override {
    (void)::munmap(where_, bytes_);
    remove_file();
  }

  [[nodiscard]] word* words() noexcept override { return static_cast<word*>(where_); }
  [[nodiscard]] const std::string& file() const noexcept override { return file_; }
  void keep_file() noexcept override { keeps_ = true; }
  void remove_file() noexcept override {
    if (file_.empty() || std::exchange(keeps_, true) || process_ != process_number()) return;
    (void)::unlink(file_.c_str());
  }

 private:
  void* const where_;
  const std::size_t bytes_;
  const std::string file_;
  const int process_;   // a fork()'s child leaves its parent's file alone
  bool keeps_ = false;  // also if it is gone: another file may have its name by now
};

/// A file beyond the limit would be answered by a signal, too, which ends the process.
bool exceeds_limit(std::size_t bytes) noexcept {
  rlimit limit{};
  return ::getrlimit(RLIMIT_FSIZE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY && bytes > limit.rlim_cur;
}

/// Returns an errno value or 0. The blocks of the file are taken at once: a store into a page that finds no room on the
/// disk would end the process by a signal.
int map_new_file(const std::string& path, std::size_t bytes, void*& into) {
  if (exceeds_limit(bytes)) return EFBIG;
  descriptor file(::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
  if (!file.is_open()) return errno;
  int failed = ::posix_fallocate(file.number(), 0, static_cast<off_t>(bytes));
  if (failed == 0) {
    into = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, file.number(), 0);
    if (into == MAP_FAILED) failed = errno;
  }
  if (failed != 0) (void)::unlink(path.c_str());
  return failed;
}

}  // namespace

taken_memory take_ring_memory(const std::string& path, std::size_t words) {
  const std::size_t bytes = words * sizeof(word);
  taken_memory taken;
  void* where = nullptr;
  if (!path.empty()) {
    const int failed = map_new_file(path, bytes, where);
    if (failed == 0) {
      taken.memory = std::make_unique<mapped_memory>(where, bytes, path);
      return taken;
    }
    taken.why_no_file = with_number(failed);
  }
  where = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (where == MAP_FAILED) throw std::bad_alloc();
  taken.memory = std::make_unique<mapped_memory>(where, bytes, std::string());
  return taken;
}

}  // namespace nearfork::traces
