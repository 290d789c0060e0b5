// A program with more rights than its user obeys no variable of the environment, and neither does hwloc inside it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <linux/capability.h>
#include <sys/stat.h>
#include <sys/xattr.h>

#include <cstring>
#include <filesystem>
#include <string>
#include <vector>

#include "child_program.hpp"
#include "privileges.hpp"

namespace {

namespace fs = std::filesystem;
using nearfork::test::become_nobody;
using nearfork::test::program_end;
using nearfork::test::run_program;
using nearfork::test::why_no_privileges_in;
using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

/// A folder that any user may write to, with a copy of the program and a foreign plugin for hwloc.
class hostile_folder : public testing::Test {
 protected:
  hostile_folder() {
    std::string made = "/tmp/nearfork_privileged_XXXXXX";
    if (::mkdtemp(made.data()) == nullptr) throw std::runtime_error("no folder in /tmp");
    folder_ = made;
    fs::permissions(folder_, fs::perms::all);
    program_ = folder_ / "program";
    fs::copy_file(NEARFORK_CONFINED_RUN, program_);
    fs::copy_file(NEARFORK_FOREIGN_PLUGIN, folder_ / "hwloc_foreign.so");
  }
  ~hostile_folder() override { fs::remove_all(folder_); }

  [[nodiscard]] std::string path(const char* name) const { return folder_ / name; }

  /// The variables that an attacker sets.
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"NEARFORK_REPORT=" + path("report.json"),
            "NEARFORK_RECORD=" + path("recording.nfg"),
            "NEARFORK_POLICY=acab",
            "NEARFORK_MACHINE_FOLDER=" + folder_.string(),
            "NEARFORK_NO_SUCH_OPTION=1",
            "HWLOC_PLUGINS_PATH=" + folder_.string(),
            "HWLOC_THISSYSTEM=1",
            "HWLOC_SYNTHETIC=package:3 core:7 pu:1"};
  }
  [[nodiscard]] program_end run(std::vector<std::string> arguments, bool as_nobody) const {
    arguments.insert(arguments.begin(), program_.string());
    return run_program(arguments, environment(), [as_nobody] {
      if (as_nobody) become_nobody();
    });
  }
  [[nodiscard]] bool plugin_ran() const { return fs::exists(path("hwloc_foreign.so.ran")); }

  void expect_that_nothing_was_obeyed(const program_end& end) const {
    EXPECT_EQ(end.status, 0) << "signal " << end.signal << "\n" << end.output;
    EXPECT_THAT(end.output, AllOf(HasSubstr("policy: auto"), HasSubstr("\nright"), Not(HasSubstr("workers: 21"))));
    EXPECT_THAT(end.output, HasSubstr("degradation: environment variables are ignored: NEARFORK_POLICY, "
                                      "NEARFORK_MACHINE_FOLDER, NEARFORK_REPORT, NEARFORK_RECORD: this program is "
                                      "privileged"));
    EXPECT_THAT(end.output, Not(HasSubstr("NO_SUCH_OPTION")));
    EXPECT_FALSE(fs::exists(path("report.json")));
    EXPECT_FALSE(fs::exists(path("recording.nfg")));
    EXPECT_FALSE(plugin_ran()) << "a stranger's code ran in a privileged program";
  }

  [[nodiscard]] std::string why_not() const { return why_no_privileges_in(folder_); }

  fs::path folder_;
  fs::path program_;
};

TEST_F(hostile_folder, is_obeyed_by_a_plain_program) {
  auto variables = environment();
  const program_end refused = run({}, false);
  EXPECT_EQ(refused.status, 2) << refused.output;
  EXPECT_THAT(refused.output, HasSubstr("NEARFORK_NO_SUCH_OPTION"));
  std::erase_if(variables, [](const std::string& one) { return one.starts_with("NEARFORK_NO"); });
  const program_end end = run_program({program_.string()}, variables);
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("policy: acab"));
  EXPECT_TRUE(fs::exists(path("report.json")));
  EXPECT_TRUE(fs::exists(path("recording.nfg")));
  if (!plugin_ran())
    GTEST_SKIP() << "this hwloc was built without plugins: what the other tests say of them says nothing";
}

TEST_F(hostile_folder, is_ignored_by_a_program_that_behaves_as_a_privileged_one) {
  expect_that_nothing_was_obeyed(run({"pretend"}, false));
  expect_that_nothing_was_obeyed(run({"pretend", "described"}, false));
}

TEST_F(hostile_folder, is_an_error_in_strict_mode) {
  const program_end end = run({"pretend", "strict"}, false);
  EXPECT_EQ(end.status, 2) << end.output;
  EXPECT_THAT(end.output, HasSubstr("environment variables are ignored"));
}

TEST_F(hostile_folder, is_ignored_by_a_setuid_program) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  ASSERT_EQ(::chmod(program_.c_str(), 04755), 0);
  expect_that_nothing_was_obeyed(run({}, true));
  expect_that_nothing_was_obeyed(run({"described"}, true));
}

/// cap_perfmon, as HACKING.md tells people to give it to a program that counts cache misses.
TEST_F(hostile_folder, is_ignored_by_a_program_with_capabilities) {
  if (const std::string why = why_not(); !why.empty()) GTEST_SKIP() << why;
  constexpr unsigned cap_perfmon = 38;
  vfs_cap_data given{};
  given.magic_etc = VFS_CAP_REVISION_2 | VFS_CAP_FLAGS_EFFECTIVE;
  given.data[cap_perfmon / 32].permitted = 1U << cap_perfmon % 32;
  if (::setxattr(program_.c_str(), "security.capability", &given, sizeof given, 0) != 0)
    GTEST_SKIP() << "no capabilities can be given to files here: " << std::strerror(errno);
  const program_end end = run({"planned"}, true);
  if (end.status == 126) GTEST_SKIP() << "this system does not let a program have cap_perfmon";
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_THAT(end.output, HasSubstr("environment variables are ignored"));
  EXPECT_FALSE(fs::exists(path("report.json")));
  EXPECT_FALSE(plugin_ran());
}

}  // namespace
