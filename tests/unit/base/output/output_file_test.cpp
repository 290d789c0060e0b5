#include "base/output/output_file.hpp"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>

#include "message_of.hpp"

namespace nearfork {
namespace {

namespace fs = std::filesystem;

std::string content_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

unsigned mode_of(const std::string& path) {
  struct stat facts{};
  return ::stat(path.c_str(), &facts) == 0 ? facts.st_mode & 07777U : 0;
}

class output_files : public testing::Test {
 protected:
  output_files() {
    std::string pattern = (fs::temp_directory_path() / "nearfork-output-XXXXXX").string();
    folder_ = ::mkdtemp(pattern.data());
    fs::permissions(folder_, fs::perms(0755));
  }
  ~output_files() override { fs::remove_all(folder_); }
  [[nodiscard]] std::string file(const std::string& name) const { return (folder_ / name).string(); }
  [[nodiscard]] std::size_t entries() const {
    return static_cast<std::size_t>(std::distance(fs::directory_iterator(folder_), fs::directory_iterator()));
  }
  /// The error of the constructor, that is, before the work.
  static std::string refusal_of(const std::string& path) {
    return test::message_of([&] { const output_file made(path, "flag --output"); });
  }
  static void expect_says(const std::string& said, std::initializer_list<const char*> parts) {
    for (const char* const part : parts) EXPECT_NE(said.find(part), std::string::npos) << part << " in: " << said;
  }
  void make_socket(const std::string& name) const {
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    ASSERT_LT(file(name).size(), sizeof address.sun_path);
    std::strcpy(address.sun_path, file(name).c_str());
    const int made = ::socket(AF_UNIX, SOCK_STREAM, 0);
    ASSERT_EQ(::bind(made, reinterpret_cast<const sockaddr*>(&address), sizeof address), 0);
    ::close(made);
  }

  fs::path folder_;
};

// --- regular files ---

TEST_F(output_files, a_new_file_appears_when_it_is_written_and_leaves_nothing_beside_it) {
  const output_file made(file("a"));
  EXPECT_EQ(entries(), 0U);
  made.write("content");
  EXPECT_EQ(content_of(file("a")), "content");
  EXPECT_EQ(entries(), 1U);
}

TEST_F(output_files, an_old_file_is_replaced_and_hands_on_its_permissions) {
  std::ofstream(file("a")) << "old";
  ASSERT_EQ(::chmod(file("a").c_str(), 0640), 0);
  std::ifstream reader(file("a"));
  output_file(file("a")).write("new");
  EXPECT_EQ(content_of(file("a")), "new");
  EXPECT_EQ(mode_of(file("a")), 0640U);
  EXPECT_EQ(std::string(std::istreambuf_iterator<char>(reader), {}), "old")
      << "who has it open goes on with what was there";
}

TEST_F(output_files, a_new_file_has_the_permissions_that_the_process_gives_to_new_files) {
  const mode_t before = ::umask(027);
  output_file(file("a")).write("new");
  ::umask(before);
  EXPECT_EQ(mode_of(file("a")), 0640U);
}

TEST_F(output_files, a_symbolic_link_stays_and_what_it_leads_to_is_replaced) {
  fs::create_directory(file("data"));
  std::ofstream(file("data/target")) << "old";
  fs::create_symlink("data/target", file("near"));
  fs::create_symlink(file("near"), file("far"));
  output_file(file("far")).write("new");
  EXPECT_TRUE(fs::is_symlink(file("far")));
  EXPECT_TRUE(fs::is_symlink(file("near")));
  EXPECT_FALSE(fs::is_symlink(file("data/target")));
  EXPECT_EQ(content_of(file("data/target")), "new");
}

TEST_F(output_files, a_symbolic_link_to_nothing_yet_makes_what_it_leads_to) {
  fs::create_directory(file("data"));
  fs::create_symlink("data/target", file("link"));
  output_file(file("link")).write("new");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_EQ(content_of(file("data/target")), "new");
}

TEST_F(output_files, other_hard_links_keep_the_old_content) {
  std::ofstream(file("a")) << "old";
  fs::create_hard_link(file("a"), file("b"));
  output_file(file("a")).write("new");
  EXPECT_EQ(content_of(file("b")), "old");
}

TEST_F(output_files, a_name_as_long_as_a_name_may_be_is_no_obstacle) {
  const std::string name(255, 'n');
  output_file(file(name)).write("content");
  EXPECT_EQ(content_of(file(name)), "content");
}

TEST_F(output_files, a_relative_path_is_what_it_was_when_it_was_looked_at) {
  const fs::path before = fs::current_path();
  fs::current_path(folder_);
  const output_file made("a");
  fs::current_path(before);
  made.write("content");
  EXPECT_EQ(content_of(file("a")), "content");
}

TEST_F(output_files, writers_at_once_leave_one_of_their_contents_whole) {
  constexpr int writers = 8;
  const auto content = [](int i) { return std::string(100'000, static_cast<char>('a' + i)); };
  std::vector<std::thread> threads;
  for (int i = 0; i < writers; ++i) threads.emplace_back([&, i] { output_file(file("a")).write(content(i)); });
  for (std::thread& one : threads) one.join();
  const std::string left = content_of(file("a"));
  ASSERT_FALSE(left.empty());
  EXPECT_EQ(left, content(left.front() - 'a'));
  EXPECT_EQ(entries(), 1U);
}

TEST_F(output_files, a_limit_on_file_size_is_an_error_and_leaves_the_old_file) {
  std::ofstream(file("a")) << "old";
  rlimit before{};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = 100;
  const output_file made(file("a"));
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &tight), 0);
  const std::string said = test::message_of([&] { made.write(std::string(1000, 'x')); });  // SIGXFSZ would end us
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &before), 0);
  expect_says(said, {"cannot write", "File too large"});
  EXPECT_EQ(content_of(file("a")), "old");
  EXPECT_EQ(entries(), 1U);
}

// --- what is written into ---

TEST_F(output_files, a_character_device_stays_one) {
  output_file("/dev/null").write("content");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(output_files, a_link_to_a_device_is_followed) {
  fs::create_symlink("/dev/null", file("link"));
  const output_file made(file("link"));
  EXPECT_EQ(made.way(), output_way::written_into);
  made.write("content");
  EXPECT_TRUE(fs::is_symlink(file("link")));
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
}

TEST_F(output_files, a_full_device_is_an_error) {
  if (!fs::exists("/dev/full")) GTEST_SKIP() << "skipped: no /dev/full";
  const output_file made("/dev/full");
  expect_says(test::message_of([&] { made.write("content"); }), {"/dev/full", "No space left on device"});
}

TEST_F(output_files, a_fifo_is_not_opened_before_there_is_something_to_write) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const output_file made(file("pipe"));  // would wait for ever
  EXPECT_EQ(made.way(), output_way::written_into);
  std::string got;
  std::thread reader([&] { got = content_of(file("pipe")); });
  const std::string content(200'000, 'x');  // more than a pipe holds
  made.write(content);
  reader.join();
  EXPECT_EQ(got, content);
  EXPECT_TRUE(fs::is_fifo(file("pipe")));
}

TEST_F(output_files, a_reader_that_leaves_is_an_error_and_no_signal) {
  ASSERT_EQ(::mkfifo(file("pipe").c_str(), 0600), 0);
  const int reader = ::open(file("pipe").c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(reader, 0);
  std::thread leaves([&] {
    char first = 0;
    while (::read(reader, &first, 1) != 1) ::usleep(1000);
    ::close(reader);
  });
  const std::string said = test::message_of([&] { output_file(file("pipe")).write(std::string(1'000'000, 'x')); });
  leaves.join();
  expect_says(said, {"Broken pipe"});
}

TEST_F(output_files, a_file_that_is_mounted_by_itself_is_written_into) {
  std::ofstream(file("a")) << "something longer than what comes";
  const std::string mount = "mount --bind " + file("a") + " " + file("a") + " 2>/dev/null";
  if (::geteuid() != 0 || std::system(mount.c_str()) != 0) GTEST_SKIP() << "skipped: nothing may be mounted here";
  const output_file made(file("a"));
  EXPECT_EQ(made.way(), output_way::written_into);
  made.write("new");
  EXPECT_EQ(content_of(file("a")), "new");
  ASSERT_EQ(std::system(("umount " + file("a")).c_str()), 0);
  EXPECT_EQ(content_of(file("a")), "new");
}

// --- descriptors ---

TEST_F(output_files, a_descriptor_is_written_where_it_stands) {
  const int opened = ::open(file("a").c_str(), O_WRONLY | O_CREAT, 0600);
  ASSERT_EQ(::write(opened, "before ", 7), 7);
  const output_file made("/dev/fd/" + std::to_string(opened));
  EXPECT_EQ(made.way(), output_way::descriptor);
  made.write("content");
  ASSERT_EQ(::write(opened, " after", 6), 6);
  ::close(opened);
  EXPECT_EQ(content_of(file("a")), "before content after");
}

TEST_F(output_files, a_link_to_a_descriptor_of_a_pipe_is_followed) {
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  fs::create_symlink("/proc/self/fd/" + std::to_string(ends[1]), file("link"));
  output_file(file("link")).write("content");
  ::close(ends[1]);
  char got[16]{};
  EXPECT_EQ(::read(ends[0], got, sizeof got), 7);
  EXPECT_STREQ(got, "content");
  ::close(ends[0]);
}

TEST_F(output_files, a_descriptor_that_is_closed_or_only_read_is_refused) {
  const int opened = ::open("/dev/null", O_RDONLY);
  expect_says(refusal_of("/dev/fd/" + std::to_string(opened)), {"is not open for writing"});
  ::close(opened);
  expect_says(refusal_of("/dev/fd/" + std::to_string(opened)), {"is not open for writing"});
  expect_says(refusal_of("/proc/self/fd/none"), {"no descriptor's number"});
}

// --- what is refused at once ---

TEST_F(output_files, what_is_no_file_is_refused_by_what_it_is) {
  expect_says(refusal_of(folder_.string()),
              {"cannot write ", "(flag --output)", "it is a directory", "name a file in it"});
  fs::create_directory_symlink(folder_, file("link"));
  expect_says(refusal_of(file("link")), {"it is a directory"});
  make_socket("socket");
  expect_says(refusal_of(file("socket")), {"it is a socket"});
  EXPECT_TRUE(fs::is_socket(file("socket")));
}

TEST_F(output_files, a_folder_that_is_not_there_is_refused) {
  expect_says(refusal_of(file("no/such/a")), {"No such file or directory", "make that folder"});
  fs::create_symlink(file("no/such/a"), file("link"));
  expect_says(refusal_of(file("link")), {"No such file or directory"});
  std::ofstream(file("a")) << "old";
  expect_says(refusal_of(file("a/b")), {"Not a directory"});
  expect_says(refusal_of("/proc/nearfork"), {"folder /proc"});
}

TEST_F(output_files, paths_that_name_no_file_are_refused) {
  expect_says(refusal_of(""), {"the path is empty"});
  expect_says(refusal_of(file("new/")), {"it names a directory"});
  expect_says(refusal_of(std::string("a\0b", 3)), {"NUL"});
  fs::create_symlink(file("two"), file("one"));
  fs::create_symlink(file("one"), file("two"));
  expect_says(refusal_of(file("one")), {"Too many levels of symbolic links"});
  expect_says(refusal_of(std::string(5000, 'x')), {"File name too long"});
  expect_says(refusal_of(file("bell\a/x")), {"bell?/x"});
}

/// The status of `act` in a process that is not root; 99: no such process could be made.
int as_nobody(const std::function<int()>& act) {
  const pid_t child = ::fork();
  if (child == 0) {
    constexpr uid_t nobody = 65534;
    if (::geteuid() == 0 && (::setresgid(nobody, nobody, nobody) != 0 || ::setresuid(nobody, nobody, nobody) != 0))
      ::_exit(99);
    ::_exit(act());
  }
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

TEST_F(output_files, what_may_not_be_written_is_refused_and_stays) {
  fs::create_directory(file("closed"));
  fs::create_directory(file("open"));
  std::ofstream(file("open/a")) << "old";
  std::ofstream(file("closed/a")) << "old";
  ASSERT_EQ(::mkfifo(file("open/pipe").c_str(), 0600), 0);
  for (const char* const name : {"open/a", "closed/a"}) fs::permissions(file(name), fs::perms(0666));
  fs::permissions(file("open"), fs::perms(0777));
  fs::permissions(file("open/a"), fs::perms(0444));
  fs::permissions(file("open/pipe"), fs::perms(0444));
  fs::permissions(file("closed"), fs::perms(0555));
  const auto refused = [&](const char* name) {
    return refusal_of(file(name)).find("Permission denied") != std::string::npos;
  };
  const int status = as_nobody([&] {
    return (refused("open/a") ? 0 : 1) + (refused("closed/a") ? 0 : 2) + (refused("closed/new") ? 0 : 4) +
           (refused("open/pipe") ? 0 : 8);
  });
  fs::permissions(file("closed"), fs::perms(0755));
  if (status == 99) GTEST_SKIP() << "skipped: cannot stop being root";
  EXPECT_EQ(status, 0);
  EXPECT_EQ(content_of(file("open/a")), "old");
}

TEST_F(output_files, know_whichever_path_leads_to_what_they_replace) {
  std::ofstream(file("a")) << "old";
  fs::create_directory(file("sub"));
  fs::create_symlink("../a", file("sub/link"));
  fs::create_symlink("new", file("to_new"));
  fs::create_hard_link(file("a"), file("other_name"));
  const output_file made(file("a"));
  for (const char* const same : {"a", "./a", "sub/../a", "sub/link"}) EXPECT_TRUE(made.replaces(file(same))) << same;
  for (const char* const other : {"other_name", "sub", "sub/a", "new", "no/such/a"})
    EXPECT_FALSE(made.replaces(file(other))) << other;
  EXPECT_FALSE(made.replaces(""));
  EXPECT_TRUE(output_file(file("new")).replaces(file("to_new"))) << "also before the file is there";
  EXPECT_FALSE(output_file("/dev/null").replaces("/dev/null")) << "it stays what it is";
}

TEST_F(output_files, of_others_in_a_sticky_folder_are_refused) {
  if (::geteuid() != 0) GTEST_SKIP() << "skipped: only root makes files of others";
  fs::create_directory(file("sticky"));
  std::ofstream(file("sticky/a")) << "old";
  fs::permissions(file("sticky/a"), fs::perms(0666));
  fs::permissions(file("sticky"), fs::perms(01777));
  const int status =
      as_nobody([&] { return refusal_of(file("sticky/a")).find("somebody else owns") != std::string::npos ? 0 : 1; });
  if (status == 99) GTEST_SKIP() << "skipped: cannot stop being root";
  EXPECT_EQ(status, 0);
}

}  // namespace
}  // namespace nearfork
