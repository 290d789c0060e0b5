#include "sensors/hotness/hotness_system.hpp"

#include <fcntl.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <time.h>
#include <unistd.h>

#include <cerrno>
#include <utility>
#include <vector>

#include "base/files/descriptor.hpp"

namespace nearfork {
namespace {

// Not in the kernel headers of Debian 11; values of include/uapi/linux/prctl.h since 5.17.
constexpr int set_vma = 0x53564d41;
constexpr unsigned long set_vma_name = 0;

class linux_word_file final : public word_file {
 public:
  linux_word_file(const std::string& path, file_use use) noexcept
      : file_(::open(path.c_str(), (use == file_use::read ? O_RDONLY : O_RDWR) | O_CLOEXEC)),
        error_number_(file_.is_open() ? 0 : errno) {}
  [[nodiscard]] int error_number() const noexcept { return error_number_; }

  int read(std::uint64_t index, std::uint64_t& word) override {
    return outcome(::pread(file_.number(), &word, sizeof word, static_cast<off_t>(index * sizeof word)));
  }
  int write(std::uint64_t index, std::uint64_t word) override {
    return outcome(::pwrite(file_.number(), &word, sizeof word, static_cast<off_t>(index * sizeof word)));
  }

 private:
  static int outcome(ssize_t done) noexcept {
    if (done == static_cast<ssize_t>(sizeof(std::uint64_t))) return 0;
    return done < 0 ? errno : EIO;
  }
  descriptor file_;
  int error_number_;
};

/// Pages whose permissions are taken away and given back. A kernel that changes more pages than a few dozen (x86-64:
/// 33) or hundred (AArch64: 512) lets the processors forget all that they know of the process, since that is cheaper
/// than to name the pages. Nobody writes to them, so they take no memory but that of their page table.
class scratch_pages {
 public:
  explicit scratch_pages(std::size_t page_bytes) : page_bytes_(page_bytes) {
    void* const got = ::mmap(nullptr, bytes(), PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED) {
      error_number_ = errno;
      return;
    }
    begin_ = static_cast<const volatile char*>(got);
    (void)::madvise(got, bytes(), MADV_NOHUGEPAGE);  // refused where there are no huge pages
  }
  ~scratch_pages() {
    if (begin_ != nullptr) ::munmap(const_cast<char*>(begin_), bytes());
  }
  scratch_pages(const scratch_pages&) = delete;
  scratch_pages& operator=(const scratch_pages&) = delete;

  int change() noexcept {
    if (begin_ == nullptr) return error_number_;
    for (std::size_t i = 0; i < count; ++i) (void)begin_[i * page_bytes_];
    auto* const begin = const_cast<char*>(begin_);
    const bool done = ::mprotect(begin, bytes(), PROT_NONE) == 0 && ::mprotect(begin, bytes(), PROT_READ) == 0;
    return done ? 0 : errno;
  }

 private:
  static constexpr std::size_t count = 520;
  [[nodiscard]] std::size_t bytes() const noexcept { return count * page_bytes_; }

  std::size_t page_bytes_;
  const volatile char* begin_ = nullptr;
  int error_number_ = 0;
};

class linux_hotness_system final : public hotness_system {
 public:
  linux_hotness_system() : own_(2 * page_bytes_) { own_[page_bytes_] = 1; }

  const system_files& files() const noexcept override { return *files_; }

  word_file_opening open_words(const std::string& path, file_use use) override {
    auto made = std::make_unique<linux_word_file>(path, use);
    if (made->error_number() != 0) return {nullptr, made->error_number()};
    return {std::move(made), 0};
  }

  int name_pages(address_range pages, const char* name) noexcept override {
    return ::prctl(set_vma, set_vma_name, pages.begin, pages.end - pages.begin, name) == 0 ? 0 : errno;
  }
  int keep_from_dumps(address_range pages, bool out) noexcept override {
    auto* const begin = reinterpret_cast<void*>(pages.begin);
    return ::madvise(begin, pages.end - pages.begin, out ? MADV_DONTDUMP : MADV_DODUMP) == 0 ? 0 : errno;
  }
  int forget_translations() noexcept override { return scratch_.change(); }
  address_range own_page() const noexcept override {
    const auto first = reinterpret_cast<std::uintptr_t>(own_.data()) + page_bytes_ - 1;
    const std::uintptr_t begin = first - first % page_bytes_;
    return {begin, begin + page_bytes_};
  }

  std::size_t page_bytes() const noexcept override { return page_bytes_; }
  int process() const noexcept override { return ::getpid(); }
  bool is_running(int process) const noexcept override { return ::kill(process, 0) == 0 || errno == EPERM; }
  std::uint64_t thread_time_ns() const noexcept override {
    timespec time{};
    ::clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000 + static_cast<std::uint64_t>(time.tv_nsec);
  }

 private:
  std::size_t page_bytes_ = static_cast<std::size_t>(::sysconf(_SC_PAGESIZE));
  std::shared_ptr<const system_files> files_ = live_system_files();
  std::vector<char> own_;
  scratch_pages scratch_{page_bytes_};
};

}  // namespace

std::shared_ptr<hotness_system> live_hotness_system() {
  return std::make_shared<linux_hotness_system>();
}

}  // namespace nearfork
