// Recordings as files: written, replaced, refused.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>

#include <nearfork/error.hpp>

#include "random_recording.hpp"
#include "recording/recording_file.hpp"
#include "unit/recording/small_recording.hpp"

namespace nearfork::recordings {
namespace {

namespace fs = std::filesystem;

struct scratch_folder {
  scratch_folder() : path(fs::temp_directory_path() / ("nearfork-nfg-" + std::to_string(::getpid()))) {
    fs::remove_all(path);
    fs::create_directories(path);
  }
  ~scratch_folder() { fs::remove_all(path); }
  [[nodiscard]] std::string file(const std::string& name) const { return (path / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(path), fs::directory_iterator()));
  }
  fs::path path;
};

TEST(recording_file, goes_to_disk_and_back_and_replaces_what_was_there) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "old";
  save_recording(small_recording(), folder.file("g.nfg"));
  EXPECT_EQ(load_recording(folder.file("g.nfg")), small_recording());
  EXPECT_EQ(load_recording(folder.file("g.nfg")).name(), "the recording " + folder.file("g.nfg"));
  EXPECT_EQ(small_recording().name(), "the recording");
  EXPECT_EQ(folder.entries(), 1U);
}

TEST(recording_file, on_a_full_disk_is_an_error_and_leaves_the_old_file) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "old";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  const auto old_handler = std::signal(SIGXFSZ, SIG_IGN);
  rlimit tight = before;
  tight.rlim_cur = 100;
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  std::string said;
  try {
    save_recording(any_recording(7, 500), folder.file("g.nfg"));
  } catch (const error& refused) {
    said = refused.what();
  }
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  std::signal(SIGXFSZ, old_handler);
  expect_says(said, {"cannot write", "g.nfg", "File too large", "bytes free"});
  EXPECT_EQ(folder.entries(), 1U);
  std::string content;
  std::ifstream(folder.file("g.nfg")) >> content;
  EXPECT_EQ(content, "old");
}

TEST(recording_file, of_foreign_bytes_is_refused_by_its_beginning_however_large) {
  const scratch_folder folder;
  std::ofstream(folder.file("g.nfg")) << "foreign bytes";
  constexpr std::uintmax_t tera = std::uintmax_t{1} << 40;  // with a hole
  std::error_code failed;
  fs::resize_file(folder.file("g.nfg"), tera, failed);
  if (failed) GTEST_SKIP() << "no files of that size here: " << failed.message();
  try {
    (void)load_recording(folder.file("g.nfg"));
    ADD_FAILURE() << "it was read";
  } catch (const error& refused) {
    expect_says(refused.what(), {"g.nfg", "byte 0", "no task-graph recording"});
  }
}

TEST(recording_file, is_refused_where_it_cannot_be_read_or_is_no_file) {
  const scratch_folder folder;
  const auto said = [](const std::string& path) {
    try {
      (void)load_recording(path);
      return std::string();
    } catch (const error& refused) {
      return std::string(refused.what());
    }
  };
  expect_says(said(folder.file("none.nfg")), {"cannot read", "No such file"});
  expect_says(said(folder.path.string()), {"no regular file"});
  expect_says(said("/dev/zero"), {"no regular file"});
  ASSERT_EQ(::mkfifo(folder.file("pipe").c_str(), 0600), 0);
  expect_says(said(folder.file("pipe")), {"no regular file"});
}

}  // namespace
}  // namespace nearfork::recordings
